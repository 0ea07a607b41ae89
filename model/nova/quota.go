package nova

// Unlimited is the Limit of a Quota without one.
const Unlimited = -1

// Quota is how much of something a project may have, and how much Nova counts it to use.
// Nova keeps it with the instances, and its API returns it.
//
// Source: nova/api/openstack/compute/quota_sets.py, detail.
type Quota struct {
	Name  string // as in the API: "cores"
	Used  int64  // with what is reserved for what has begun
	Limit int64
}

// State says how near the limit is: "near" from nine tenths on, "full", "over"; "" if
// there is room, or nothing is used.
func (q Quota) State() string {
	switch {
	case q.Limit < 0 || q.Used <= 0:
		return ""
	case q.Used > q.Limit:
		return "over"
	case q.Used == q.Limit:
		return "full"
	case q.Limit-q.Used <= q.Limit/10:
		return "near"
	}
	return ""
}

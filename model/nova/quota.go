package nova

// Unlimited is the Limit of a Quota that there is none of.
const Unlimited = -1

// Quota is how much of something a project may have, and how much it has as Nova counts
// that. Nova keeps it beside the instances, and tells it to who asks.
//
// Source: nova/api/openstack/compute/quota_sets.py, detail.
type Quota struct {
	Name  string // as in the API: "cores"
	Used  int64  // with what is reserved for what has begun
	Limit int64
}

// State says how near the limit is: "near" from nine tenths of it on, "full", "over"; ""
// where there is room, and where nothing is used.
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

package audit

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/operator"
)

// InspectOptions are for Inspect.
type InspectOptions struct {
	Now time.Time // what ages are counted to; it decides which acknowledgements and mutes have ended
	All bool      // ask the rules that take long too
	// Conflicts are what the store remembers of them, see cloud.ConflictLog.
	Conflicts []cloud.Conflict
}

// Lapse is why an acknowledgement no longer keeps its finding quiet.
type Lapse uint8

// The lapses.
const (
	InForce Lapse = iota // it does keep it quiet, or there is none
	Expired              // its term has ended
	Worse                // the finding got worse since
)

// String returns "", "expired" or "worse".
func (l Lapse) String() string {
	switch l {
	case Expired:
		return "expired"
	case Worse:
		return "worse"
	default:
		return ""
	}
}

// AnnotatedFinding is a finding with operators' notes about it.
type AnnotatedFinding struct {
	Finding
	Acknowledgement *operator.Acknowledgement // nil if there is none; also set if it has lapsed
	Lapse           Lapse                     // of the Acknowledgement
	Mute            *operator.Mute            // of its rule, in force; nil for none
}

// Report is the result of Inspect. Its lists have the order of Find.
type Report struct {
	Open         []AnnotatedFinding // to be looked at
	Acknowledged []AnnotatedFinding // known, not worse since, and not expired
	Muted        []AnnotatedFinding // of rules that are muted, acknowledged or not
	Rules        []Rule             // those that were asked, the muted ones too
	// Unjudged are those of them that could not be judged, or not about everything: that
	// they find nothing says nothing.
	Unjudged []UnjudgedRule
	Mutes    []*operator.Mute
	// Until is when the rules have to be asked again though nothing is written, as they
	// may then find something else: what operators wrote down ends, a move takes too
	// long, conflicts grow old. It is the zero time for never.
	Until time.Time
	// Idle are acknowledgements without a finding: it was repaired. They count again
	// should it come back.
	Idle []*operator.Acknowledgement
}

// Inspect audits s, and sorts the findings by what operators noted about them.
func Inspect(s *cloud.Snapshot, o InspectOptions) Report {
	r := Report{Rules: Rules(), Until: nextTurn(s, o)}
	for m := range s.Operator().Mutes() {
		if !m.Expired(o.Now) {
			r.Mutes = append(r.Mutes, m)
		}
	}
	found := map[*operator.Acknowledgement]bool{}
	all, unjudged := findings(s, o.All, &Observations{At: o.Now, Conflicts: o.Conflicts})
	r.Unjudged = unjudged
	for _, f := range all {
		n := note(s, f, o.Now)
		found[n.Acknowledgement] = true
		switch {
		case n.Mute != nil:
			r.Muted = append(r.Muted, n)
		case n.Acknowledgement != nil && n.Lapse == InForce:
			r.Acknowledged = append(r.Acknowledged, n)
		default:
			r.Open = append(r.Open, n)
		}
	}
	for a := range s.Operator().Acknowledgements() {
		if !found[a] {
			r.Idle = append(r.Idle, a)
		}
	}
	return r
}

// note returns f with what operators have recorded about it.
func note(s *cloud.Snapshot, f Finding, now time.Time) AnnotatedFinding {
	n := AnnotatedFinding{Finding: f}
	if m, ok := s.Operator().Mute(string(f.Rule)); ok && !m.Expired(now) {
		n.Mute = m
	}
	a, ok := s.Operator().Acknowledgement(string(f.Rule), f.Key())
	if !ok {
		return n
	}
	n.Acknowledgement = a
	switch {
	case a.Expired(now):
		n.Lapse = Expired
	case worse(f, a):
		n.Lapse = Worse
	}
	return n
}

// worse reports whether f got worse since it was acknowledged.
func worse(f Finding, a *operator.Acknowledgement) bool {
	was, err := ParseSeverity(a.Severity)
	return f.Size > a.Size || err == nil && f.Severity > was
}

// Findings returns the findings without the notes.
func Findings(noted []AnnotatedFinding) []Finding {
	out := make([]Finding, len(noted))
	for i, n := range noted {
		out[i] = n.Finding
	}
	return out
}

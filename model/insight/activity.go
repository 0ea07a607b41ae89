package insight

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
)

// Activity counts what Nova and Cyborg are doing.
type Activity struct {
	Instances map[nova.VMState]int // that are not deleted, by state
	Waiting   int                  // moves that wait to be confirmed or reverted
	UnderWay  int                  // other moves that are not over
	Broken    int                  // moves that ended in an error and still hold their claim
	ARQs      map[cyborg.ARQState]int
}

// ActivityOf counts instances, moves and accelerator requests of s.
func ActivityOf(s *cloud.Snapshot) Activity {
	out := Activity{Instances: map[nova.VMState]int{}, ARQs: map[cyborg.ARQState]int{}}
	for i := range s.Nova().Instances() {
		if i.Live() {
			out.Instances[i.VMState]++
		}
	}
	for m := range s.Nova().Migrations() {
		switch {
		case m.Status.Waits():
			out.Waiting++
		case m.Status.UnderWay():
			out.UnderWay++
		case m.Status == nova.Error:
			if _, holds := s.Placement().Consumer(m.UUID); holds {
				out.Broken++
			}
		}
	}
	for a := range s.Cyborg().ARQs() {
		out.ARQs[a.State]++
	}
	return out
}

// AllInstances returns how many instances there are in all states.
func (s Activity) AllInstances() int { return countAll(s.Instances) }

// AllARQs returns how many accelerator requests there are in all states.
func (s Activity) AllARQs() int { return countAll(s.ARQs) }

// FailedARQs returns how many accelerator requests could not be bound, or not be
// given back.
func (s Activity) FailedARQs() int {
	return s.ARQs[cyborg.ARQBindFailed] + s.ARQs[cyborg.ARQUnbindFailed]
}

// countAll adds up counts.
func countAll[K comparable](counts map[K]int) int {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}

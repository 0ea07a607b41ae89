package keeper

import (
	"sync"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Pass is the result of applying the rules to a Snapshot. It is immutable.
type Pass struct {
	Of     *cloud.Snapshot
	Report audit.Report
	Ended  time.Time
	Took   time.Duration
	// Unread is why the rules were not asked: the cloud was not read as a whole yet.
	Unread string
	// lost are the conflicts that the pass considered.
	lost []cloud.Conflict
	// Until is when the rules must be asked again though nothing changes; it is zero
	// for never.
	Until time.Time

	grouping    sync.Once // fills these, of what is open:
	ofProviders map[placement.ProviderID][]audit.Finding
	ofConsumers map[placement.ConsumerID][]audit.Finding
}

// Open returns the findings to be looked at.
func (i *Pass) Open() []audit.Finding { return audit.Findings(i.Report.Open) }

// OfProvider returns the findings to be looked at about a provider, nil without a pass.
func (i *Pass) OfProvider(id placement.ProviderID) []audit.Finding {
	return i.grouped().ofProviders[id]
}

// OfConsumer returns those about a consumer.
func (i *Pass) OfConsumer(id placement.ConsumerID) []audit.Finding {
	return i.grouped().ofConsumers[id]
}

// grouped returns the pass with its findings grouped by what they are about.
func (i *Pass) grouped() *Pass {
	if i == nil {
		return &Pass{}
	}
	i.grouping.Do(func() {
		i.ofProviders, i.ofConsumers = map[placement.ProviderID][]audit.Finding{}, map[placement.ConsumerID][]audit.Finding{}
		for _, f := range i.Open() {
			if !f.Provider.IsZero() {
				i.ofProviders[f.Provider] = append(i.ofProviders[f.Provider], f)
			}
			for _, id := range f.Others {
				i.ofProviders[id] = append(i.ofProviders[id], f)
			}
			if !f.Consumer.IsZero() {
				i.ofConsumers[f.Consumer] = append(i.ofConsumers[f.Consumer], f)
			}
		}
	})
	return i
}

// Holds reports whether the pass is still valid for snap at now.
func (i *Pass) Holds(snap *cloud.Snapshot, now time.Time) bool {
	return i != nil && i.Of == snap && (i.Until.IsZero() || now.Before(i.Until))
}

// saw reports whether the pass knew of all conflicts.
func (i *Pass) saw(lost []cloud.Conflict) bool {
	n := len(lost)
	return len(i.lost) == n && (n == 0 || i.lost[n-1].At.Equal(lost[n-1].At))
}

// Last returns the last pass, nil if there was none. It does not wait.
func (k *Keeper) Last() *Pass { return k.last.Load() }

// Inspect returns a pass over s: the last one if it was over s, else a new one, which
// takes some 100 ms at 10,000 hosts, however many ask at once.
func (k *Keeper) Inspect(s *cloud.Snapshot) *Pass {
	var lost []cloud.Conflict
	if k.cloud != nil {
		lost = k.cloud.Conflicts()
	}
	if last := k.Last(); last.Holds(s, k.o.Now()) && last.saw(lost) {
		return last
	}
	k.turn.Lock()
	defer k.turn.Unlock()
	began := k.o.Now()
	if last := k.Last(); last.Holds(s, began) && last.saw(lost) {
		return last
	}
	pass := &Pass{Of: s, lost: lost}
	if k.o.Unread != nil {
		if pass.Unread = k.o.Unread(); pass.Unread != "" {
			pass.Ended, pass.Until = began, began.Add(time.Second)
			k.last.Store(pass)
			return pass
		}
	}
	pass.Report = audit.Inspect(s, audit.InspectOptions{Now: began, Conflicts: lost})
	pass.Until = pass.Report.Until
	pass.Ended = k.o.Now()
	pass.Took = pass.Ended.Sub(began)
	k.last.Store(pass)
	return pass
}

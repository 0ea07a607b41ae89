package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleConflicts is "generation conflicts".
const RuleConflicts RuleID = "g01"

// generationConflicts finds providers and consumers with conflicting writers.
func generationConflicts() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleConflicts, Title: "generation conflicts", Severity: Warning,
			Also:   "409 conflict concurrent update generation race retry",
			Why:    "Its writers get in each other's way: after one writes, what the other read is stale, so its write is refused and made again.",
			Advice: "See who writes here at the same time, and make one of them wait, or write less often.",
		},
		seen: func(a *auditor, w *Observations) {
			by := map[conflictSubject][]cloud.Conflict{}
			for _, c := range w.Conflicts {
				at := conflictSubject{c.Provider, c.Consumer}
				if at != (conflictSubject{}) && c.Revision <= a.Cloud.Revision() && w.At.Sub(c.At) < conflictWindow {
					by[at] = append(by[at], c)
				}
			}
			for _, at := range slices.SortedStableFunc(maps.Keys(by), conflictSubject.compare) {
				if lost := by[at]; len(lost) >= conflictLimit {
					a.found(Finding{
						Provider: at.provider, Consumer: at.consumer, Subject: at.name(a.Cloud),
						Text: conflictText(lost), Brief: words.Count(len(lost), "write") + " refused",
						Size: int64(bits.Len(uint(len(lost)))), Seen: w, // worse is twice as many
					})
				}
			}
		},
		people: "the writers are the problem, not the records",
	}
}

// conflictSubject is what writers conflict over: a provider or a consumer.
type conflictSubject struct {
	provider placement.ProviderID
	consumer placement.ConsumerID
}

func (c conflictSubject) compare(d conflictSubject) int {
	return cmp.Or(c.provider.Compare(d.provider), c.consumer.Compare(d.consumer))
}

func (c conflictSubject) name(s *cloud.Snapshot) string {
	if c.consumer.IsZero() {
		return s.Placement().ProviderName(c.provider)
	}
	return ops.ConsumerName(s, c.consumer)
}

// conflictText says how often, and whose, writes were refused lately.
func conflictText(lost []cloud.Conflict) string {
	var by []string
	for _, c := range lost {
		if name := cmp.Or(c.Actor, "unknown"); !slices.Contains(by, name) {
			by = append(by, name)
		}
	}
	slices.Sort(by)
	const most = 3
	if n := len(by) - most; n > 0 {
		by = append(by[:most], fmt.Sprintf("%d more", n))
	}
	first, last := lost[0].At, lost[len(lost)-1].At
	return fmt.Sprintf("%s refused since %s, the last at %s, by %s",
		words.Count(len(lost), "write"), first.UTC().Format(time.TimeOnly), last.UTC().Format(time.TimeOnly), strings.Join(by, ", "))
}

package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleRequestWithout is "request without a provider".
const RuleRequestWithout RuleID = "d06"

// requestWithout finds consumers with accelerator requests that are bound to a provider
// that Placement no longer has: it was deleted, or the card is now reported as another.
//
// Source: cyborg/objects/ext_arq.py: only unbind clears device_rp_uuid; nothing compares it
// with Placement.
func requestWithout() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleRequestWithout, Title: "request without a provider", Severity: Critical,
			Also:   "arq provider deleted gone bound",
			Why:    "A guest has a device that is counted nowhere: once the card is reported again, it is given out twice.",
			Advice: "Find out on the host which guest has the device; have the card reported again with an allocation for it, or delete the request once the guest is gone.",
		},
		reads: []cloud.Part{cloud.Deployables, cloud.ARQs},
		cloud: func(a *auditor) {
			told := map[findingKey]bool{}
			for r := range a.Cloud.Cyborg().ARQs() {
				a.anew()
				id, gone := a.goneProvider(r)
				if !gone {
					continue
				}
				f := Finding{
					Provider: id, Consumer: r.Instance, Subject: ops.ConsumerName(a.Cloud, r.Instance),
					Text:  fmt.Sprintf("accelerator request %s (%s) has a unit of provider %s, which Placement does not have", r.UUID, r.State, id),
					Brief: "a unit of " + id.String(),
				}
				if r.Instance.IsZero() {
					f.Subject = id.String()
				}
				if told[f.key()] {
					continue
				}
				a.unsettled(r.Instance, a.Cloud.HolderOf(r.Instance))
				told[f.key()] = len(a.doubts) == 0
				a.found(f)
			}
		},
		people: "only the host knows whether a guest still has the device, and which provider it is now",
	}
}

// goneProvider returns the provider of the unit that a request has, and whether Placement
// lacks it: the one that the request names, or that of the card of its attach handle.
func (a *auditor) goneProvider(r *cyborg.ARQ) (placement.ProviderID, bool) {
	if !r.State.HoldsHandle() {
		return placement.ProviderID{}, false
	}
	ids := []placement.ProviderID{r.Provider}
	if h, ok := a.Cloud.Cyborg().AttachHandle(r.AttachHandle); ok {
		if d, ok := a.Cloud.Cyborg().Deployable(h.Deployable); ok {
			ids = append(ids, d.Provider)
		}
	}
	for _, id := range ids {
		if _, ok := a.Ledger.Provider(id); !ok && !id.IsZero() {
			a.lacks(cloud.Providers)
			return id, true
		}
	}
	return placement.ProviderID{}, false
}

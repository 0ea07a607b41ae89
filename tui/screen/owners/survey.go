package owners

import (
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// survey is what a Snapshot says about owners. It is immutable.
type survey struct {
	of     *cloud.Snapshot
	owners insight.Ownership
	ready  insight.Readiness
	found  []audit.Finding                          // about owners
	byRoot map[placement.ProviderID][]audit.Finding // the same, by host
	cards  int                                      // providers with accelerators
	roots  int                                      // those of them that are compute nodes themselves
}

// gather surveys a Snapshot; it runs off the event loop.
func gather(env screen.Env, s *cloud.Snapshot) *survey {
	v := &survey{of: s, owners: insight.Owners(s), found: audit.AboutOwners(env.Inspect(s).Open())}
	v.ready = insight.ReadinessOf(s, v.owners, env.Now())
	v.byRoot = audit.ByRoot(s, v.found)
	for _, t := range v.owners.Owners {
		v.cards += t.Providers
	}
	for _, h := range v.owners.Hosts {
		for _, c := range h.Cards {
			if c.Provider == h.Root {
				v.roots++
			}
		}
	}
	return v
}

// words says how many cards there are, and apart from them, how many compute nodes have
// accelerators of their own.
func (v *survey) words() string {
	text := component.Plural(v.cards-v.roots, "card")
	if v.roots > 0 {
		text += " + " + component.Plural(v.roots, "root")
	}
	return text
}

// clean reports whether there is nothing to say about a host.
func (v *survey) clean(h insight.HostOwners) bool { return !h.Mixed && len(v.byRoot[h.Root]) == 0 }

package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Readiness says how far a cloud is on its way to the owner filter: what must hold
// before it is enforced, what keeps it from that, and what would happen today.
type Readiness struct {
	Gate   nova.Gate
	Form   nova.OwnerFilter // the setting of the cloud; nova.OwnerOff if the filter is switched off
	OffBy  string           // which settings switch it off; "" if it is on
	Basis  string           // for a live cloud, whether Form is the operator's or assumed; else ""
	Checks []Check          // one of each kind, in the order of CheckIDs
	Cells  []CellVersions   // as in Gate.Cells
	Holds  []GateService    // that hold the gate closed, the oldest first, then those that are not asked
	unread string           // why services of a live cloud are not known; "" if all are
}

// CellVersions are the versions of nova-compute in a cell.
type CellVersions struct {
	nova.GateCell
	Versions []VersionCount `json:"versions"` // of those asked, the newest first
}

// VersionCount is how many nova-compute services of a cell report a version.
type VersionCount struct {
	Version int      `json:"version"`
	Judged  bool     `json:"judged,omitempty"` // not reported: see nova.Service
	Hosts   []string `json:"hosts"`            // that they run on, by name
}

// Words returns the version in a word.
func (v VersionCount) Words() string { return nova.VersionWords(v.Version, v.Judged) }

// GateService is a nova-compute that holds the gate closed, or is not asked.
type GateService struct {
	*nova.Service
	State HoldState
	Why   string               // all that is so of it, in words: its version, disabled, silent, never seen up
	Root  placement.ProviderID // of its host; zero if there is none
	Rule  audit.RuleID         // that finds it; empty if none does
}

// HoldState is the effect of a nova-compute on the gate.
type HoldState string

// The states.
const (
	HoldsOld      HoldState = "old"       // it holds the gate until it is upgraded
	HoldsUnheard  HoldState = "unheard"   // the same, and it has never reported
	HoldsDisabled HoldState = "disabled"  // the same, and it is disabled
	HoldsSilent   HoldState = "silent"    // the same, and it reports no more
	NotAsked      HoldState = "not asked" // it does not hold the gate
)

// Dead reports whether no upgrade will reach a service that holds the gate: it has
// gone silent, or is disabled. Its record counts until it is deleted or the service is
// forced down.
func (s HoldState) Dead() bool { return s == HoldsDisabled || s == HoldsSilent }

// holdState returns the state of a service at time now; aside is why it does not count,
// "" if it does.
func holdState(svc *nova.Service, aside string, now time.Time) HoldState {
	switch {
	case aside != "":
		return NotAsked
	case (svc.LastSeenUp > 0 || svc.Told != "") && svc.Silent(now):
		return HoldsSilent
	case svc.Disabled:
		return HoldsDisabled
	case svc.LastSeenUp == 0 && svc.Told == "":
		return HoldsUnheard
	default:
		return HoldsOld
	}
}

// CheckID names a kind of Check.
type CheckID string

// The checks.
const (
	CheckTraits   CheckID = "traits"   // the owner traits are known
	CheckComputes CheckID = "computes" // all nova-compute services are new enough
	CheckRoots    CheckID = "roots"    // compute nodes have OWNER_NOVA
	CheckOverlap  CheckID = "overlap"  // no card is claimed by both services
	CheckUnowned  CheckID = "unowned"  // nothing has no owner, and so leaves all requests
	CheckMixed    CheckID = "mixed"    // no request of Nova's may be given a card of Cyborg's
)

// CheckIDs returns the checks in order.
func CheckIDs() []CheckID {
	return []CheckID{CheckTraits, CheckComputes, CheckRoots, CheckOverlap, CheckUnowned, CheckMixed}
}

// CheckState says how a Check came out.
type CheckState uint8

// The states, the best first.
const (
	CheckMet     CheckState = iota
	CheckUnknown            // unknown: Nova is not connected, or there is nothing to check
	CheckWaiting            // it comes by itself as the upgrade goes on
	CheckWarning            // something is lost, or may be
	CheckBroken             // an operator must decide
)

// String returns "met", "unknown", "waiting", "warning" or "broken".
func (s CheckState) String() string {
	return [...]string{"met", "unknown", "waiting", "warning", "broken"}[s]
}

// MarshalText implements encoding.TextMarshaler.
func (s CheckState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Check is one thing that must hold before the owner filter can work.
type Check struct {
	ID    CheckID    `json:"check"`
	Title string     `json:"title"` // a few words
	State CheckState `json:"state"`
	// Done of All are as they should be; both are 0 if nothing is counted.
	Done    int          `json:"done"`
	All     int          `json:"all"`
	Text    string       `json:"what"`           // what is so, with names, in one line
	Brief   string       `json:"-"`              // Text without names, in a few words; empty if it is as short
	Rule    audit.RuleID `json:"rule,omitempty"` // whose findings are behind it; empty for none
	Subject string       `json:"-"`              // of the first of them; empty if there is none
}

// Short returns what the check says in the fewest words.
func (c Check) Short() string { return cmp.Or(c.Brief, c.Text) }

// ReadinessOf says how ready s is for the owner filter at time now; o is the result of
// Owners for s.
func ReadinessOf(s *cloud.Snapshot, o Ownership, now time.Time) Readiness {
	a := survey.New(s)
	r := Readiness{Gate: s.Nova().Gate()}
	if read := s.Reading(cloud.Services); read.Gap() != "" && !read.Without {
		r.unread = string(read.Part) + ": " + read.Gap()
	}
	r.Form, r.OffBy = s.Nova().Config().OwnerInForce()
	r.Basis = s.Nova().Config().Basis(nova.OptionOwnerFilter)
	g := gateReading{View: a, out: &r, owners: o, now: now}
	g.cells()
	g.holds()
	for _, id := range CheckIDs() {
		c := g.check(id)
		c.ID = id
		r.Checks = append(r.Checks, c)
	}
	return r
}

// Check returns the check of a kind; the zero value for an unknown id.
func (r Readiness) Check(id CheckID) Check {
	for _, c := range r.Checks {
		if c.ID == id {
			return c
		}
	}
	return Check{}
}

// Enforced reports whether requests ask for their owner today: the gate is open, and
// the filter is on.
func (r Readiness) Enforced() bool { return r.Gate.Open && r.OffBy == "" }

// Words says the state of the gate in a sentence, and that the filter is off if it is.
func (r Readiness) Words() string {
	words := r.Gate.Words()
	switch {
	case r.unread != "" && r.Gate.Minimum == 0:
		words = "not known: " + r.unread
	case r.unread != "":
		words += "; not judged about all: " + r.unread
	}
	if r.OffBy != "" {
		words += "; the owner filter is off: " + r.OffBy
	}
	if r.Basis != "" {
		words += "; " + r.Basis
	}
	return words
}

// gateReading works out how far the upgrade is.
type gateReading struct {
	*survey.View
	out    *Readiness
	owners Ownership
	now    time.Time
}

// cells counts the versions of each cell.
func (g *gateReading) cells() {
	type version struct {
		number int
		judged bool
	}
	hosts := map[string]map[version][]string{}
	aside := map[*nova.Service]bool{}
	for _, h := range g.out.Gate.Unasked {
		aside[h.Service] = true
	}
	for svc := range g.Cloud.Nova().Services() {
		if svc.Binary != nova.Compute || aside[svc] {
			continue
		}
		of := hosts[svc.Cell]
		if of == nil {
			of = map[version][]string{}
			hosts[svc.Cell] = of
		}
		is := version{svc.Version, svc.Judged}
		of[is] = append(of[is], svc.Host)
	}
	for _, c := range g.out.Gate.Cells {
		out := CellVersions{GateCell: c, Versions: []VersionCount{}}
		for is, names := range hosts[c.Name] {
			slices.Sort(names)
			out.Versions = append(out.Versions, VersionCount{is.number, is.judged, names})
		}
		slices.SortStableFunc(out.Versions, func(x, y VersionCount) int {
			return cmp.Or(y.Version-x.Version, strings.Compare(x.Hosts[0], y.Hosts[0])) // of the same number, one may be reported and one judged
		})
		g.out.Cells = append(g.out.Cells, out)
	}
}

// holds lists the services that hold the gate, and those that do not count.
func (g *gateReading) holds() {
	rules := map[string]audit.RuleID{} // by host
	for _, f := range audit.FindBy(g.Cloud, audit.RuleOldService, audit.RuleDeadService) {
		rules[f.Service] = f.Rule
	}
	for _, h := range slices.Concat(g.out.Gate.Holds, g.out.Gate.Unasked) {
		out := GateService{Service: h.Service, State: holdState(h.Service, h.Aside, g.now), Why: h.Why(g.now), Rule: rules[h.Service.Host]}
		if root, ok := g.HostProvider(h.Service.Host); ok {
			out.Root = root.ID()
		}
		g.out.Holds = append(g.out.Holds, out)
	}
}

// mostNames is how many names the text of a check mentions.
const mostNames = 4

// named returns the first names, and how many more there are.
func named(names []string) string {
	text := strings.Join(names[:min(len(names), mostNames)], " ")
	if more := len(names) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// names returns the names of providers.
func (g *gateReading) names(ids []placement.ProviderID) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if p, ok := g.Ledger.Provider(id); ok {
			out = append(out, p.Name())
		}
	}
	return out
}

package nova

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// VersionOwnerNova is the service version from which on a nova-compute puts OWNER_NOVA
// on its providers: the owner filter waits until all have it.
//
// Source: nova/objects/service.py, SERVICE_VERSION_HISTORY.
const VersionOwnerNova = 73

// ServiceVersion is the version of the nova-compute services that this program acts
// as.
const ServiceVersion = 73

// Gate is the state of the gate that keeps the owner filter from being applied.
type Gate struct {
	Minimum int  // version over all nova-compute services that are asked; 0 if there is none
	Need    int  // VersionOwnerNova
	Open    bool // all services have reported that they are at Need or later
	Judged  bool // no service told its version: they are judged by OWNER_NOVA on their providers
	Cells   []GateCell
	Holds   []GateHold // the services that hold it closed, the oldest first
	Unasked []GateHold // services whose version is not asked
}

// GateCell is what a cell adds to a Gate.
type GateCell struct {
	Name     string `json:"cell"`     // "" for services of no cell
	Down     bool   `json:"down"`     // it does not answer, so it is not asked
	Services int    `json:"services"` // of binary nova-compute
	Asked    int    `json:"asked"`    // of these
	Old      int    `json:"old"`      // of those asked, below what is needed
	Min      int    `json:"-"`        // version over those asked; 0 if there is none
	Max      int    `json:"-"`
}

// GateHold is a service that holds the gate closed, or is not asked, and why.
type GateHold struct {
	Service *Service
	Aside   string // why it is not asked; "" if it is
}

// Gate returns the state of the gate of the owner filter.
//
// Source: nova/objects/service.py, get_minimum_version_all_cells.
func (s *Snapshot) Gate() Gate {
	g := Gate{Minimum: s.MinimumVersion(Compute), Need: VersionOwnerNova}
	cells, oldest := map[string]*GateCell{}, s.oldest(Compute)
	for c := range s.Cells() {
		cells[c.Name] = &GateCell{Name: c.Name, Down: c.Down}
	}
	for svc := range s.Services() {
		if svc.Binary != Compute {
			continue
		}
		c, ok := cells[svc.Cell]
		if !ok {
			c = &GateCell{Name: svc.Cell}
			cells[svc.Cell] = c
		}
		c.Services++
		if aside := s.aside(svc, oldest); aside != "" {
			g.Unasked = append(g.Unasked, GateHold{Service: svc, Aside: aside})
			continue
		}
		c.count(svc.Version)
		g.Judged = g.Judged || svc.Judged
		if svc.Version < g.Need {
			c.Old++
			g.Holds = append(g.Holds, GateHold{Service: svc})
		}
	}
	g.Open = g.Minimum >= g.Need && !g.Judged
	slices.SortStableFunc(g.Holds, func(a, b GateHold) int { return a.Service.Version - b.Service.Version })
	for _, name := range sortedKeys(cells) {
		g.Cells = append(g.Cells, *cells[name])
	}
	return g
}

func (c *GateCell) count(version int) {
	if c.Asked == 0 || version < c.Min {
		c.Min = version
	}
	c.Max = max(c.Max, version)
	c.Asked++
}

// Inferred reports whether the gate looks open, but by traits alone: anybody may have set
// them, so nothing may be decided by it.
func (g Gate) Inferred() bool { return g.Judged && g.Minimum >= g.Need }

// Brief says the state of the gate in a few words.
func (g Gate) Brief() string {
	switch {
	case g.Inferred():
		return "not known, open as inferred from traits"
	case g.Judged:
		return fmt.Sprintf("closed, inferred from traits, %d %s", len(g.Holds), g.HoldWords())
	case g.Open:
		return fmt.Sprintf("open at %d", g.Minimum)
	}
	return fmt.Sprintf("closed at %d, need %d, %d %s", g.Minimum, g.Need, len(g.Holds), g.HoldWords())
}

// Words says the state of the gate in a sentence.
func (g Gate) Words() string {
	switch {
	case g.Inferred():
		return fmt.Sprintf("not known, open as inferred from traits: every nova-compute has OWNER_NOVA on its providers, as from %d on, but others may have set it", g.Need)
	case g.Judged:
		return fmt.Sprintf("closed, inferred from traits: %s, so older than %d", lacking(len(g.Holds)), g.Need)
	case g.Open:
		return fmt.Sprintf("open: all nova-compute services are at %d or later", g.Need)
	case g.Minimum == 0:
		return fmt.Sprintf("closed: no nova-compute service reports its version, need %d", g.Need)
	}
	services := "service"
	if len(g.Holds) != 1 {
		services = "services"
	}
	return fmt.Sprintf("closed: minimum %s, need %d; %d %s %s", ReleaseOf(g.Minimum), g.Need, len(g.Holds), services, g.HoldWords())
}

// HoldWords ends the phrase about how many services hold the gate closed: "hold it".
func (g Gate) HoldWords() string {
	if len(g.Holds) == 1 {
		return "holds it"
	}
	return "hold it"
}

func lacking(n int) string {
	if n == 1 {
		return "1 service lacks OWNER_NOVA on its providers"
	}
	return fmt.Sprintf("%d services lack OWNER_NOVA on their providers", n)
}

// Why says why the service holds the gate, or why it is not asked, at time now. A
// service that is disabled, or has been silent for years, still counts, and is named
// as the one to delete or to force down.
func (h GateHold) Why(now time.Time) string {
	if h.Aside != "" {
		return h.Aside
	}
	why := []string{"old: " + h.Service.Release()}
	if h.Service.Disabled {
		reason := "disabled"
		if h.Service.DisabledReason != "" {
			reason += " (" + h.Service.DisabledReason + ")"
		}
		why = append(why, reason)
	}
	switch seen := h.Service.SeenAt(); {
	case h.Service.Told != "":
		if h.Service.Told != ServiceUp {
			why = append(why, string(h.Service.Told))
		}
	case seen.IsZero():
		why = append(why, "never seen up")
	case h.Service.Silent(now):
		why = append(why, "silent since "+seen.Format("2006-01-02 15:04"))
	}
	return strings.Join(why, ", ")
}

// Milestone is a version of nova-compute at which something changed.
type Milestone struct {
	Version int
	Release string // "" for one within a release
	What    string // "" if nothing but the release is known by it
}

// milestones are in order of version.
//
//nolint:gochecknoglobals // a table that nothing writes
var milestones = [...]Milestone{
	{10, "", "compute nodes report inventories"},
	{22, "", "computes no longer heal allocations"},
	{23, "", "migrations hold the source's allocations"},
	{50, "", "accelerators"},
	{52, "Victoria", ""},
	{54, "Wallaby", "rebuild and shelve with accelerators"},
	{57, "Xena", ""},
	{61, "Yoga", ""},
	{64, "Zed", ""},
	{66, "Antelope/Bobcat/Caracal", ""},
	{67, "Dalmatian", ""},
	{68, "Epoxy", ""},
	{70, "Flamingo", ""},
	{72, "Gazpacho", ""},
	{VersionOwnerNova, "Hibiscus", "OWNER_NOVA on providers"},
}

// Milestones returns the named versions of nova-compute, in order.
//
// Source: nova/objects/service.py, SERVICE_VERSION_HISTORY and
// SERVICE_VERSION_ALIASES.
func Milestones() []Milestone { return slices.Clone(milestones[:]) }

// Remarks returns what Validate accepts but was probably not meant: a version newer
// than all known ones. A mistyped one stays until the service starts again.
func (s *Service) Remarks() []string {
	newest := milestones[len(milestones)-1].Version
	if s.Version <= newest || s.Judged {
		return nil
	}
	return []string{fmt.Sprintf("%s on %s has version %d, but the newest version known here is %s: if that is a mistake, only the service itself can correct it, when it next starts", s.Binary, s.Host, s.Version, ReleaseOf(newest))}
}

// VersionWords returns a version as a word: "66", "?" if it never reported one, "<73" or
// "73+" if it is not reported and judged from other signs.
func VersionWords(version int, judged bool) string {
	switch {
	case version == 0:
		return "?"
	case judged && version < VersionOwnerNova:
		return "<" + strconv.Itoa(VersionOwnerNova)
	case judged:
		return strconv.Itoa(VersionOwnerNova) + "+"
	}
	return strconv.Itoa(version)
}

// Release returns the version of s with the name of its release, or what it is judged to
// be if it is not reported.
func (s *Service) Release() string {
	switch {
	case s.Judged && s.Version < VersionOwnerNova:
		return fmt.Sprintf("before %d, as OWNER_NOVA is not on its providers", VersionOwnerNova)
	case s.Judged:
		return fmt.Sprintf("%d or later, as OWNER_NOVA is on its providers", VersionOwnerNova)
	}
	return ReleaseOf(s.Version)
}

// ReleaseOf returns a version with the name of its release, such as "Zed (64)"; one
// between two releases is "after Zed (65)".
func ReleaseOf(version int) string {
	name := "before Victoria"
	for _, m := range milestones {
		switch {
		case m.Release == "" || m.Version > version:
		case m.Version == version:
			name = m.Release
		default:
			name = "after " + m.Release
		}
	}
	return fmt.Sprintf("%s (%d)", name, version)
}

package pulses

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// stand is a line about the state of Nova and Cyborg: the gate of the owner filter, the
// instances, what waits for a person, what has failed.
type stand struct {
	name, text string
	severity   style.Severity // none for the usual state
	to         place.Place
}

// mark leaves out the sign that all is well: there are enough of them elsewhere.
func (s stand) mark() style.Severity {
	if s.severity == style.SeverityOK {
		return style.SeverityNone
	}
	return s.severity
}

func standColumns() list.Columns {
	return list.Show("name=:10 text=:20+1", "", list.Cells[stand]{
		"name": list.TextCell(themes.Dim, func(s stand, _ list.At) string { return s.name }),
		"text": func(l *component.Line, s stand, _ list.At) { l.Add(cmp.Or(s.severity.Token(), themes.Text), s.text) },
	})
}

// stands returns these lines: if what one counts is unknown, it says why.
func stands(f *facts, _ list.At) []stand {
	if f.of == nil {
		return nil
	}
	is, count := f.standing, component.Count[int]
	known := func(none bool, part cloud.Part, of stand) stand {
		if why := unreadOf(f.of, part); none && why != "" {
			of.text, of.severity = why, style.SeverityWarn
		}
		return of
	}
	tagged := stand{name: "OWNER_NOVA", text: count(f.rollout.tagged) + "/" + count(f.rollout.computes) + " computes", to: place.Providers{Filter: "trait:COMPUTE_NODE !owner=nova"}}
	if f.rollout.tagged < f.rollout.computes {
		tagged.severity = style.SeverityWarn
	}
	if f.rollout.mixed > 0 {
		tagged.text += "  " + count(f.rollout.mixed) + " mixed"
	}
	arqs := stand{name: "ARQs", text: count(is.AllARQs()) + ", none failed", to: place.ARQs{}}
	if failed := is.FailedARQs(); failed > 0 {
		arqs = stand{"ARQs", count(failed) + " of " + count(is.AllARQs()) + " failed", style.SeverityCritical, place.ARQs{Filter: "state:failed"}}
	}
	return []stand{
		known(f.gate.Minimum == 0, cloud.Services, f.gateStand()), tagged,
		known(is.AllInstances() == 0, cloud.Instances, f.instanceStand()),
		known(is.Waiting+is.UnderWay+is.Broken == 0, cloud.Migrations, f.moveStand()),
		known(is.AllARQs() == 0, cloud.ARQs, arqs),
	}
}

// unreadOf says that a part of the cloud was not read, or not all of it, "" if it was.
func unreadOf(s *cloud.Snapshot, part cloud.Part) string {
	switch read := s.Reading(part); {
	case read.Why != "":
		return string(part) + " not read"
	case read.Cut != "":
		return "not all " + string(part) + " read"
	}
	return ""
}

// gateStand says whether the owner filter is enforced.
func (f *facts) gateStand() stand {
	out := stand{"gate", "", style.SeverityWarn, place.Owners{}}
	switch {
	case f.gate.Open && f.off:
		out.text = "open, the filter is off"
	case f.gate.Open:
		out.text, out.severity = "open", style.SeverityOK
	case f.gate.Inferred():
		out.text = "not known, open as inferred"
	case f.gate.Minimum == 0:
		out.text, out.severity = "closed, no nova-compute", style.SeverityNone
	default:
		asked := 0 // of the services that count
		for _, c := range f.gate.Cells {
			asked += c.Asked
		}
		out.text = fmt.Sprintf("closed, %s of %s %s", component.Count(len(f.gate.Holds)), component.Count(asked), f.gate.HoldWords())
	}
	return out
}

// instanceStand counts instances by state: bad states first, then the most frequent.
func (f *facts) instanceStand() stand {
	out, all := stand{name: "instances", text: "none", to: place.Instances{}}, f.standing.Instances
	var parts []string
	for _, state := range slices.SortedFunc(maps.Keys(all), func(a, b nova.VMState) int { return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b)) }) {
		if part := component.Count(all[state]) + " " + string(state); state == nova.Broken {
			parts = slices.Insert(parts, 0, part)
		} else {
			parts = append(parts, part)
		}
	}
	if len(parts) > 0 {
		out.text = strings.Join(parts, "  ")
	}
	if all[nova.Broken] > 0 {
		out.severity = style.SeverityCritical
	}
	return out
}

// moveStand says which moves wait for a person, problems first. The words are short, so
// that all three fit beside the owners at 80 cells.
func (f *facts) moveStand() stand {
	s, out := f.standing, stand{name: "moves", to: place.Migrations{}}
	for _, of := range []struct {
		n    int
		word string
	}{{s.Broken, "failed"}, {s.Waiting, "wait"}, {s.UnderWay, "run"}} {
		if of.n > 0 {
			out.text += "  " + component.Count(of.n) + " " + of.word
		}
	}
	out.text = cmp.Or(strings.TrimSpace(out.text), "none pending")
	switch {
	case s.Broken > 0:
		out.severity = style.SeverityCritical
	case s.Waiting > 0:
		out.severity = style.SeverityWarn
	}
	return out
}

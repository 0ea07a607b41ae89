package pulses

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// standCount is how many lines show the state of Nova and Cyborg.
const standCount = 5

// stands returns the names of these lines.
func stands() [standCount]string {
	return [standCount]string{"gate", "OWNER_NOVA", "instances", "moves", "ARQs"}
}

// activityLine is one of these lines.
type activityLine struct {
	text     string
	severity style.Severity // none for the usual state
}

// stand returns a line: if what it counts is unknown, it says why.
func (s *Screen) stand(i int) activityLine {
	is := s.facts.standing
	none := [standCount]bool{0: s.facts.gate.Minimum == 0, 2: is.AllInstances() == 0, 3: is.Waiting+is.UnderWay+is.Broken == 0, 4: is.AllARQs() == 0}
	part := [standCount]cloud.Part{0: cloud.Services, 2: cloud.Instances, 3: cloud.Migrations, 4: cloud.ARQs}[i]
	if why := s.unreadOf(part); none[i] && why != "" {
		return activityLine{why, style.SeverityWarn}
	}
	return s.facts.stand(i)
}

// unreadOf says that a part of the cloud was not read, or not all of it, "" if it was.
func (s *Screen) unreadOf(part cloud.Part) string {
	switch read := s.snap.Reading(part); {
	case read.Why != "":
		return string(part) + " not read"
	case read.Cut != "":
		return "not all " + string(part) + " read"
	}
	return ""
}

// stand returns a line about what is known.
func (f *facts) stand(i int) activityLine {
	count := func(n int) string { return component.Count(n) }
	switch i {
	case 0:
		return f.gateStand()
	case 1:
		out := activityLine{text: count(f.rollout.tagged) + "/" + count(f.rollout.computes) + " computes"}
		if f.rollout.tagged < f.rollout.computes {
			out.severity = style.SeverityWarn
		}
		return out
	case 2:
		return f.instanceStand()
	case 3:
		return f.moveStand()
	default:
		failed := f.standing.FailedARQs()
		if failed == 0 {
			return activityLine{text: count(f.standing.AllARQs()) + ", none failed"}
		}
		return activityLine{count(failed) + " of " + count(f.standing.AllARQs()) + " failed", style.SeverityCritical}
	}
}

// gateStand says whether the owner filter is enforced.
func (f *facts) gateStand() activityLine {
	switch {
	case f.gate.Open && f.off:
		return activityLine{"open, the filter is off", style.SeverityWarn}
	case f.gate.Open:
		return activityLine{"open", style.SeverityOK}
	case f.gate.Inferred():
		return activityLine{"not known, open as inferred", style.SeverityWarn}
	case f.gate.Minimum == 0:
		return activityLine{text: "closed, no nova-compute"}
	}
	return activityLine{fmt.Sprintf("closed, %s of %s %s", component.Count(len(f.gate.Holds)), component.Count(f.asked()), f.gate.HoldWords()), style.SeverityWarn}
}

// asked returns how many nova-compute services count for the gate.
func (f *facts) asked() int {
	n := 0
	for _, c := range f.gate.Cells {
		n += c.Asked
	}
	return n
}

// instanceStand counts instances by state: bad states first, then the most frequent.
func (f *facts) instanceStand() activityLine {
	all := f.standing.Instances
	if len(all) == 0 {
		return activityLine{text: "none"}
	}
	states := make([]nova.VMState, 0, len(all))
	for state := range all {
		states = append(states, state)
	}
	wrong := func(s nova.VMState) int {
		if s == nova.Broken {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(states, func(a, b nova.VMState) int {
		return cmp.Or(cmp.Compare(wrong(a), wrong(b)), cmp.Compare(all[b], all[a]), cmp.Compare(a, b))
	})
	out := activityLine{}
	for i, state := range states {
		if i > 0 {
			out.text += "  "
		}
		out.text += component.Count(all[state]) + " " + string(state)
	}
	if all[nova.Broken] > 0 {
		out.severity = style.SeverityCritical
	}
	return out
}

// moveStand says which moves wait for a person, problems first. The words are short, so
// that all three fit beside the owners at 80 cells.
func (f *facts) moveStand() activityLine {
	s := f.standing
	var parts []string
	add := func(n int, word string) {
		if n > 0 {
			parts = append(parts, component.Count(n)+" "+word)
		}
	}
	add(s.Broken, "failed")
	add(s.Waiting, "wait")
	add(s.UnderWay, "run")
	out := activityLine{text: strings.Join(parts, "  ")}
	switch {
	case len(parts) == 0:
		out.text = "none pending"
	case s.Broken > 0:
		out.severity = style.SeverityCritical
	case s.Waiting > 0:
		out.severity = style.SeverityWarn
	}
	return out
}

// standTarget returns where enter leads from a line.
func (s *Screen) standTarget(i int) place.Place {
	switch i {
	case 0:
		return place.Owners{}
	case 1:
		return place.Providers{Filter: "trait:COMPUTE_NODE !owner=nova"}
	case 2:
		return place.Instances{}
	case 3:
		return place.Migrations{}
	default:
		var to place.ARQs
		if s.facts.standing.FailedARQs() > 0 {
			to.Filter = "state:failed"
		}
		return to
	}
}

// standingLines draws the state of Nova and Cyborg: the gate of the owner filter, the
// instances, what waits for a person, what has failed.
func (s *Screen) standingLines(w int) []string {
	l := component.NewLine(s.env.Styles, w)
	var out []string
	for i, name := range stands() {
		one := s.stand(i)
		token := one.severity.Token()
		if one.severity == style.SeverityNone {
			token = themes.Text
		}
		l.Reset(w).Select(s.pane == standing && s.cursor[standing] == i)
		l.Mark(mark(one.severity)).Space(1)
		l.Column(11, themes.Dim, name).Add(token, one.text)
		out = append(out, l.String())
	}
	return out
}

// mark leaves out the sign that all is well: there are enough of them elsewhere.
func mark(v style.Severity) style.Severity {
	if v == style.SeverityOK {
		return style.SeverityNone
	}
	return v
}

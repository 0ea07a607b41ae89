package services

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// service is a row: a service, and what it means for the gate.
type service struct {
	*nova.Service
	hold *nova.GateHold // nil if it neither holds the gate nor is left out
	all  *nova.Gate     // of the row's Snapshot
}

// services returns all services, by host and binary.
func services(ctx context.Context, snap *cloud.Snapshot) []*service {
	gate := snap.Nova().Gate()
	holds := map[*nova.Service]*nova.GateHold{}
	for _, list := range [][]nova.GateHold{gate.Holds, gate.Unasked} {
		for i := range list {
			holds[list[i].Service] = &list[i]
		}
	}
	all := make([]*service, 0, snap.Nova().ServiceCount())
	for s := range snap.Nova().Services() {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			return all
		}
		all = append(all, &service{s, holds[s], &gate})
	}
	return all
}

// holding reports whether the service holds the gate.
func (s *service) holding() bool { return s.hold != nil && s.hold.Aside == "" }

// dead reports whether a service that holds the gate will probably never be upgraded: it
// is disabled, or has not been seen for long.
func (s *service) dead(at list.At) bool { return s.holding() && (s.Disabled || s.silent(at)) }

// silent reports whether a service that has reported no longer does. One that never did,
// as in a cloud in which no service runs, is not known to be down.
func (s *service) silent(at list.At) bool {
	return (s.LastSeenUp != 0 || s.Told != "") && s.Silent(at.Now)
}

// standing returns whether a service is up, and what was done about it.
func (s *service) standing(at list.At) (string, themes.Token) {
	token := themes.OK
	switch state := s.State(at.Now); {
	case s.Disabled || s.ForcedDown || state == nova.ServiceUnheard:
		token = themes.Dim
	case state == nova.ServiceDown:
		token = themes.Critical
	}
	return kinds.ServiceState(s.Service, at.Now), token
}

// gate returns in a word what the service means for the gate, and in a few words what to
// do about it.
func (s *service) gate(at list.At) (word, more string) {
	switch {
	case s.hold == nil:
		return "", ""
	case !s.holding():
		return "not asked", s.hold.Aside
	case s.dead(at):
		return "holds", "dead record"
	}
	return "holds", "upgrade it"
}

// drawRelease draws the name of the release; where several share a version and there is
// no room for all of them, the last one.
func drawRelease(l *component.Line, s *service, _ list.At) {
	text := kinds.ReleaseOf(s.Service)
	last := text
	if i := strings.LastIndex(text, "/"); i >= 0 {
		last = "<= " + text[i+1:]
	}
	l.AddFitting(themes.Dim, text, last)
}

// drawGate draws what the service means for the gate, and what to do about it if there is
// room.
func (s *service) drawGate(l *component.Line, at list.At) {
	word, more := s.gate(at)
	l.Add(s.gateToken(at), word)
	if room := component.Width(l.Styles(), more) + 2; word != "" && room <= l.Left() {
		l.Add(s.gateToken(at), ": "+more)
	}
}

// gateToken returns the colour for what a service means for the gate.
func (s *service) gateToken(at list.At) themes.Token {
	switch {
	case s.dead(at):
		return themes.Critical
	case s.holding():
		return themes.Warn
	}
	return themes.Dim
}

// severity marks services that hold the gate, dead ones as worst, and those that are
// down.
func (s *service) severity(at list.At) style.Severity {
	switch {
	case s.dead(at):
		return style.SeverityCritical
	case s.holding():
		return style.SeverityWarn
	case !s.Disabled && !s.ForcedDown && s.silent(at):
		return style.SeverityWarn
	}
	return style.SeverityNone
}

// drawCell draws what a cell adds to the gate.
func drawCell(l *component.Line, c nova.GateCell) {
	name := c.Name
	if name == "" {
		name = "no cell"
	}
	l.Add(themes.Strong, name).Space(1)
	switch {
	case c.Down:
		l.Add(themes.Critical, "does not answer")
	case c.Asked == 0:
		l.Add(themes.Dim, "nothing to ask")
	case c.Old > 0:
		l.Add(themes.Warn, fmt.Sprintf("%d of %d old, from %s", c.Old, c.Asked, nova.ReleaseOf(c.Min)))
	default:
		l.Add(themes.OK, fmt.Sprintf("%d at %s", c.Asked, nova.ReleaseOf(c.Min)))
	}
	if left := c.Services - c.Asked; left > 0 && !c.Down {
		l.Add(themes.Dim, fmt.Sprintf(", %d not asked", left))
	}
}

// more says why a service holds the gate, and what ends that.
func more(s *service, a list.Area) []string {
	var lines []string
	if s.hold != nil {
		head := " holds the gate  "
		if !s.holding() {
			head = " does not hold the gate  "
		}
		lines = append(lines, a.Line().Add(s.gateToken(a.At), head).Add(themes.Text, s.hold.Why(a.Now)).String())
	}
	if todo := s.todo(a.At); todo != "" {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " try: "+todo))
	}
	known := nova.Milestones()
	at := slices.IndexFunc(known, func(m nova.Milestone) bool { return m.Version > s.Version })
	if s.Binary == nova.Compute && at >= 0 && s.Version > 0 {
		var lacks []string
		for _, m := range known[at:] {
			if m.What != "" {
				lacks = append(lacks, m.What)
			}
		}
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " it does not have yet: "+strings.Join(lacks, "; ")))
	}
	return lines
}

// todo returns what makes the service stop holding the gate, "" if it does not hold it.
func (s *service) todo(at list.At) string {
	switch {
	case s.dead(at):
		return "delete the record of this service, or force it down: dead services hold the gate too"
	case s.holding():
		return "upgrade nova-compute on " + s.Host + " to " + nova.ReleaseOf(nova.VersionOwnerNova)
	}
	return ""
}

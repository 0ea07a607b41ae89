package owners

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// host is a row of the hosts with accelerators.
type host struct {
	insight.HostOwners
	blocked string // the problem in a few words, "" for none
	worst   style.Severity
	trouble audit.Finding // the worst problem; zero for none
}

// hostsOf returns the hosts of a survey; clean ones only with all. Being mixed blocks
// nothing by itself: if the owner filter lets Nova's requests take Cyborg's cards, a rule
// finds that.
func hostsOf(v *survey, all bool) []*host {
	var rows []*host
	for _, h := range v.owners.Hosts {
		found := v.byRoot[h.Root]
		if v.clean(h) && !all {
			continue
		}
		row := &host{HostOwners: h, worst: panel.Worst(found)}
		var words []string
		for _, f := range found {
			if word := blockedBy(f.Rule, v.ready.Form); !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		if len(found) > 0 {
			row.trouble = slices.MaxFunc(found, func(x, y audit.Finding) int { return cmp.Compare(x.Severity, y.Severity) })
		}
		row.blocked = strings.Join(words, ", ")
		rows = append(rows, row)
	}
	return rows
}

// blockedBy names a rule in a few words, with the form of the owner filter that makes a
// mixed host matter.
func blockedBy(rule audit.RuleID, form nova.OwnerFilter) string {
	r, _ := audit.RuleByID(rule)
	switch {
	case rule != audit.RuleMixedHost:
		return r.Title
	case form == nova.OwnerOnRoot:
		return r.Title + ": form root"
	default:
		return r.Title + ": filter off"
	}
}

// owners appends the words for the owners of a host's cards.
func (h *host) owners(_ list.At, words []string) []string {
	for _, c := range h.Cards {
		if w := c.Owner.String(); !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// hosts is the list of hosts with the owner of every card.
func (s *Screen) hosts() *list.Screen {
	return list.New(list.Spec[*host]{
		Name: "owner-hosts", Thing: "host",
		Rows: func(context.Context, *cloud.Snapshot) []*host { return hostsOf(s.data.Load(), s.all.Load()) },
		ID:   func(h *host) string { return h.Root.String() },
		Text: func(h *host) string { return h.Name + " " + h.blocked },
		Columns: list.Show("host:8-30+1 version=VER> root cards:20-100+3 users=N_/_C:7> blocked=BLOCKED_BY:12-60+3", "version users blocked root", list.Cells[*host]{
			"version": drawVersion,
			"root":    list.OwnerCell(func(h *host, _ list.At) (placement.Owner, bool) { return h.Owner, true }),
			"cards":   func(l *component.Line, h *host, _ list.At) { drawCards(l, h.Cards) },
			"users": list.TextCell(themes.Text, func(h *host, _ list.At) string {
				return fmt.Sprintf("%d / %d", h.Nova, h.Cyborg)
			}),
			"blocked": func(l *component.Line, h *host, _ list.At) {
				if h.blocked == "" {
					l.Add(themes.Faint, "-")
					return
				}
				l.Add(h.worst.Token(), h.blocked)
			},
		}),
		Orders: []list.Order[*host]{
			{Name: "worst", Column: "blocked", Key: func(h *host, _ list.At) list.Key { return list.Key{Number: -float64(h.worst)} }},
			{Name: "host"},
			{Name: "version"},
			{Name: "users", Desc: true},
		},
		Fields: []*kinds.Field{
			kinds.TextField("host", func(h *host, _ list.At) string { return h.Name }),
			kinds.TextField("mixed", func(h *host, _ list.At) string { return map[bool]string{true: "yes", false: "no"}[h.Mixed] }),
			kinds.WordsField("owner", (*host).owners),
			kinds.TextField("root", func(h *host, _ list.At) string { return h.Owner.String() }),
			kinds.NumberField("users", component.UnitCount, func(h *host, _ list.At) (float64, bool) { return float64(h.Nova + h.Cyborg), true }),
			kinds.NumberField("version", component.UnitCount, func(h *host, _ list.At) (float64, bool) { return float64(h.Version), h.Version > 0 }),
		},
		FilterHelp: "host or what blocks it, owner=cyborg root=none version<73 mixed=yes",
		Severity: func(h *host, _ list.At) style.Severity {
			if h.worst <= style.SeverityInfo {
				return style.SeverityNone
			}
			return h.worst
		},
		Actions: func(h list.Here[*host]) []action.Action {
			a := aim{open: place.Provider{ID: h.Row.Root}, rule: h.Row.trouble.Rule, subject: h.Row.trouble.Subject, card: h.Row.Root}
			clean := action.Action{ID: "owners.clean", Keys: ".", Title: "clean hosts", Help: "show or hide hosts with nothing to report", Priority: 65, Run: s.toggleClean}
			return append(s.rowActions(h.Snap, a, h.Nothing), clean, h.List.OwnerKey(s.Scope, 60))
		},
		Empty: []string{"no host has anything to report", "try: . shows clean hosts"},
	}, s.env, s.snap, "")
}

// hostsNote says how many clean hosts are not shown.
func (s *Screen) hostsNote() string {
	v := s.data.Load()
	if v == nil || s.all.Load() {
		return ""
	}
	n := 0
	for _, h := range v.owners.Hosts {
		if v.clean(h) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return ". shows " + component.Plural(n, "clean host")
}

// toggleClean shows clean hosts, or hides them.
func (s *Screen) toggleClean() tea.Cmd {
	s.all.Store(!s.all.Load())
	return s.remake()
}

// drawVersion draws the version of the nova-compute of a host.
func drawVersion(l *component.Line, h *host, at list.At) {
	switch {
	case h.Version == 0:
		l.Add(themes.Faint, "-")
	case h.Version < at.Snap.Nova().Gate().Need:
		l.Add(themes.Warn, nova.VersionWords(h.Version, h.Judged))
	default:
		l.Add(themes.Text, nova.VersionWords(h.Version, h.Judged))
	}
}

// cardWidth is how many cells a card needs besides its name.
const cardWidth = 10

// drawCards draws the owner and usage of each card: "⬢ N 41 9/8✗", without names if they
// do not all fit.
func drawCards(l *component.Line, cards []insight.CardOwner) {
	width := cardWidth
	for _, c := range cards {
		width = max(width, cardWidth+len(cardName(c)))
	}
	named := l.Left() >= width*len(cards)-2 // nothing follows the last
	for i, c := range cards {
		if l.Left() < 9 && i < len(cards)-1 {
			l.Add(themes.Dim, fmt.Sprintf("+%d", len(cards)-i))
			return
		}
		start := l.Pos()
		panel.OwnerBadge(l, c.Owner).Space(1)
		if named {
			l.Add(themes.Dim, cardName(c)).Space(1)
		}
		drawFill(l, c)
		if i < len(cards)-1 {
			l.Space(2)
			if named {
				l.To(start + max(width, l.Pos()-start))
			}
		}
	}
}

// drawFill draws the usage of a card's first class, and marks it if over-full.
func drawFill(l *component.Line, c insight.CardOwner) {
	if len(c.Classes) == 0 {
		return
	}
	u := c.Classes[0]
	token := themes.Text
	if u.Over {
		token = themes.Critical
	}
	l.Add(token, fmt.Sprintf("%d/%d", u.Used, u.Capacity))
	if u.Over {
		l.Mark(style.SeverityCritical)
	}
	if n := len(c.Classes) - 1; n > 0 {
		l.Add(themes.Dim, fmt.Sprintf("+%d", n))
	}
}

// cardName returns the shortest name of a card on its host: its address without the
// domain and function that nearly all share, else its name.
func cardName(c insight.CardOwner) string {
	if c.Address == "" {
		return c.Name
	}
	return strings.TrimSuffix(strings.TrimPrefix(c.Address, "0000:"), ":00.0")
}

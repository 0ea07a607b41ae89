// Package arqs is the screen of accelerator requests: what instances asked Cyborg for,
// what they got, or why not.
package arqs

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.ARQs](New).Called("arqs", "arq").
			For("Which accelerator each instance was given, and which requests failed."),
	}
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*cyborg.ARQ]{
		Name: "arqs", Thing: "accelerator request", Kind: kinds.ARQs,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Cyborg() == now.Cyborg() && old.Nova() == now.Nova() && old.Placement() == now.Placement()
		},
		ID:         func(a *cyborg.ARQ) string { return string(a.UUID[:]) },
		Columns:    columns(),
		Orders:     []list.Order[*cyborg.ARQ]{{Name: "instance"}, {Name: "age"}, {Name: "state"}, {Name: "profile", Column: "asks"}, {Name: "host"}},
		FilterHelp: "instance or uuid, state=BindFailed profile=t4-1 host=cmp-001",
		Severity:   func(a *cyborg.ARQ, _ list.At) style.Severity { return panel.ARQSeverity(a) },
		Actions:    actions,
		Title:      func(a *cyborg.ARQ, _ list.At) (string, string) { return "request for " + a.Asks(), a.UUID.String() },
		Detail:     detail,
		Empty:      []string{"no accelerator requests: no instance has asked cyborg for a device", "try: a flavor with accel:device_profile asks for one"},
	}, env, snap, filter)
}

func columns() []*list.Column[*cyborg.ARQ] {
	shows := list.Shows[*cyborg.ARQ]
	return []*list.Column[*cyborg.ARQ]{
		shows("instance", "INSTANCE", 14, 38, 2, 0),
		shows("state", "STATE", 12, 0, 0, 0).Colour(func(a *cyborg.ARQ, _ list.At) themes.Token { return panel.ARQToken(a) }),
		shows("asks", "PROFILE", 8, 30, 1, 2),
		shows("host", "HOST", 8, 36, 1, 1),
		shows("handle", "HANDLE", 12, 36, 1, 3),
		shows("fault", "FAULT", 24, 60, 2, 5).In(themes.Critical),
		shows("uuid", "ARQ", 8, 8, 0, 6),
		shows("age", "AGE", 4, 0, 0, 4),
		shows("provider", "PROVIDER", 16, 50, 2, 7).OnlyWide(),
		shows("project", "PROJECT", 10, 34, 1, 9).OnlyWide(),
	}
}

// detail shows what a request got, or why it got nothing.
func detail(r *cyborg.ARQ, a list.Area) []string {
	fact := list.Facts(kinds.Of(kinds.ARQs), a.At, r)
	l := a.Line().Space(1).Add(panel.ARQToken(r), string(r.State)).Add(themes.Dim, "   for ").Add(themes.Text, fact("instance"))
	l.Add(themes.Dim, "   handle ").Add(themes.Text, fact("handle")).Add(themes.Dim, "   project ").Add(themes.Text, panel.Project(a.Snap, r.Project))
	where := a.Line().Space(1).Add(themes.Dim, "provider ").Add(themes.Text, fact("provider")).Add(themes.Dim, "   host ").Add(themes.Text, r.Hostname)
	lines := []string{l.String(), where.String()}
	if r.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, r.Fault))
	}
	if m, ok := a.Snap.Nova().Migration(r.Instance); ok {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Text, " kept by the "+string(m.Type)+" "+m.Way()+" until that is over"))
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

func actions(h list.Here[*cyborg.ARQ]) []action.Action {
	open := h.About(action.Action{ID: "arqs.open", Keys: []string{"enter"}, Title: "instance", Help: "open the instance that the request is for", Priority: 90}, func(r *cyborg.ARQ) tea.Msg {
		return screen.Goto{To: place.Instance{ID: kinds.ARQInstance(h.Snap, r).UUID}}
	})
	if open.Disabled == "" && kinds.ARQInstance(h.Snap, h.Row) == nil {
		open.Disabled = "the request has no instance"
	}
	provider := h.About(action.Action{ID: "arqs.provider", Keys: []string{"i"}, Title: "provider", Help: "open its provider", Priority: 70}, func(r *cyborg.ARQ) tea.Msg {
		return screen.Goto{To: place.Provider{ID: r.Provider}}
	})
	if provider.Disabled == "" && h.Row.Provider.IsZero() {
		provider.Disabled = "the request is not bound to any provider"
	}
	return []action.Action{
		open, provider,
		h.Copying("uuid", func(r *cyborg.ARQ) (what, text string) { return "uuid of the request", r.UUID.String() }),
	}
}

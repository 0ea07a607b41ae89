// Package arqs is the screen of accelerator requests: what instances want of
// Cyborg, what they got, and why not.
package arqs

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// request is a row: an accelerator request, and the instance that it is for.
type request struct {
	*cyborg.ARQ
	instance *nova.Instance // nil for none
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[request]{
		Name: "arqs", Thing: "accelerator request",
		Rows: requests,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Cyborg() == now.Cyborg() && old.Nova() == now.Nova() && old.Placement() == now.Placement()
		},
		ID:         func(r request) string { return string(r.UUID[:]) },
		Text:       func(r request) string { return r.name(list.At{}) + " " + r.UUID.String() },
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "instance or uuid, state=BindFailed profile=t4-1 host=cmp-001",
		Severity:   func(r request, _ list.At) style.Severity { return panel.ARQSeverity(r.ARQ) },
		Actions:    actions,
		Title: func(r request, _ list.At) (string, string) {
			return "request for " + panel.ARQProfile(r.ARQ), r.UUID.String()
		},
		Detail: detail,
		Empty:  []string{"no accelerator requests: no instance has asked cyborg for a device", "try: a flavor with accel:device_profile asks for one"},
	}, env, snap, filter)
}

// requests returns all accelerator requests, by uuid.
func requests(ctx context.Context, snap *cloud.Snapshot) []request {
	var all []request
	for a := range snap.Cyborg().ARQs() {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			return all
		}
		all = append(all, request{a, panel.ARQInstance(snap, a)})
	}
	return all
}

func (r request) profile(list.At) string   { return panel.ARQProfile(r.ARQ) }
func (r request) state(list.At) string     { return string(r.State) }
func (r request) host(list.At) string      { return r.Hostname }
func (r request) handle(at list.At) string { return panel.ARQHandle(at.Snap.Cyborg(), r.ARQ) }
func (r request) shortID(list.At) string   { return r.UUID.String()[:8] }
func (r request) fault(list.At) string     { return r.Fault }
func (r request) project(list.At) string   { return r.Project }
func (r request) provider(at list.At) string {
	return panel.ProviderName(at.Snap.Placement(), r.Provider)
}

// name returns the name of the instance, what holds the request where that is
// none, "-" where nobody does.
func (r request) name(list.At) string {
	switch {
	case r.instance != nil:
		return r.instance.Name
	case !r.Instance.IsZero():
		return r.Instance.String()
	}
	return "-"
}

func columns() []list.Column[request] {
	text := list.TextColumn[request]
	provider := text("provider", "PROVIDER", 16, 50, 2, 7, themes.Text, request.provider)
	project := text("project", "PROJECT", 10, 34, 1, 9, themes.Text, request.project)
	provider.Wide, project.Wide = true, true
	return []list.Column[request]{
		text("instance", "INSTANCE", 10, 38, 2, 0, themes.Strong, request.name),
		{Column: component.Column{Key: "state", Title: "STATE", Min: 12}, Cell: func(l *component.Line, r request, _ list.At) {
			l.Add(panel.ARQToken(r.ARQ), string(r.State))
		}},
		text("profile", "PROFILE", 8, 30, 1, 2, themes.Text, request.profile),
		text("host", "HOST", 8, 36, 1, 1, themes.Text, request.host),
		text("handle", "HANDLE", 12, 36, 1, 3, themes.Text, request.handle),
		text("fault", "FAULT", 24, 60, 2, 5, themes.Critical, request.fault),
		text("uuid", "ARQ", 8, 8, 0, 6, themes.Dim, request.shortID),
		{Column: component.Column{Key: "age", Title: "AGE", Min: 4, Align: component.AlignRight, Priority: 4}, Cell: list.TextCell(themes.Faint, func(r request, at list.At) string {
			return panel.Since(at.Now, r.Created)
		})},
		provider, project,
	}
}

func orders() []list.Order[request] {
	by := func(name, column string, get func(request, list.At) string) list.Order[request] {
		return list.Order[request]{Name: name, Column: column, Key: func(r request, at list.At) list.Key { return list.Key{Text: get(r, at)} }}
	}
	return []list.Order[request]{
		by("instance", "instance", request.name),
		{Name: "age", Column: "age", Key: func(r request, _ list.At) list.Key {
			return list.Key{Number: -float64(r.Created), None: r.Created == 0} // the newest first
		}},
		by("state", "state", request.state),
		by("profile", "profile", request.profile),
		by("host", "host", request.host),
	}
}

func fields() []list.Field[request] {
	return list.Fields(kinds.ARQs, func(r request) kinds.Row { return r.ARQ }, list.TextField("handle", request.handle), list.TextField("instance", request.name))
}

// detail is what a request got, or why it got nothing.
func detail(r request, a list.Area) []string {
	l := a.Line().Space(1).Add(panel.ARQToken(r.ARQ), string(r.State)).Add(themes.Dim, "   for ").Add(themes.Text, r.name(a.At))
	l.Add(themes.Dim, "   handle ").Add(themes.Text, r.handle(a.At)).Add(themes.Dim, "   project ").Add(themes.Text, r.Project)
	where := a.Line().Space(1).Add(themes.Dim, "provider ").Add(themes.Text, r.provider(a.At)).Add(themes.Dim, "   host ").Add(themes.Text, r.Hostname)
	lines := []string{l.String(), where.String()}
	if r.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, r.Fault))
	}
	if m, ok := a.Snap.Nova().Migration(r.Instance); ok {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Text, " kept by the "+string(m.Type)+" "+panel.MigrationWay(m)+" until that is over"))
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

func actions(h list.Here[request]) []action.Action {
	open := h.About(action.Action{ID: "arqs.open", Keys: []string{"enter"}, Title: "instance", Help: "open the instance that the request is for", Priority: 90}, func(r request) tea.Msg {
		return screen.Goto{Kind: screen.Instance, Arg: r.instance.UUID.String()}
	})
	if open.Disabled == "" && h.Row.instance == nil {
		open.Disabled = "the request is for no instance"
	}
	provider := h.About(action.Action{ID: "arqs.provider", Keys: []string{"d"}, Title: "provider", Help: "open the provider that gives it", Priority: 70}, func(r request) tea.Msg {
		return screen.Goto{Kind: screen.Provider, Arg: r.Provider.String()}
	})
	if provider.Disabled == "" && h.Row.Provider.IsZero() {
		provider.Disabled = "the request is not bound to any provider"
	}
	return []action.Action{
		open, provider,
		h.About(action.Action{ID: "arqs.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid"}, func(r request) tea.Msg {
			return screen.CopyMsg{What: "uuid of the request", Text: r.UUID.String()}
		}),
	}
}

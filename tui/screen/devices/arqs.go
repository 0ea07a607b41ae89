package devices

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// NewARQs returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func NewARQs(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*cyborg.ARQ]{
		Name: "arqs", Thing: "accelerator request", Kind: kinds.ARQs,
		ID:         func(a *cyborg.ARQ) string { return string(a.UUID[:]) },
		Columns:    list.Show[*cyborg.ARQ]("instance:14-38+2 state:12 asks=PROFILE:8-30+1 host:8-36+1 handle:12-36+1 fault:24-60+2 uuid=ARQ:8-8 age:4 | provider:16-50+2 project:10-34+1", "uuid fault age handle asks host", nil),
		Orders:     list.By[*cyborg.ARQ]("instance age state profile host"),
		FilterHelp: "instance or uuid, state=BindFailed profile=t4-1 host=cmp-001",
		Actions:    func(h list.Here[*cyborg.ARQ]) []action.Action { return arqActions(env, h) },
		More:       arqMore,
		Title:      func(a *cyborg.ARQ, _ list.At) (string, string) { return "request for " + a.Asks(), a.UUID.String() },
		Empty:      []string{"no accelerator requests: no instance has asked cyborg for a device", "try: a flavor with accel:device_profile asks for one"},
	}, env, snap, filter)
}

// arqMore says what keeps the request that a move left behind.
func arqMore(r *cyborg.ARQ, a list.Area) []string {
	m, ok := a.Snap.Nova().Migration(r.Instance)
	if !ok {
		return nil
	}
	text := " kept by the " + string(m.Type) + " " + m.Way() + " until that is over"
	if r.State == cyborg.ARQUnbindFailed {
		text = " left by the " + string(m.Type) + " " + m.Way() + ": F frees it, once the device is free on its host"
	}
	return []string{panel.Text(a.Styles, a.Width, themes.Text, text)}
}

func arqActions(env screen.Env, h list.Here[*cyborg.ARQ]) []action.Action {
	open := h.Leads(action.Action{ID: "arqs.open", Keys: "enter", Title: "instance", Help: "open the instance that the request is for", Priority: 90}, func(r *cyborg.ARQ) place.Place { return place.Instance{ID: kinds.ARQInstance(h.Snap, r).UUID} })
	if open.Disabled == "" && kinds.ARQInstance(h.Snap, h.Row) == nil {
		open.Disabled = "the request has no instance"
	}
	provider := h.Leads(action.Action{ID: "arqs.provider", Keys: "i", Title: "provider", Help: "open its provider", Priority: 70}, func(r *cyborg.ARQ) place.Place { return place.Provider{ID: r.Provider} })
	if provider.Disabled == "" && h.Row.Provider.IsZero() {
		provider.Disabled = "the request is not bound to any provider"
	}
	var at placement.ProviderID
	if provider.Disabled == "" {
		at = h.Row.Provider
	}
	return []action.Action{
		open, provider, panel.FixingProvider("arqs", env, h.Snap, at, provider.Disabled),
	}
}

package aggregates

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// edits are the keys that make and delete host aggregates; those that there are are edited
// as YAML.
func edits(env screen.Env, h list.Here[aggregate]) []action.Action {
	remove := action.Action{
		ID: "aggregates.delete", Keys: []string{"D"}, Title: "delete...", Help: "delete the host aggregate, or all that are marked, with a preview", Priority: 35,
		Writes: []intent.Op{nova.DeleteAggregate{}},
	}
	if h.Nothing == "" && h.Row.Name == "" && !h.List.Several() {
		remove.Disabled = "nova has no such aggregate: it goes when no provider is in it"
	}
	return []action.Action{
		{ID: "aggregates.new", Keys: []string{"n"}, Title: "new", Help: "make a host aggregate, with its hosts", Priority: 45, Writes: []intent.Op{nova.CreateAggregate{}}, Run: func() tea.Cmd {
			return screen.Send(screen.PushMsg{Screen: newHostAggregate(env, h.Snap)})
		}},
		list.Each(h, remove, list.Deletes, func(rows []aggregate) tea.Msg { return screen.PushMsg{Screen: deletion(env, rows)} }),
	}
}

// deletion returns the page that deletes host aggregates. Hosts that are in one are taken
// out of it before: the word must be typed then, and for several.
func deletion(env screen.Env, rows []aggregate) *confirm.Page {
	at := env.Clock()
	plan := func(s *cloud.Snapshot, a aggregate) (ops.Plan, error) {
		var verbs []nova.Op
		if now, ok := s.Nova().Aggregate(a.ID); ok {
			for _, host := range now.Hosts {
				verbs = append(verbs, nova.RemoveAggregateHost{Aggregate: a.ID, Host: host})
			}
		}
		return ops.PlanNova(s, "delete host aggregate "+a.Name, at, append(verbs, nova.DeleteAggregate{Aggregate: a.ID})...)
	}
	if len(rows) > 1 {
		return confirm.WriteAll(env, "delete", "host aggregate", rows, plan)
	}
	a, word := rows[0], ""
	if len(a.Hosts) > 0 {
		word = "delete"
	}
	return confirm.Write(env, env.Cloud.Snapshot(), "delete", "delete host aggregate "+a.Name, func(s *cloud.Snapshot) (ops.Plan, error) { return plan(s, a) }, word)
}

// textLimit is how many characters a line of hosts or of metadata may have.
const textLimit = 4096

// newHostAggregate returns the form of a new host aggregate.
func newHostAggregate(env screen.Env, snap *cloud.Snapshot) *form.Form {
	st, id := env.Styles, placement.AggregateID(uuid.New())
	name := form.NewField(st, "name", "what Nova calls it", "", form.NameLimit)
	zone := form.NewField(st, "zone", "the availability zone that it makes of its hosts; empty for none", "", form.NameLimit)
	hosts := form.NewField(st, "hosts", "of nova-compute, with spaces between; their providers go into it, too", "", textLimit)
	metadata := form.NewField(st, "metadata", "such as trait:CUSTOM_GPU=required ssd=true", "", textLimit)
	plan := func(s *cloud.Snapshot) (ops.Plan, error) {
		pairs, err := ops.ParseProperties(strings.Fields(metadata.Text))
		if err != nil {
			return ops.Plan{}, err
		}
		if text := strings.TrimSpace(zone.Text); text != "" {
			pairs[nova.ZoneMetadata] = text
		}
		verbs := []nova.Op{nova.CreateAggregate{UUID: id, Name: strings.TrimSpace(name.Text), Metadata: pairs}}
		for _, host := range strings.Fields(hosts.Text) {
			verbs = append(verbs, nova.AddAggregateHost{Aggregate: id, Host: host})
		}
		return ops.PlanNova(s, "create host aggregate "+strings.TrimSpace(name.Text), env.Clock(), verbs...)
	}
	name.Check = form.Required("a host aggregate needs a name")
	zone.Complete = func(text string) []string { return form.StartingWith(text, form.ZoneNames(snap)) }
	hosts.Check = func(text string) error {
		for _, host := range strings.Fields(text) {
			if !slices.Contains(form.ComputeHosts(snap), host) {
				return &form.Fault{At: strings.Index(text, host), Text: "no nova-compute runs on " + host}
			}
		}
		return nil
	}
	hosts.Complete = func(text string) []string {
		at := form.LastWord(text)
		out := form.StartingWith(text[at:], form.ComputeHosts(snap))
		for i := range out {
			out[i] = text[:at] + out[i]
		}
		return out
	}
	metadata.Check = func(string) error {
		_, err := plan(snap)
		return form.AsFault(err)
	}
	a := form.Ask{
		Scope: "aggregate", Title: "new host aggregate", Section: "NEW HOST AGGREGATE", Steps: []string{"aggregate", "preview"},
		Fields: form.NewFields(st, name, zone, hosts, metadata), Follow: func(s *cloud.Snapshot) { snap = s },
	}
	a.Fields.Focus(0)
	a.Submit = func(s *cloud.Snapshot) (form.Next, bool) {
		return confirm.New(env, s, confirm.Spec{Title: a.Title, Verb: "create", Steps: a.Steps, At: 1, Plan: plan}), true
	}
	return form.New(env, snap, a)
}

package vocabulary

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

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

// aggregateEdits are the keys that create, edit and delete host aggregates.
func aggregateEdits(env screen.Env, h list.Here[aggregate]) []action.Action {
	remove := action.Action{
		ID: "aggregates.delete", Keys: "D", Title: "delete...", Help: "delete the host aggregate, or all that are marked, with a preview", Priority: 35,
		Writes: []intent.Op{nova.DeleteAggregate{}},
	}
	if h.Nothing == "" && h.Row.Name == "" && !h.List.Several() {
		remove.Disabled = "nova has no such aggregate: it disappears with its last provider"
	}
	return []action.Action{
		{ID: "aggregates.new", Keys: "n", Title: "new", Help: "create a host aggregate, with its hosts", Priority: 45, Writes: []intent.Op{nova.CreateAggregate{}}, Request: func() tea.Msg {
			return screen.PushMsg{Screen: hostAggregate(env, h.Snap, nil)}
		}},
		h.About(editing(h), func(a aggregate) tea.Msg {
			has, ok := h.Snap.Nova().Aggregate(a.ID)
			if !ok {
				return screen.Warning(a.Name + " is gone")
			}
			return screen.PushMsg{Screen: hostAggregate(env, h.Snap, has)}
		}),
		list.Each(h, remove, list.Deletes, func(rows []aggregate) tea.Msg { return screen.PushMsg{Screen: deletion(env, rows)} }),
	}
}

// editing is the key that edits a host aggregate, without its function.
func editing(h list.Here[aggregate]) action.Action {
	a := action.Action{
		ID: "aggregates.edit", Keys: "e", Title: "edit", Help: "edit zone, hosts and metadata of the host aggregate", Priority: 44,
		Writes: []intent.Op{nova.SetAggregateMetadata{}, nova.AddAggregateHost{}, nova.RemoveAggregateHost{}},
	}
	if h.Nothing != "" {
		return a
	}
	has, ok := h.Snap.Nova().Aggregate(h.Row.ID)
	switch {
	case !ok:
		a.Disabled = "nova has no such aggregate: edit its providers to remove them"
	case !typable(has):
		a.Disabled = "its metadata cannot be typed on one line: edit it as YAML"
	}
	return a
}

// typable reports whether the metadata of a host aggregate stays the same when typed:
// spaces separate pairs, and = ends a key.
func typable(a *nova.HostAggregate) bool {
	for _, pair := range metadataOf(a) {
		typed, err := ops.ParseProperties(strings.Fields(pair))
		key, _, _ := strings.Cut(pair, "=")
		if is, ok := typed[key]; err != nil || len(typed) != 1 || !ok || a.Metadata[key] != is {
			return false
		}
	}
	return true
}

// metadataOf returns the metadata of a host aggregate, without its zone, as it is typed.
func metadataOf(a *nova.HostAggregate) []string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(a.Metadata)) {
		if key != nova.ZoneMetadata {
			pairs = append(pairs, key+"="+a.Metadata[key])
		}
	}
	return pairs
}

// deletion returns the page that deletes host aggregates. Their hosts are removed first:
// for that, and for several aggregates, a word must be typed.
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

// hostAggregate returns the form of an existing host aggregate, or of a new one for nil.
func hostAggregate(env screen.Env, snap *cloud.Snapshot, old *nova.HostAggregate) *form.Wizard {
	was, a := nova.HostAggregate{UUID: placement.AggregateID(uuid.New())}, form.Ask{
		Scope: "aggregate", Title: "new host aggregate", Section: "NEW HOST AGGREGATE", Steps: []string{"aggregate", "preview"},
		Snap: &snap,
	}
	if old != nil {
		was, a.Title, a.Section = *old, "edit "+old.Name, "EDIT "+old.Name
	}
	st := env.Styles
	name := form.NewField(st, "name", "its name in Nova", "", form.NameLimit)
	zone := form.NewField(st, "zone", "the availability zone of its hosts; empty for none", was.Zone(), form.NameLimit)
	hosts := form.NewField(st, "hosts", "of nova-compute, separated by spaces; their providers join it too", strings.Join(was.Hosts, " "), form.ListLimit)
	metadata := form.NewField(st, "metadata", "such as trait:CUSTOM_GPU=required ssd=true", strings.Join(metadataOf(&was), " "), form.ListLimit)
	subject := ops.EditableHostAggregate{ID: was.UUID}
	want := func() (ops.HostAggregateState, error) {
		pairs, err := ops.ParseProperties(strings.Fields(metadata.Text))
		if text := strings.TrimSpace(zone.Text); text != "" && err == nil {
			pairs[nova.ZoneMetadata] = text
		}
		return ops.HostAggregateState{Hosts: strings.Fields(hosts.Text), Metadata: pairs}, err
	}
	// create plans a new one.
	create := func(s *cloud.Snapshot, name string, state ops.HostAggregateState) (ops.Plan, error) {
		verbs := []nova.Op{nova.CreateAggregate{UUID: was.UUID, Name: name, Metadata: state.Metadata}}
		for _, host := range state.Hosts {
			verbs = append(verbs, nova.AddAggregateHost{Aggregate: was.UUID, Host: host})
		}
		return ops.PlanNova(s, "create host aggregate "+name, env.Clock(), verbs...)
	}
	plan := func(s *cloud.Snapshot) (ops.Plan, error) {
		state, err := want()
		switch {
		case err != nil:
			return ops.Plan{}, err
		case old != nil:
			return subject.PlanState(s, state, env.Clock())
		}
		return create(s, strings.TrimSpace(name.Text), state)
	}
	// refused returns what is wrong with a field by the plan's refusal, nil if the refusal is
	// about another.
	refused := func(f *form.Field) error {
		_, err := plan(snap)
		about, at := metadata, 0
		taken, _ := errors.AsType[*placement.ExistsError](err)
		wrong, _ := errors.AsType[*placement.InvalidError](err) // such as a host of another zone
		hosting := func(host string) bool { at = hostAt(hosts.Text, host); return at >= 0 }
		twice := func(host string) bool {
			given := strings.Fields(hosts.Text)
			first := slices.Index(given, host)
			return first >= 0 && slices.Contains(given[first+1:], host)
		}
		switch {
		case taken != nil && twice(taken.Value): // not an aggregate that is called like a host
			about, err = hosts, &form.Fault{At: hostAt(hosts.Text, taken.Value), Text: taken.Value + " is given twice"}
		case taken != nil:
			about, err = name, form.AsFault(err)
		case wrong != nil && hosting(wrong.Value):
			about, err = hosts, &form.Fault{At: at, Text: wrong.Value + " " + wrong.Why}
		default:
			err = form.AsFault(err)
		}
		if about != f {
			return nil
		}
		return err
	}
	name.Check = func(text string) error {
		if strings.TrimSpace(text) == "" {
			return errors.New("a host aggregate needs a name")
		}
		return refused(name)
	}
	zone.Complete = func(text string) []string { return form.StartingWith(text, form.ZoneNames(snap)) }
	hosts.Check = func(text string) error {
		there := form.ComputeHosts(snap)
		for _, host := range strings.Fields(text) {
			if !slices.Contains(there, host) && !slices.Contains(was.Hosts, host) { // a service may have gone since
				return &form.Fault{At: hostAt(text, host), Text: "no nova-compute runs on " + host}
			}
		}
		return refused(hosts)
	}
	hosts.Complete = func(text string) []string {
		at := form.LastWord(text)
		out := form.StartingWith(text[at:], form.ComputeHosts(snap))
		for i := range out {
			out[i] = text[:at] + out[i]
		}
		return out
	}
	metadata.Check = func(string) error { return refused(metadata) }
	all := []*form.Field{name, zone, hosts, metadata}
	if old != nil {
		all = all[1:]
	}
	a.Fields = form.NewFields(st, all...)
	a.Fields.Focus(0)
	if old != nil {
		a.Edit = func() (ops.Edit, error) {
			state, err := want()
			return ops.Edit{Of: subject, Base: ops.HostAggregateState{Hosts: old.Hosts, Metadata: old.Metadata}, Want: state, At: env.Clock()}, err
		}
		return form.New(env, snap, a)
	}
	a.Write = func() (confirm.Spec, error) {
		state, err := want()
		called := strings.TrimSpace(name.Text)
		return confirm.Spec{Verb: "create", Makes: called, Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return create(s, called, state) }}, err
	}
	return form.New(env, snap, a)
}

// hostAt returns where the name of a host last stands as a word of text, in runes; -1 if it
// does not.
func hostAt(text, host string) int {
	found, at := -1, 0
	for word := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], word)
		if word == host {
			found = utf8.RuneCountInString(text[:at])
		}
		at += len(word)
	}
	return found
}

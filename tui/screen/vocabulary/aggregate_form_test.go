package vocabulary_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/vocabulary"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestMakesAndDeletesHostAggregates creates a host aggregate with a host in it, and
// deletes it again: the host is removed first.
func TestMakesAndDeletesHostAggregates(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo12(t)
		count := func() (n int) {
			for range s.Snapshot().Nova().Aggregates() {
				n++
			}
			return n
		}
		press := func(filter, key string) *tuitest.Host {
			r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen { return vocabulary.NewAggregates(env, s.Snapshot(), filter) })
			return r.Opens(key)
		}
		before := count()
		r := press("", "n")
		r.Lacks("needs a name") // nothing was typed yet
		r.Press("enter")
		r.Wants("needs a name")
		r.Type("racks")
		r.Press("enter", "enter")
		r.Type("nowhere")
		r.Press("enter")
		r.Wants("no nova-compute runs on nowhere")
		r.Press("shift+tab")
		r.Type("az-9")
		r.Press("enter")
		r.Replace("cmp-001")
		r.Press("enter")
		r.Wants("cmp-001 would be in zone az-9 and, by aggregate az-1, in az-1: a host has one zone")
		r.Press("down", "enter")
		r.Wants("│ hosts") // to be mended there, whichever field was left last
		r.Press("shift+tab")
		r.Replace("az-1")
		r.Press("enter")
		r.Replace("cmp-001 cmp-002 cmp-001")
		r.Press("enter")
		r.Wants("cmp-001 is given twice")
		r.Replace("cmp-001")
		r.Press("shift+tab", "shift+tab")
		r.Replace("az-1")
		r.Press("enter")
		r.Wants("az-1 already exists")
		r.Replace("racks")
		r.Press("enter")
		r.Replace("")
		r.Press("enter")
		r.Replace("cmp-00")
		r.Press("tab", "enter")
		r.Type("ssd")
		r.Press("enter")
		r.Wants(`property "ssd" sets nothing: write KEY=VALUE`)
		r.Replace("ssd=true")
		r.Press("enter", "enter")
		r.Wrote(1)
		if count() != before+1 {
			t.Fatalf("%d host aggregates, want %d:\n%s", count(), before+1, r.Text())
		}
		r = press("racks", "e")
		r.Wants("EDIT racks", "ssd=true")
		r.Press("enter")
		r.Replace("")
		r.Press("enter", "enter", "enter")
		r.Wrote(2)
		for a := range s.Snapshot().Nova().Aggregates() {
			if a.Name == "racks" && (len(a.Hosts) > 0 || a.Metadata["ssd"] != "true") {
				t.Errorf("edited, racks is %+v", a)
			}
		}
		r = press("racks", "D")
		r.Press("enter")
		r.Wrote(3)
		if count() != before {
			t.Errorf("%d host aggregates are left, want %d", count(), before)
		}
	})
}

// TestRefusesHostAggregatesAtTheirFields takes the name of a host aggregate that is called
// like a host, and puts a space between hosts that is not the usual one.
func TestRefusesHostAggregatesAtTheirFields(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo12(t)
		change := cloud.Change{Actor: "test", Note: "an aggregate of one host"}
		modeltest.PutIn(&change, s.Snapshot().Nova(), &nova.HostAggregate{UUID: placement.AggregateID(modeltest.ProviderID("one")), Name: "cmp-001"})
		must.Get(s.Store.Apply(context.Background(), change).Result())(t)
		r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen { return vocabulary.NewAggregates(env, s.Snapshot(), "") })
		r = r.Opens("n")
		r.Type("racks")
		r.Press("enter", "enter")
		r.Type("cmp-001\u00a0nowhere")
		r.Press("enter")
		r.Wants("no nova-compute runs on nowhere")
		r.Replace("cmp-001")
		r.Press("shift+tab", "shift+tab")
		r.Replace("cmp-001")
		r.Press("enter")
		r.Wants("cmp-001 already exists")
		r.Lacks("given twice")
	})
}

// TestEditsHostAggregatesOfManyHosts edits a host aggregate whose hosts make a long line:
// untouched text stays, and one more host can be added.
func TestEditsHostAggregatesOfManyHosts(t *testing.T) {
	t.Parallel()
	const many = 500
	tuitest.Run(t, func(t *testing.T) {
		s := tuitest.Demo12(t)
		id := placement.AggregateID(modeltest.ProviderID("long"))
		metadata := map[string]string{}
		for i := range 40 {
			metadata[fmt.Sprintf("key%02d", i)] = strings.Repeat("v", 200)
		}
		change := cloud.Change{Actor: "test", Note: "hosts"}
		all := &nova.HostAggregate{UUID: id, Name: "long", Metadata: metadata}
		name := func(i int) string { return fmt.Sprintf("compute-%04d.rack-17.zone-of-the-north.example.org", i) }
		for i := range many + 1 {
			modeltest.PutIn(&change, s.Snapshot().Nova(), &nova.Service{Host: name(i), Binary: nova.Compute, Version: nova.VersionOwnerNova})
			if i < many {
				all.Hosts = append(all.Hosts, name(i))
			}
		}
		modeltest.PutIn(&change, s.Snapshot().Nova(), all)
		must.Get(s.Store.Apply(context.Background(), change).Result())(t)
		edit := func() *tuitest.Host {
			r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen { return vocabulary.NewAggregates(env, s.Snapshot(), "long") })
			return r.Opens("e")
		}
		has := func(hosts int) {
			t.Helper()
			if is, _ := s.Snapshot().Nova().Aggregate(id); len(is.Hosts) != hosts || len(is.Metadata) != len(metadata) {
				t.Errorf("it has %d hosts and %d metadata, want %d and %d", len(is.Hosts), len(is.Metadata), hosts, len(metadata))
			}
		}
		has(many)
		r := edit()
		r.Press("enter", "enter", "enter", "enter")
		r.Wants("nothing to do: the cloud is already like that")
		r.Wrote(0)
		has(many)
		r = edit()
		r.Press("enter", "end")
		r.Paste(" " + name(many))
		r.Press("enter", "enter", "enter")
		r.Wrote(1)
		has(many + 1)
	})
}

// TestEditsWhatCanBeTyped edits a host aggregate with a host whose nova-compute is gone,
// and leaves alone metadata that would change by being typed.
func TestEditsWhatCanBeTyped(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo12(t)
		id := placement.AggregateID(modeltest.ProviderID("odd"))
		press := func(metadata map[string]string) *tuitest.Host {
			change := cloud.Change{Actor: "test", Note: "metadata"}
			modeltest.PutIn(&change, s.Snapshot().Nova(), &nova.HostAggregate{UUID: id, Name: "odd", Hosts: []string{"long-gone"}, Metadata: metadata})
			must.Get(s.Store.Apply(context.Background(), change).Result())(t)
			r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen { return vocabulary.NewAggregates(env, s.Snapshot(), "odd") })
			r.Press("e")
			return r
		}
		for _, metadata := range []map[string]string{{"k": "a b"}, {"k": "a "}, {"k": " "}, {"k k": "v"}, {"a=b": "c"}} {
			if r := press(metadata); r.Pushed() != nil || !strings.Contains(fmt.Sprint(r.Said), "edit it as YAML") {
				t.Errorf("%q can be typed: %v", metadata, r.Said)
			}
		}
		r := press(map[string]string{"ssd": "true", "none": "", "k": "a=b"}).Opens()
		r.Type("north")
		r.Press("enter", "enter", "enter", "enter")
		r.Wrote(1)
		is, _ := s.Snapshot().Nova().Aggregate(id)
		if is.Zone() != "north" || is.Metadata["k"] != "a=b" || len(is.Metadata) != 4 || len(is.Hosts) != 1 {
			t.Errorf("edited, it is %+v", is)
		}
	})
}

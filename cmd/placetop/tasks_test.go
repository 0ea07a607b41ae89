package main

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// A task is something that operators were asked to do with the dashboard, who had never seen
// it, and the shortest keys for it: a word is typed unless it is the name of a key.
type task struct {
	keys  string
	shows []string                               // what the screen says in the end
	clear audit.RuleID                           // which rule finds less in the end
	holds func(before, now *cloud.Snapshot) bool // what is so in the end
}

// tasks returns them, by what operators were asked.
func tasks(t *testing.T) map[string]task {
	t.Helper()
	named := func(s *cloud.Snapshot, name string) (*nova.Instance, bool) {
		for i := range s.Nova().Instances() {
			if i.Name == name && i.Live() {
				return i, true
			}
		}
		return nil, false
	}
	return map[string]task{
		"no valid host":              {keys: "9 /gold.1 enter W", shows: []string{"0 candidates"}},
		"Placement or the scheduler": {keys: "9 /cpu.large enter w", shows: []string{"Placement is not the cause"}},
		"an orphaned allocation":     {keys: "6 /a01 enter F enter", clear: "a01", shows: []string{"a01 of spark-worker-0 is gone"}},
		"a leaked migration":         {keys: "6 /leak enter F enter", clear: "a06"},
		"an evacuated server":        {keys: "6 /evacuated enter F enter", clear: "a07"},
		"a provider cannot be deleted": {keys: "2 /cmp-006 enter D x enter cmp-006 enter", holds: func(_, now *cloud.Snapshot) bool {
			_, there := now.Placement().ProviderByName("cmp-006")
			return !there
		}},
		"a stale provider":      {keys: "6 /v05 enter F enter", clear: "v05"},
		"what a fix has raised": {keys: "6 /s02 enter F j enter enter", clear: "s02", shows: []string{"> ! ▸ a07 held on several hosts", "new: a07 held on several hosts"}},
		"what a fix has raised, with more to fix under the filter": {keys: "6 /rule=s0* enter F j enter enter", clear: "s02", shows: []string{"/rule=s0*", "s03", "new: a07 held on several hosts", "esc clears the filter"}},
		"an over-full card, and then the move that relieves it":    {keys: "6 /a02 enter F enter enter F enter enter", clear: "a02"},
		"what is most over-full":                                   {keys: "6 /over enter enter", shows: []string{"VGPU 9/8 used, over by 1"}},
		"an odd ratio":                                             {keys: "6 /ratio enter F enter", clear: "u02"},
		"an instance without claim":                                {keys: "6 /without enter F enter", clear: "a04"},
		"who uses this GPU":                                        {keys: "2 /pci_0000_41 enter enter", shows: []string{"CONSUMERS"}},
		"reported twice":                                           {keys: "5", shows: []string{"o03", "reported twice"}},
		"a trait and an aggregate": {keys: "2 /name=cmp-002 enter enter shift+tab e +CUSTOM_GOLD ctrl+s enter", holds: func(_, now *cloud.Snapshot) bool {
			p, _ := now.Placement().ProviderByName("cmp-002")
			id, known := now.Placement().TraitID("CUSTOM_GOLD")
			return known && p.HasTrait(id)
		}},
		"drained or stuck":                        {keys: "6 /drained enter F enter", clear: "a11"},
		"shares of a pool":                        {keys: ":pools enter enter", shows: []string{"shares"}},
		"the owner filter":                        {keys: ":owners enter", shows: []string{"closed at 66, need 73"}},
		"what holds the gate":                     {keys: ":gate enter", shows: []string{"> GATE", "cmp-012"}},
		"a card by what it has":                   {keys: "2 /vgpu enter", shows: []string{"pci_0000_41_00_0"}},
		"who keeps a provider from being deleted": {keys: "2 /cmp-008 enter D i", shows: []string{"> consumers", "erp-db-1"}},
		"why it cannot be migrated":               {keys: "0 m enter F", shows: []string{"a04 build-cache-0"}},
		"the table as CSV":                        {keys: "9 ?csv enter", shows: []string{"for spreadsheets"}},
		"what went wrong here":                    {keys: "T :errors enter", shows: []string{"no such key: T"}},
		"other colours":                           {keys: ":colors enter", shows: []string{"themes"}},
		"the cloud at a time":                     {keys: "?ago enter", shows: []string{":at"}},
		"which guest has a phantom disk":          {keys: "9 /cpu.large enter w", shows: []string{"! s02"}},
		"a number goes to a screen from messages": {keys: ":messages enter 2", shows: []string{"> providers"}},
		"why it failed, whole":                    {keys: "0 /finetune-3 enter enter", shows: []string{"that does not end"}},
		"only one zone":                           {keys: "4 e ctrl+u resources=VCPU:1&member_of=az-2 enter", shows: []string{"in aggregate az-2", "4 candidates"}},
		"only one host":                           {keys: "4 e ctrl+u resources=VCPU:1&in_tree=cmp-003 enter", shows: []string{"in tree of cmp-003", "1 candidate "}},
		"a flavor, by its name":                   {keys: "4 e ctrl+u cpu.large enter", shows: []string{"what-if from flavor cpu.large"}},
		"the limit":                               {keys: "4 e ctrl+u resources=VCPU:1&limit=3 enter", shows: []string{"limit 3"}},
		"a project":                               {keys: ":quota enter", shows: []string{"ml-train"}},
		"an aggregate not mirrored":               {keys: "6 /mirrored enter F enter", clear: "s03"},
		"from Nova to Cyborg": {keys: "0 /name=train-6 enter r t4.1c enter enter enter y enter", shows: []string{}, holds: func(_, now *cloud.Snapshot) bool {
			i, _ := named(now, "train-6")
			return strings.Contains(i.Flavor, "t4.1c")
		}},
		"undo": {keys: "6 /a01 enter F enter z z enter undo enter", holds: func(before, now *cloud.Snapshot) bool {
			return found(before, "a01") == found(now, "a01") && now.Revision() == before.Revision()+2
		}},
		"the cloud as it was": {keys: "6 /a01 enter F enter {", shows: []string{"REPLAY", "a01"}},
		"boot":                {keys: "0 n vm1 tab gpu.t tab ctrl+s enter enter", holds: func(_, now *cloud.Snapshot) bool { _, there := named(now, "vm1"); return there }},
		"terminate":           {keys: "0 /name=train-6 enter D enter train-6 enter", holds: func(_, now *cloud.Snapshot) bool { _, there := named(now, "train-6"); return !there }},
	}
}

// found returns how much a rule finds.
func found(s *cloud.Snapshot, rule audit.RuleID) int {
	n := 0
	for _, f := range audit.Find(s) {
		if f.Rule == rule {
			n++
		}
	}
	return n
}

// TestTasks does each task with its keys on the demo cloud, at 80x24.
func TestTasks(t *testing.T) {
	t.Parallel()
	whole := demotest.Snapshot(t, demo.Options{Hosts: demo.DefaultHosts, Seed: 1, Now: walkStart()})
	base, _, err := whole.Apply(troubles(t, whole))
	must.Succeed(t, err)
	for name, task := range tasks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				store, d := onDemo(t, base)
				for word := range strings.FieldsSeq(task.keys) {
					if strings.HasPrefix(word, "shift+") || strings.HasPrefix(word, "ctrl+") || slices.Contains([]string{"enter", "tab", "esc"}, word) {
						d.Press(word)
					} else {
						d.Type(word)
					}
					d.Advance(3 * time.Second)
				}
				for _, want := range task.shows {
					if !strings.Contains(d.Text(), want) {
						t.Errorf("%q is not on the screen", want)
					}
				}
				now := store.Snapshot()
				if was, is := found(base, task.clear), found(now, task.clear); task.clear != "" && is >= was {
					t.Errorf("%s finds %d, and found %d", task.clear, is, was)
				}
				if task.holds != nil && !task.holds(base, now) {
					t.Error("it is not so")
				}
				if t.Failed() {
					t.Log(d.Text())
				}
			})
		})
	}
}

// TestQuestions asks help what operators ask, in their words, and goes where enter leads.
func TestQuestions(t *testing.T) {
	t.Parallel()
	base := demotest.Snapshot(t, demo.Options{Hosts: demo.DefaultHosts, Seed: 1, Now: walkStart()})
	tuitest.Run(t, func(t *testing.T) {
		_, d := onDemo(t, base)
		ask := func(question, opens, key string) {
			t.Helper()
			d.Press("esc", "esc", "esc", "1")
			d.Type(key + question)
			d.Press("enter")
			d.Advance(3 * time.Second)
			if line := strings.Split(d.Text(), "\n")[1]; !strings.Contains(line, "> "+opens) {
				t.Errorf("%s%s leads to\n%s\nwant %s", key, question, line, opens)
			}
		}
		for question, opens := range map[string]string{
			"NoValidHost": "flavors", "why can't I boot a vm": "flavors", "pci passthrough alias": "flavors", "cpu pinning": "flavors",
			"server stuck in resize": "migrations", "resize waiting for confirm": "migrations", "live-migrate off": "instances",
			"hypervisor full": "providers", "who took the GPU?": "providers", "decommission a host": "providers", "mdev type": "providers",
			"overcommit": "problems", "max_unit": "problems", "leftover allocation": "problems", "vm without allocations": "problems",
			"aggregate not synced": "problems", "resource provider already exists": "problems", "zombie": "problems",
			"which project uses most": "projects", "tenant quota": "projects", "give a card to cyborg": "cards",
			"undo what I just did": "journal", "what changed last night": "journal", "yesterday": "journal", "roll back": "journal",
			"trait typo": "traits", "availability zones": "aggregates", "who changed this trait": "journal", "history of a vm": "journal",
			"put a host into maintenance": "services", "host is down": "services", "how many more fit in an az": "flavors", "huge pages": "flavors", "flavors with vgpu": "flavors",
			"remove a trait": "providers", "unused traits": "traits", "vm stuck": "migrations", "instance in error": "instances", "evacuate a host": "instances",
			"biggest vm": "consumers", "bandwidth": "classes", "billing": "projects", "errors": "messages", "error log": "messages", "csv": "export", "download the table": "export",
			"curl": "providers", "raw api": "providers", "why is this key greyed out": "keys of", "which computes block the upgrade": "owners", "colors": "themes",
		} {
			ask(question, opens, "?")
		}
		for word, opens := range map[string]string{"history": "journal", "log": "journal", "computes": "providers", "hypervisor full": "go to", "migrate": "go to", "tenant": "projects", "reshape": "go to"} {
			ask(word, opens, ":")
		}
	})
}

// onDemo shows a cloud in memory at 80x24.
func onDemo(t *testing.T, base *cloud.Snapshot) (*memory.Store, *tuitest.Driver) {
	t.Helper()
	began := time.Now()
	now := func() time.Time { return walkStart().Add(time.Since(began)) }
	store := memory.New(memory.Options{Clock: now, Start: base})
	p := &program{now: now, newID: uuid.New, log: slog.New(slog.DiscardHandler)}
	k := p.startKeeper(t.Context(), store, false, p.log)
	app := tui.New(tui.Config{
		Env:     screen.Env{Styles: style.NewPlain(must.Get(themes.Load(nil, "default-dark"))(t), style.Block()), Clock: now, Context: t.Context(), Actor: "ops"},
		OpenMsg: tui.OpenMsg{Keeper: k, Cloud: numbering{store}, Name: "demo", Store: "memory"}, Screens: screens(), Local: true,
	})
	t.Cleanup(func() {
		app.Close()
		must.Succeed(t, p.close())
		must.Succeed(t, store.Close())
	})
	d := tuitest.Start(t, app, 80, 24)
	d.Advance(2 * time.Second)
	return store, d
}

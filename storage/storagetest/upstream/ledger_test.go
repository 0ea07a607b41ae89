//go:build placement

package upstream_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestLedgerAgrees does the same random writes to Placement and to our ledger. Each must
// be accepted by both or refused by both with the same status, and the result must be the
// same.
func TestLedgerAgrees(t *testing.T) {
	t.Parallel()
	server := Start(t)
	for seed := range seeds(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newWriters(t, server, seed)
			for _, id := range w.ids[:4] {
				w.create(id, w.ids[:4])
			}
			for range 60 {
				w.step()
			}
			w.compare()
		})
	}
}

// writers does each operation on both sides.
type writers struct {
	t       *testing.T
	server  *Server
	seed    uint64
	rng     *rand.Rand
	ours    *placement.Snapshot
	theirs  map[placement.ProviderID]int64 // Placement's generations: it does not bump providers that a consumer leaves
	ids     []placement.ProviderID
	clients []placement.ConsumerID
	aggs    []placement.AggregateID
	log     []string
}

func newWriters(t *testing.T, server *Server, seed uint64) *writers {
	w := &writers{
		t: t, server: server, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)),
		ours: placement.Empty(), theirs: map[placement.ProviderID]int64{},
	}
	server.Load(t, w.ours)
	id := func() uuid.UUID {
		var u uuid.UUID
		for i := range u {
			u[i] = byte(w.rng.Uint32())
		}
		u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
		return u
	}
	for range 6 {
		w.ids = append(w.ids, placement.ProviderID(id()))
		w.clients = append(w.clients, placement.ConsumerID(id()))
		w.aggs = append(w.aggs, placement.AggregateID(id()))
	}
	return w
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

var (
	classes = []placement.ResourceClass{placement.VCPU, placement.MemoryMB, placement.VGPU}
	traits  = []placement.Trait{placement.OwnerNova, placement.OwnerCyborg, placement.ComputeNode, "HW_CPU_X86_AVX"}
)

// generation returns a generation for each side: mostly the current one, sometimes a
// stale one.
func (w *writers) generation(id placement.ProviderID) (placement.Expect, int64) {
	off := int64(0)
	if w.rng.IntN(8) == 0 {
		off = 3
	}
	p, ok := w.ours.Provider(id)
	if !ok {
		return placement.Generation(0), 0
	}
	return placement.Generation(p.Generation() + off), w.theirs[id] + off
}

func (w *writers) inventories() map[placement.ResourceClass]placement.Inventory {
	set := map[placement.ResourceClass]placement.Inventory{}
	for _, c := range classes {
		if w.rng.IntN(3) == 0 {
			continue
		}
		inv := placement.NewInventory(1 + w.rng.Int64N(16))
		inv.Reserved = w.rng.Int64N(4)
		inv.MaxUnit = 1 + w.rng.Int64N(12)
		inv.MinUnit = 1 + w.rng.Int64N(2)
		inv.StepSize = 1 + w.rng.Int64N(2)
		inv.AllocationRatio = pick(w.rng, []float64{1, 1, 1.5, 0.3, 4})
		set[c] = inv
	}
	return set
}

func (w *writers) claim() (placement.Claim, map[string]any) {
	c := placement.Claim{Consumer: pick(w.rng, w.clients), Type: placement.InstanceConsumer, Project: "p", User: "u"}
	var generation any
	if has, ok := w.ours.Consumer(c.Consumer); ok && w.rng.IntN(8) > 0 {
		c.Generation, generation = placement.Generation(has.Generation()), has.Generation()
	} else {
		c.Generation = placement.NewConsumer()
	}
	wire := map[string]any{}
	c.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{}
	for range w.rng.IntN(4) {
		id := pick(w.rng, w.ids)
		if p, ok := w.ours.Provider(id); ok && len(p.Inventories()) > 0 && w.rng.IntN(5) > 0 {
			class := w.ours.ClassName(pick(w.rng, p.Inventories()).Class)
			c.Allocations[id] = map[placement.ResourceClass]int64{class: 1 + w.rng.Int64N(6)}
		}
	}
	for id, of := range c.Allocations {
		wire[id.String()] = map[string]any{"resources": of}
	}
	return c, map[string]any{
		"allocations": wire, "project_id": "p", "user_id": "u",
		"consumer_generation": generation, "consumer_type": "INSTANCE",
	}
}

// step does one random operation on both sides.
func (w *writers) step() {
	id := pick(w.rng, w.ids)
	path := "/resource_providers/" + id.String()
	switch w.rng.IntN(20) {
	case 16, 17:
		w.single(id, path+"/inventories")
	case 18, 19:
		w.name()
	case 0:
		w.create(id, w.ids)
	case 2:
		op := placement.UpdateProvider{ID: id, Name: pick(w.rng, []string{"p-" + id.String()[:4], "renamed"}), Reparent: true}
		body := map[string]any{"name": op.Name, "parent_provider_uuid": nil}
		if w.rng.IntN(3) > 0 {
			op.Parent = pick(w.rng, w.ids)
			body["parent_provider_uuid"] = op.Parent
		}
		w.do(op, "PUT", path, body)
	case 3:
		w.do(placement.DeleteProvider{ID: id}, "DELETE", path, nil)
	case 4, 5:
		ours, theirs := w.generation(id)
		set := w.inventories()
		w.do(placement.SetInventories{Provider: id, Generation: ours, Inventories: set}, "PUT", path+"/inventories",
			map[string]any{"resource_provider_generation": theirs, "inventories": set})
	case 6:
		ours, theirs := w.generation(id)
		set := []placement.Trait{}
		for _, tr := range traits {
			if w.rng.IntN(2) == 0 {
				set = append(set, tr)
			}
		}
		w.do(placement.SetTraits{Provider: id, Generation: ours, Traits: set}, "PUT", path+"/traits",
			map[string]any{"resource_provider_generation": theirs, "traits": set})
	case 7:
		ours, theirs := w.generation(id)
		set := w.aggs[:w.rng.IntN(4)]
		w.do(placement.SetAggregates{Provider: id, Generation: ours, Aggregates: set}, "PUT", path+"/aggregates",
			map[string]any{"resource_provider_generation": theirs, "aggregates": set})
	case 8:
		ours, theirs := w.generation(id)
		set := w.inventories()
		for _, inv := range set {
			if inv.Validate() != nil {
				return // their reshaper allows a capacity below zero
			}
		}
		claim, wire := w.claim()
		if _, ok := w.ours.Consumer(claim.Consumer); !ok && len(claim.Allocations) == 0 {
			return // their bug: leaves a hidden consumer of generation 0
		}
		w.do(placement.Reshape{
			Inventories: []placement.SetInventories{{Provider: id, Generation: ours, Inventories: set}},
			Allocations: []placement.Claim{claim},
		}, "POST", "/reshaper", map[string]any{
			"inventories": map[string]any{id.String(): map[string]any{"resource_provider_generation": theirs, "inventories": set}},
			"allocations": map[string]any{claim.Consumer.String(): wire},
		})
	case 9:
		c := pick(w.rng, w.clients)
		w.do(placement.DeleteAllocations{Consumer: c}, "DELETE", "/allocations/"+c.String(), nil)
	default:
		first, body1 := w.claim()
		op := placement.ReplaceAllocations{Consumers: []placement.Claim{first}}
		body := map[string]any{first.Consumer.String(): body1}
		if second, body2 := w.claim(); w.rng.IntN(2) == 0 && second.Consumer != first.Consumer {
			op.Consumers = append(op.Consumers, second)
			body[second.Consumer.String()] = body2
		}
		for _, c := range op.Consumers {
			if _, ok := w.ours.Consumer(c.Consumer); !ok && len(c.Allocations) == 0 {
				return // their bug: leaves a hidden consumer of generation 0
			}
		}
		w.do(op, "POST", "/allocations", body)
	}
}

// single does an operation on one inventory of a provider.
func (w *writers) single(id placement.ProviderID, path string) {
	class := pick(w.rng, append([]placement.ResourceClass{placement.ResourceClass(w.custom("A")), "CUSTOM_NONE"}, classes...))
	inv := placement.NewInventory(1 + w.rng.Int64N(8))
	ours, theirs := w.generation(id)
	switch w.rng.IntN(3) {
	case 0:
		w.do(placement.AddInventory{Provider: id, Class: class, Inventory: inv, Generation: w.now(id)}, "POST", path, map[string]any{"resource_class": class, "total": inv.Total})
	case 1:
		w.do(placement.SetInventory{Provider: id, Class: class, Inventory: inv, Generation: ours}, "PUT", path+"/"+string(class),
			map[string]any{"resource_provider_generation": theirs, "total": inv.Total})
	default:
		w.do(placement.DeleteInventory{Provider: id, Class: class}, "DELETE", path+"/"+string(class), nil)
	}
}

// custom returns a name for this seed: names of others exist there, too.
func (w *writers) custom(name string) string { return fmt.Sprintf("CUSTOM_%s_%d", name, w.seed) }

// now returns the current generation, which Placement does not ask for.
func (w *writers) now(id placement.ProviderID) placement.Expect {
	if p, ok := w.ours.Provider(id); ok {
		return placement.Generation(p.Generation())
	}
	return placement.Generation(0)
}

// name does an operation on a resource class or a trait.
func (w *writers) name() {
	class := placement.ResourceClass(pick(w.rng, []string{w.custom("A"), w.custom("B"), "VCPU"}))
	tr := placement.Trait(pick(w.rng, []string{w.custom("T"), w.custom("U"), "OWNER_NOVA"}))
	switch w.rng.IntN(5) {
	case 0:
		w.do(placement.CreateClass{Name: class}, "POST", "/resource_classes", map[string]any{"name": class})
	case 1:
		w.do(placement.CreateClass{Name: class, IfAbsent: true}, "PUT", "/resource_classes/"+string(class), nil)
	case 2:
		w.do(placement.DeleteClass{Name: class}, "DELETE", "/resource_classes/"+string(class), nil)
	case 3:
		w.do(placement.CreateTrait{Name: tr}, "PUT", "/traits/"+string(tr), nil)
	default:
		w.do(placement.DeleteTrait{Name: tr}, "DELETE", "/traits/"+string(tr), nil)
	}
}

// create makes a provider, half of the time below another one.
func (w *writers) create(id placement.ProviderID, parents []placement.ProviderID) {
	w.t.Helper()
	op := placement.CreateProvider{ID: id, Name: "p-" + id.String()[:4]}
	body := map[string]any{"name": op.Name, "uuid": id}
	if w.rng.IntN(2) == 0 {
		op.Parent = pick(w.rng, parents)
		body["parent_provider_uuid"] = op.Parent
	}
	w.do(op, "POST", "/resource_providers", body)
}

// do applies op to both sides and compares the answers: the status, and the code of a
// refusal.
func (w *writers) do(op placement.Op, method, path string, body any) {
	w.t.Helper()
	const version = "1.39"
	status, out, err := w.server.Do(w.t.Context(), method, path, version, body)
	must.Succeed(w.t, err)
	sent, _ := json.Marshal(body)
	w.log = append(w.log, fmt.Sprintf("%s %s %s -> %d", method, path, sent, status))
	next, _, verdict := w.ours.Apply(placement.Change{Ops: []placement.Op{op}})
	var refusal struct {
		Errors []struct{ Code api.Code }
	}
	got := api.Answer{Status: status}
	if json.Unmarshal(out, &refusal) == nil && len(refusal.Errors) > 0 {
		got.Code = refusal.Errors[0].Code
	}
	want := api.AnswerTo(w.ours, op, verdict)
	if _, creates := op.(placement.CreateProvider); creates && verdict == nil {
		want.Status = http.StatusOK // the body is the provider, from 1.20 on
	}
	if want != got {
		for _, line := range w.log {
			w.t.Log(line)
		}
		w.t.Fatalf("Placement says %s %s\nwe say %s, %v", got, out, want, verdict)
	}
	if verdict == nil {
		w.ours = next
	}
	w.refresh()
}

type provider struct {
	UUID       placement.ProviderID  `json:"uuid"`
	Name       string                `json:"name"`
	Generation int64                 `json:"generation"`
	Parent     *placement.ProviderID `json:"parent_provider_uuid"`
	Root       placement.ProviderID  `json:"root_provider_uuid"`
}

func (w *writers) get(path string, into any) {
	w.t.Helper()
	status, out, err := w.server.Do(w.t.Context(), "GET", path, "1.39", nil)
	if err != nil || status != 200 {
		w.t.Fatalf("GET %s: %d %v %s", path, status, err, out)
	}
	must.Succeed(w.t, json.Unmarshal(out, into))
}

// refresh reads Placement's generations.
func (w *writers) refresh() []provider {
	w.t.Helper()
	var list struct {
		Providers []provider `json:"resource_providers"`
	}
	w.get("/resource_providers", &list)
	for _, p := range list.Providers {
		w.theirs[p.UUID] = p.Generation
	}
	return list.Providers
}

// compare compares all that can be read on both sides.
func (w *writers) compare() {
	w.t.Helper()
	type state struct {
		Name      string
		Parent    string
		Root      placement.ProviderID
		Usages    map[placement.ResourceClass]int64
		Inventory map[placement.ResourceClass]placement.Inventory
		Traits    []placement.Trait
	}
	ours, theirs := map[placement.ProviderID]state{}, map[placement.ProviderID]state{}
	for p := range w.ours.Providers() {
		st := state{
			Name: p.Name(), Root: w.ours.Root(p).ID(), Traits: w.ours.TraitsOf(p),
			Usages: map[placement.ResourceClass]int64{}, Inventory: map[placement.ResourceClass]placement.Inventory{},
		}
		if up, ok := w.ours.Parent(p); ok {
			st.Parent = up.ID().String()
		}
		for _, iu := range p.Inventories() {
			st.Usages[w.ours.ClassName(iu.Class)] = iu.Used
			st.Inventory[w.ours.ClassName(iu.Class)] = iu.Inventory
		}
		ours[p.ID()] = st
	}
	for _, p := range w.refresh() {
		st := state{Name: p.Name, Root: p.Root}
		if p.Parent != nil {
			st.Parent = p.Parent.String()
		}
		path := "/resource_providers/" + p.UUID.String()
		w.get(path+"/usages", &st)
		var inv struct {
			Inventories map[placement.ResourceClass]placement.Inventory `json:"inventories"`
		}
		w.get(path+"/inventories", &inv)
		st.Inventory = inv.Inventories
		w.get(path+"/traits", &st)
		theirs[p.UUID] = st
		if has, ok := w.ours.Provider(p.UUID); ok && has.Generation() < p.Generation {
			w.t.Errorf("%s is at generation %d there and at %d here", p.Name, p.Generation, has.Generation())
		}
	}
	opt := cmp.Comparer(func(a, b []placement.Trait) bool {
		set := map[placement.Trait]int{}
		for _, x := range a {
			set[x]++
		}
		for _, x := range b {
			set[x]--
		}
		for _, n := range set {
			if n != 0 {
				return false
			}
		}
		return true
	})
	if d := cmp.Diff(theirs, ours, opt); d != "" {
		w.t.Errorf("their providers (-), ours (+):\n%s", d)
	}
	for _, id := range w.clients {
		var got struct {
			Generation int64 `json:"consumer_generation"`
		}
		w.get("/allocations/"+id.String(), &got)
		has, ok := w.ours.Consumer(id)
		if ok != (got.Generation > 0) || ok && has.Generation() != got.Generation {
			w.t.Errorf("consumer %s: generation %d there, here %v", id, got.Generation, has)
		}
	}
}

package form_test

import (
	"context"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/tuitest"
)

// newcomer is the uuid of a consumer that the demo cloud does not have.
const newcomer = "5a0e0000-0000-4000-8000-00000000000a"

func newcomerID() placement.ConsumerID {
	id, err := placement.ParseConsumerID(newcomer)
	if err != nil {
		panic(err)
	}
	return id
}

// allocate opens the form over the demo cloud.
func allocate(t *testing.T, s *tuitest.Cloud, w, h int) *rig {
	t.Helper()
	return open(t, s, w, h, func(env screen.Env) screen.Screen {
		return must.Get(consumers.OpenAllocate(env, place.Allocate{}))(t)
	})
}

// fill enters an allocation of resources and continues to the list.
func (r *rig) fill(resources string) {
	r.T.Helper()
	r.Press("up", "up") // from project, the first without text, to consumer
	r.Replace(newcomer)
	r.Press("down", "down")
	r.Type("ml")
	r.Replace("ml-train")
	r.Press("enter", "enter")
	r.Type(resources)
	r.Press("enter", "enter", "enter", "enter")
}

// fitting returns the options for resources in the cloud of r.
func (r *rig) fitting(resources string) []ops.Option {
	r.T.Helper()
	amounts, err := ops.ParseResources(resources)
	if err != nil {
		r.T.Fatal(err)
	}
	options, err := ops.Fits(r.Cloud.Snapshot(), candidates.NewIndex(r.Cloud.Snapshot().Placement()), ops.Wish{Resources: amounts})
	if err != nil {
		r.T.Fatal(err)
	}
	return options
}

// found returns the first finding of a rule in the demo cloud.
func found(t *testing.T, s *cloud.Snapshot, rule audit.RuleID) audit.Finding {
	t.Helper()
	for _, f := range audit.Find(s) {
		if f.Rule == rule {
			return f
		}
	}
	t.Fatalf("the demo cloud has no %s", rule)
	return audit.Finding{}
}

// liveInstance returns an instance with allocations on several providers.
func liveInstance(t *testing.T, s *cloud.Snapshot) *placement.Consumer {
	t.Helper()
	for i := range s.Nova().Instances() {
		c, ok := s.Placement().Consumer(i.UUID)
		if ok && len(s.Placement().ConsumerRecord(c).Allocations) > 1 {
			return c
		}
	}
	t.Fatal("no instance holds anything on two providers")
	return nil
}

const gpu = "VCPU=2 MEMORY_MB=4096 VGPU=1"

func vgpu(s *placement.Snapshot, p *placement.ResourceProvider) (placement.InventoryUsage, bool) {
	id, _ := s.ClassID(placement.VGPU)
	return p.Inventory(id)
}

// release opens the release page.
func release(t *testing.T, s *tuitest.Cloud, w, h int, at place.Release) *rig {
	t.Helper()
	return open(t, s, w, h, func(env screen.Env) screen.Screen {
		f := must.Get(consumers.OpenRelease(env, at))(t)
		return f
	})
}

// orphan makes an allocation on one provider by a consumer that Nova does not know.
func orphan(t *testing.T, s *tuitest.Cloud) placement.ConsumerID {
	t.Helper()
	p := roomy(t, s.Snapshot().Placement())
	id := placement.ConsumerID{0xbe}
	_, err := s.Store.Apply(context.Background(), cloud.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: id, Generation: placement.NewConsumer(), Project: "p", User: "u", Type: placement.InstanceConsumer,
		Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{p.ID(): {placement.VCPU: 1}},
	}}}}}).Result()

	must.Succeed(t, err)
	return id
}

// roomy returns a provider with VCPU to spare.
func roomy(t *testing.T, s *placement.Snapshot) *placement.ResourceProvider {
	t.Helper()
	vcpu, _ := s.ClassID(placement.VCPU)
	for p := range s.Providers() {
		if iu, ok := p.Inventory(vcpu); ok && iu.Free() > 20 {
			return p
		}
	}
	t.Fatal("no provider has VCPU to spare")
	return nil
}

// rest fills the fields from project on.
func (r *rig) rest(resources string) {
	r.T.Helper()
	r.Replace("ml-train")
	r.Press("enter", "enter")
	r.Type(resources)
	r.Press("enter", "enter", "enter", "enter")
}

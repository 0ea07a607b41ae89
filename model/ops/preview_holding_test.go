package ops_test

import (
	"fmt"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// The preview of a resize from Nova's card to Cyborg's: the instance before its
// migration, the generation of the card, and its owner.
func TestHoldingsOfAMove(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	r := must.Get(ops.Rehearse(tr.Snapshot(), move("cyborg"), late))(t)
	var got []string
	for _, s := range r.Steps {
		for _, d := range s.Preview.Holdings() {
			if d.Class == placement.VGPU {
				got = append(got, fmt.Sprintf("%s %s %s %d>%d %s>%s", s.Name, d.Type, d.Provider, d.Before, d.After, d.OwnerBefore, d.OwnerAfter))
				if d.Generation[1] != d.Generation[0]+1 {
					t.Errorf("%s: generation %d > %d", s.Name, d.Generation[0], d.Generation[1])
				}
			}
		}
	}
	want := []string{
		"park INSTANCE n1 1>0 nova>nova",
		"park MIGRATION n1 0>1 nova>nova",
		"claim INSTANCE y2 0>1 cyborg>cyborg",
	}
	must.Match(t, want, got)
}

// An event is previewed only on the cloud to which it was written.
func TestPreviewEvent(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	before := tr.Snapshot()
	p := must.Get(ops.PlanTraits(before, rp("n1"), []placement.Trait{placement.OwnerCyborg}, nil))(t)
	_, ev, err := before.Apply(p.Change)
	must.Succeed(t, err)
	did, err := ops.PreviewEvent(before, ev)
	if err != nil || len(did.Providers) != 1 {
		t.Fatalf("%+v, %v", did.Providers, err)
	}
	if d := did.Providers[0]; d.OwnerBefore != placement.OwnedByNova || d.OwnerAfter != placement.OwnedByBoth {
		t.Errorf("owner %s > %s", d.OwnerBefore, d.OwnerAfter)
	}
	after, _, err := before.Apply(p.Change)
	must.Succeed(t, err)
	if did, err := ops.PreviewEvent(after, ev); err == nil {
		t.Errorf("an event is previewed on what it led to: %+v", did.Providers)
	}
}

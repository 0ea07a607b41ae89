package audit_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// goneCard makes instance i with a request whose card has no provider any more.
func goneCard(w *world) *world {
	w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding("c"))
	return moveCard(w, "gone", true)
}

// moveCard makes another provider that of the card, and of its request too.
func moveCard(w *world, to string, request bool) *world {
	w.Claim("i", instance, modeltest.Holding())
	d, _ := w.Cyborg().Deployable(modeltest.WorldUUID("dep c"))
	w.Record(d.Edit(func(d *cyborg.Deployable) { d.Provider = rp(to) }))
	if request {
		editRequest(w, func(r *cyborg.ARQ) { r.Provider = rp(to) })
	}
	return w
}

func editRequest(w *world, edit func(*cyborg.ARQ)) {
	r, _ := w.Cyborg().ARQ(modeltest.WorldUUID("arq ca"))
	w.Record(r.Edit(edit))
}

func TestD06(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{"d06 a bound request whose provider was deleted", func(w *world) { goneCard(w) }, []string{"d06 i"}, nil},
		{"d06 one that is binding", func(w *world) {
			goneCard(w)
			editRequest(w, func(r *cyborg.ARQ) { r.State = cyborg.ARQBindStarted })
		}, []string{"d06 i"}, nil},
		{"d06 one of nobody", func(w *world) {
			goneCard(w)
			editRequest(w, func(r *cyborg.ARQ) { r.Instance = placement.ConsumerID{} })
		}, []string{"d06 " + rp("gone").String()}, nil},
		{"d06 one whose attach handle is of a card whose provider is gone", func(w *world) {
			w.Node("h").Card(1, 1).Instance("i", nova.Active)
			moveCard(w, "gone", false)
		}, []string{"d06 i"}, nil},
		{"d06 two of one instance are one finding", func(w *world) {
			goneCard(w)
			r, _ := w.Cyborg().ARQ(modeltest.WorldUUID("arq ca"))
			w.Record(r.Edit(func(r *cyborg.ARQ) { r.UUID = modeltest.WorldUUID("twin") }))
		}, []string{"d06 i"}, nil},
		{"d06 not one that is unbound, or failed to bind", func(w *world) {
			goneCard(w)
			editRequest(w, func(r *cyborg.ARQ) { r.State = cyborg.ARQBindFailed })
		}, nil, nil},
	})
}

// TestD06Live checks that on a live cloud a provider is only gone if all of them were read,
// and that nothing is concluded about an instance that changed meanwhile.
func TestD06Live(t *testing.T) {
	t.Parallel()
	s := goneCard(newWorld(t)).Snapshot
	for name, test := range map[string]struct {
		readings []cloud.Reading
		moving   bool
		want     string // "" for a finding
	}{
		"all was read":               {nil, false, ""},
		"some of the providers":      {[]cloud.Reading{{Part: cloud.Providers, Cut: "only some"}}, false, "providers: only some"},
		"no providers":               {[]cloud.Reading{{Part: cloud.Providers, Why: "503"}}, false, "providers: 503"},
		"requests from before a 503": {[]cloud.Reading{{Part: cloud.ARQs, Why: "503"}}, false, "accelerator requests: 503"},
		"some of the requests":       {[]cloud.Reading{{Part: cloud.ARQs, Cut: "only some"}}, false, ""},
		"deleted while it was read":  {nil, true, "it changed while the cloud was read, or a list has it twice"},
	} {
		moving := map[placement.ConsumerID]bool{vm("i"): test.moving}
		r := audit.Inspect(s.ReadAs(cloud.NewReadings(test.readings, moving)), audit.InspectOptions{Now: s.At()})
		found := false
		for _, f := range audit.Findings(r.Open) {
			found = found || f.Rule == audit.RuleRequestWithout
		}
		why := ""
		for _, u := range r.Unjudged {
			if u.Rule == audit.RuleRequestWithout {
				why = strings.Join(u.Why, "; ")
			}
		}
		if found != (test.want == "") || !strings.Contains(why, test.want) {
			t.Errorf("%s: found %t, not judged: %q", name, found, why)
		}
	}
}

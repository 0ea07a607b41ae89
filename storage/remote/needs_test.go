package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestNeedsAreEnough answers each question from only the parts of a cloud that it says it
// needs, as from the whole.
func TestNeedsAreEnough(t *testing.T) {
	t.Parallel()
	made := demotest.Snapshot(t, demo.Options{Hosts: 12, Seed: 1, Now: storagetest.Start, Troubles: true})
	live := func(yield func(versioned.Record, error) bool) {
		for r := range made.Records() {
			if svc, is := r.(*nova.Service); is { // as the API reports it
				r = svc.Edit(func(svc *nova.Service) { svc.Zone = cmp.Or(made.Nova().ZoneOf(svc.Host), "internal") })
			}
			if !yield(r, nil) {
				return
			}
		}
	}
	whole := must.Get(cloud.Load(made.Revision(), made.At(), live))(t)
	for _, k := range kinds.All() {
		if k.Rows == nil {
			continue // the journal is not read from a cloud
		}
		for _, q := range []kinds.Query{{}, {Where: "!zzz"}} {
			needs := k.Needs(q)
			read := func(yield func(versioned.Record, error) bool) {
				for r := range whole.Records() {
					parts := cloud.PartsOf(r.RecordKind())
					if parts == nil && ofPlacement(r) {
						parts = cloud.PlacementParts()
					}
					missing := func(p cloud.Part) bool { return !(&reader{needs: needs}).wants(p) }
					if parts != nil && slices.ContainsFunc(parts[:1], missing) {
						continue
					}
					if !yield(r, nil) {
						return
					}
				}
			}
			some, err := cloud.Load(whole.Revision(), whole.At(), read)
			must.Succeed(t, err)
			print := func(s *cloud.Snapshot) string {
				q := q
				q.At = kinds.At{Snap: s, Now: whole.At()}
				a := must.Get(k.Get(q))(t)
				if q.Where == "" {
					return string(must.Get(json.MarshalIndent(kinds.Records{Kind: a.Kind, At: a.At, Rows: a.Rows}, "", " "))(t))
				}
				var lines []string
				for _, name := range k.Asked() {
					get := k.Field(name).Ask(a.At, name)
					for _, row := range a.Rows {
						words := strings.Fields(fmt.Sprintf("%+v", get(row)))
						slices.Sort(words) // some come from maps
						lines = append(lines, name+": "+strings.Join(words, " "))
					}
				}
				return strings.Join(lines, "\n")
			}
			is, want := strings.Split(print(some), "\n"), strings.Split(print(whole), "\n")
			for i, line := range want {
				if i >= len(is) || is[i] != line {
					t.Errorf("%s %q: %v is not enough for %q", k.Name, q.Where, needs, line)
					break
				}
			}
		}
	}
}

// TestReadsWhatIsNeeded counts the requests to each service for the things of each kind,
// in a cloud where all of it takes hundreds.
func TestReadsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	placement := []kinds.Name{ // rest on what Placement knows, as do all that are not listed
		kinds.Providers, kinds.Inventories, kinds.Usages, kinds.Allocations, kinds.Consumers, kinds.Traits, kinds.Aggregates, kinds.Classes,
		kinds.Pools, kinds.PoolShares, kinds.Projects, kinds.Users, kinds.Instances, kinds.Migrations, kinds.ComputeNodes, kinds.PCIDevices,
		kinds.Devices, kinds.ARQs, kinds.Config, kinds.Events,
	}
	w, in := newWorld(t, 20), newStandIn(t)
	var asked []string
	in.asked = func(path string) { asked = append(asked, path) }
	for _, k := range kinds.All() {
		w.requests()
		asked = nil
		call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), DefaultInFlight, nil))(t)
		w.requests() // for its microversions
		call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		call.services[api.Compute] = &service{name: api.Compute, address: in.URL, minor: computeNewest}
		s := must.Get(newStore(t.Context(), call, options{clock: storagetest.Clock(), parts: k.Needs(kinds.Query{})}))(t)
		n := len(w.requests())
		if rests := slices.Contains(placement, k.Name); rests != (n > 0) {
			t.Errorf("%s: %d requests to Placement", k.Name, n)
		}
		if most := len(k.Told) + len(k.Also) + 2; len(asked) > most {
			t.Errorf("%s: Nova was asked for %q", k.Name, asked)
		}
		if k.Name == kinds.Services && !slices.Equal(asked, []string{"/os-services"}) {
			t.Errorf("services: Nova was asked for %q", asked)
		}
		t.Logf("%s: %d of Placement, %d of Nova", k.Name, n, len(asked))
		must.Succeed(t, s.Close())
	}
}

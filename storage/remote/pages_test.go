package remote

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestReadsPagesThatAreSmall reads all servers of a Nova that returns fewer at a time
// than requested, as one with a small [api] max_limit does.
func TestReadsPagesThatAreSmall(t *testing.T) {
	t.Parallel()
	const all, most = 7, 3
	w := newWorld(t, 0)
	in := newStandIn(t)
	in.odd = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/servers/detail" {
			return false
		}
		var servers []any
		marker := r.URL.Query().Get("marker")
		for n := range uint64(all) {
			id := storagetest.Consumer(n + 1).String()
			if id > marker && len(servers) < most {
				servers = append(servers, object{"id": id, "name": "web", "tenant_id": "p", "user_id": "u", "flavor": object{"original_name": "small", "vcpus": 1, "ram": 1, "disk": 1}})
			}
		}
		answer := object{"servers": servers}
		if len(servers) == most {
			answer["servers_links"] = []any{object{"rel": "next", "href": "http://elsewhere/"}}
		}
		out.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(out).Encode(answer); err != nil {
			t.Error(err)
		}
		return true
	}
	s := w.openWith(t, api.Compute, in, computeNewest)
	n := 0
	for range s.Snapshot().Nova().Instances() {
		n++
	}
	if n != all || len(s.Link().Without) > 0 {
		t.Errorf("%d servers are read, want %d; not read: %q", n, all, s.Link().Without)
	}
}

// TestTellsOfWhatIsCutShort reads a limited number of an endless list of migrations, and
// says so.
func TestTellsOfWhatIsCutShort(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	n := uint64(0)
	in.odd = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/os-migrations" {
			return false
		}
		n++
		out.Header().Set("Content-Type", "application/json")
		err := json.NewEncoder(out).Encode(object{
			"migrations":       []any{object{"uuid": storagetest.Consumer(n).String()}},
			"migrations_links": []any{object{"rel": "next", "href": "http://elsewhere/"}},
		})
		if err != nil {
			t.Error(err)
		}
		return true
	}
	cut := gaps(w.openWith(t, api.Compute, in, computeNewest))
	if len(cut) != 1 || cut[0].Part != cloud.Migrations || cut[0].Cut != "only the first 60 were read" {
		t.Errorf("cut are %+v", cut)
	}
}

// TestReadsMigrationsThatMayHoldSomething reads a list of migrations that is too long: of
// the old ones those that are not over are asked for by their status, so that a consumer
// which is none of them is known to be none.
func TestReadsMigrationsThatMayHoldSomething(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]bool{"all are read": false, "those in error are refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, in := newWorld(t, 0), newStandIn(t)
			old, n := storagetest.Consumer(1), uint64(1)
			in.odd = func(out http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/os-migrations" {
					return false
				}
				answer := object{"migrations": []any{}}
				switch status := r.URL.Query().Get("status"); {
				case status == "":
					n++
					answer["migrations"] = []any{object{"uuid": storagetest.Consumer(n).String(), "status": "confirmed"}}
					answer["migrations_links"] = []any{object{"rel": "next", "href": "http://elsewhere/"}}
				case status == "error" && refuse:
					out.WriteHeader(http.StatusForbidden)
					return true
				case status == "migrating" && !r.URL.Query().Has("marker"):
					answer["migrations"] = []any{object{"uuid": old.String(), "status": status}}
				}
				out.Header().Set("Content-Type", "application/json")
				if err := json.NewEncoder(out).Encode(answer); err != nil {
					t.Error(err)
				}
				return true
			}
			s := w.openWith(t, api.Compute, in, computeNewest)
			is := s.Snapshot().Reading(cloud.Migrations)
			if is.Gap() == "" || (is.GapOfHolders() != "") != refuse {
				t.Errorf("%+v", is)
			}
			if known := s.reader.m.nova.known(); !known[old] {
				t.Error("the old migration that is under way is not there")
			}
		})
	}
}

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
)

// What the agent, and a registration, say and exit with when a Placement elsewhere loses
// the answer to a write, or another writer is faster halfway. The next one heals the rest.
// Package storage/remote has this at each message.
func TestReportsElsewhereTruthfully(t *testing.T) {
	t.Parallel()
	root := hwtest.Unpack(t, filepath.Join("..", "..", "hw", "testdata", "t4.txtar"))
	id := must.Get(placement.ParseProviderID("5d1bd3c6-6a0c-4a4e-9d5a-1f0e7a1b2c3d"))(t)
	const (
		lost   = "its answer is lost"
		before = "it does not arrive"
		rival  = "another writer is faster"
	)
	tests := []struct {
		at   string // the write that it happens to, as method and end of the path
		what string
		code int
		says string
	}{
		{"POST /resource_providers", lost, exitFailed, "it may or may not have been done"},
		{"POST /resource_providers", before, exitFailed, "it had not been done when checked, but still may be: check again"},
		{"PUT /inventories", lost, exitFailed, "it may or may not have been done"},
		{"PUT /inventories", before, exitFailed, "it may or may not have been done"},
		{"PUT /inventories", rival, exitDone, "1 of 6 calls were done and are not undone: "},
		{"PUT /traits", rival, exitDone, "the rest is decided again"},
	}
	for _, command := range [][]string{{"agent", "--once"}, {"probe", "--register"}} {
		for _, test := range tests {
			t.Run(strings.Join(command, " ")+": "+test.at+": "+test.what, func(t *testing.T) {
				t.Parallel()
				store := memory.New(memory.Options{Clock: time.Now})
				api := rest.New(store, rest.Options{Clock: time.Now})
				var done atomic.Bool
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					ctx := r.Context()
					r = r.WithContext(rest.WithCaller(ctx, rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}}))
					method, path, _ := strings.Cut(test.at, " ")
					if r.Method != method || !strings.HasSuffix(r.URL.Path, path) || done.Swap(true) {
						api.ServeHTTP(w, r)
						return
					}
					switch test.what {
					case rival:
						if err := store.Apply(ctx, cloud.Change{Ops: []cloud.Op{
							placement.CreateTrait{Name: "CUSTOM_THEIRS"},
							placement.SetTraits{Provider: id, Generation: placement.AnyGeneration(), Traits: []placement.Trait{"CUSTOM_THEIRS"}},
						}}).Err(); err != nil {
							t.Error(err)
						}
						api.ServeHTTP(w, r)
						return
					case lost:
						api.ServeHTTP(httptest.NewRecorder(), r)
					}
					panic(http.ErrAbortHandler)
				}))
				defer server.Close()
				token := filepath.Join(t.TempDir(), "token")
				must.Succeed(t, os.WriteFile(token, []byte("admin\n"), 0o600))
				report := func() (int, string, string) {
					var out, said bytes.Buffer
					args := append(append([]string{}, command...), "--root", root, "--endpoint", server.URL, "--token-file", token, "--write")
					code := run(args, strings.NewReader(""), &out, &said, []string{"HOME=" + t.TempDir()})
					return code, out.String(), said.String()
				}
				code, _, said := report()
				if code != test.code || !strings.Contains(said, test.says) {
					t.Errorf("exit code %d and\n%s\nwant %d and %s", code, said, test.code, test.says)
				}
				if code, _, said := report(); code != exitDone {
					t.Errorf("the next one: exit code %d and\n%s", code, said)
				}
				if code, out, said := report(); code != exitDone || command[0] == "agent" && out != "" || strings.Contains(said, "registered") {
					t.Errorf("a quiet one: exit code %d and\n%s\n%s", code, out, said)
				}
				s := store.Snapshot().Placement()
				host, _ := s.Provider(id)
				traits := s.TraitsOf(host)
				for _, want := range []placement.Trait{placement.OwnerNova, placement.ComputeNode} {
					if !slices.Contains(traits, want) {
						t.Errorf("there is no %s in %v", want, traits)
					}
				}
				if theirs := slices.Contains(traits, "CUSTOM_THEIRS"); theirs != (test.what == rival) || len(host.Inventories()) != 2 {
					t.Errorf("there are %v and %+v", traits, host.Inventories())
				}
			})
		}
	}
}

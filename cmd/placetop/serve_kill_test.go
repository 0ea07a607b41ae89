package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
)

// TestKilledServerKeepsWhatItAnswered kills a server under load: each answered write is
// in the file, each unanswered one is there completely or not at all, and the file is
// sound.
func TestKilledServerKeepsWhatItAnswered(t *testing.T) {
	t.Parallel()
	const clients, enough = 8, 200
	path := filepath.Join(t.TempDir(), "killed.db")
	is := must.Get(startServing(exec.Command("placetop", "serve", "--db", path, "--listen", "127.0.0.1:0", "--auth", "none", "--access-log=false")))(t)
	kill := sync.OnceFunc(func() { _ = is.cmd.Process.Kill() })
	defer kill()
	put := func(method, path, body, status string) bool {
		got, err := is.ask(method, path, "admin", body)
		if err == nil && !strings.HasPrefix(got, status) {
			t.Errorf("%s %s: %s", method, path, got)
		}
		return err == nil && strings.HasPrefix(got, status)
	}
	type claim struct{ host, consumer string }
	answered := make(chan claim)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for n := 0; ; n++ {
				at := claim{uuid.NewString(), uuid.NewString()}
				host := fmt.Sprintf(`{"name": "host-%d-%d", "uuid": %q}`, c, n, at.host)
				if !put("POST", "/resource_providers", host, "200") {
					return
				}
				inventory := `{"resource_provider_generation": 0, "inventories": {"VCPU": {"total": 4}}}`
				if !put("PUT", "/resource_providers/"+at.host+"/inventories", inventory, "200") {
					return
				}
				allocation := fmt.Sprintf(`{"allocations": {%q: {"resources": {"VCPU": 1}}}, "project_id": "p", "user_id": "u", "consumer_generation": null, "consumer_type": "INSTANCE"}`, at.host)
				if !put("PUT", "/allocations/"+at.consumer, allocation, "204") {
					return
				}
				answered <- at
			}
		})
	}
	go func() {
		all.Wait()
		close(answered)
	}()
	var kept []claim
	for at := range answered {
		if kept = append(kept, at); len(kept) == enough {
			kill()
		}
	}
	_ = is.cmd.Wait() // it was killed
	if len(kept) < enough {
		t.Fatalf("%d claims were answered\n%s", len(kept), is.text())
	}
	s := must.Get(bolt.Open(t.Context(), path, engine.Options{Clock: time.Now, Wait: time.Minute}))(t)
	defer s.Close()
	if defects, err := s.Verify(t.Context()); err != nil || len(defects) > 0 {
		t.Errorf("%v %v", defects, err)
	}
	ledger := s.Snapshot().Placement()
	for _, at := range kept {
		host := must.Get(placement.ParseProviderID(at.host))(t)
		rp, err := ledger.FindProvider(host)
		if err != nil {
			t.Fatalf("an answered write is lost: %v", err)
		}
		if n := ledger.CountConsumersOf(rp); n != 1 {
			t.Errorf("%s has %d consumers", rp.Name(), n)
		}
	}
	for rp := range ledger.Providers() {
		if n := len(rp.Inventories()); n > 1 {
			t.Errorf("%s has %d inventories", rp.Name(), n)
		}
	}
}

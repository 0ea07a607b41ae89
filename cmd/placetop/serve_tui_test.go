package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/rest/server"
)

// TestServeShows runs the dashboard while serving: what a client writes shows there at
// once, and quitting it ends the server.
func TestServeShows(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	o := serveOptions{listen: "unix:" + socket, tui: true, access: true, logFormat: new(string), limits: server.DefaultLimits()}
	must.Succeed(t, o.settle(nil))
	term, wait := startOnTerminal(t, filepath.Join(t.TempDir(), "served.db"), nil, func(p *program, ctx context.Context) error { return p.serve(ctx, o) })
	term.WaitForText("rev 0")
	client := serving{url: "http+unix:" + socket}
	for _, name := range []string{"one", "two"} {
		got, err := client.ask("POST", "/resource_providers", "admin", `{"name": "`+name+`"}`)
		if err != nil || !strings.HasPrefix(got, "200 ") {
			t.Fatalf("%s %v", got, err)
		}
	}
	term.WaitForText("rev 2")
	term.WaitForText("2 providers")
	if got, err := client.ask("GET", "/readyz", "", ""); err != nil || !strings.HasPrefix(got, "200 ") {
		t.Errorf("%s %v", got, err)
	}
	term.Type("q")
	if err := wait(); err != nil {
		t.Error(err)
	}
	if got, err := client.ask("GET", "/healthz", "", ""); err == nil {
		t.Errorf("it is served on: %s", got)
	}
}

package main

import "testing"

func TestBuildLine(t *testing.T) {
	t.Parallel()
	for want, b := range map[string]build{
		"placetop v1.2.0 0123456789ab of 2026-11-30 (go1.26.8, linux/amd64)": {
			Version: "v1.2.0", Revision: "0123456789abcdef", Time: "2026-11-30T01:02:03Z", Go: "go1.26.8", Platform: "linux/amd64",
		},
		"placetop (devel) 0123 with local changes (go1.26.8, linux/arm64)": {
			Version: "(devel)", Revision: "0123", Modified: true, Go: "go1.26.8", Platform: "linux/arm64",
		},
		"placetop v1.2.0 (go1.26.8, linux/amd64)": {Version: "v1.2.0", Go: "go1.26.8", Platform: "linux/amd64"},
	} {
		if got := b.line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

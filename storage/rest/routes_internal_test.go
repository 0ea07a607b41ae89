package rest

import "testing"

// TestOnlyWritersWrite checks that no route lets a reader write.
func TestOnlyWritersWrite(t *testing.T) {
	t.Parallel()
	for _, p := range routes {
		for _, m := range p.methods {
			if m.name != "GET" && (m.may != writer && m.may != service || m.policy == public) {
				t.Errorf("%s %s", m.name, p.pattern)
			}
		}
	}
}

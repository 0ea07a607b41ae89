//go:build placement

package upstream_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

//go:embed server.py
var serverSource string

// Newer reports whether Placement and Nova are other releases than Debian's stable ones, by
// the Python that PLACETOP_PYTHON names.
func Newer() bool { return os.Getenv("PLACETOP_PYTHON") != "" }

// Python returns the Python that has Placement and Nova.
func Python() string { return cmp.Or(os.Getenv("PLACETOP_PYTHON"), "/usr/bin/python3") }

// Server is a running Placement.
type Server struct {
	URL    string
	client *http.Client
}

// Start runs Placement until the test ends. It skips the test where the service
// is not installed, unless PLACETOP_NEED_PLACEMENT is set. PLACETOP_PYTHON names the
// Python that has it, where that is not Debian's: one of a newer release, say.
func Start(t *testing.T) *Server {
	t.Helper()
	python := Python()
	if err := exec.Command(python, "-c", "import placement.wsgi").Run(); err != nil {
		if os.Getenv("PLACETOP_NEED_PLACEMENT") != "" {
			t.Fatalf("python3-placement is not installed: %v", err)
		}
		t.Skip("python3-placement is not installed")
	}
	dir := t.TempDir()
	conf := fmt.Sprintf("[api]\nauth_strategy = noauth2\n[placement]\nrandomize_allocation_candidates = false\n"+
		"[placement_database]\nconnection = sqlite:///%s/placement.db\nsync_on_startup = True\n", dir)
	for name, text := range map[string]string{"placement.conf": conf, "server.py": serverSource} {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.Command(python, filepath.Join(dir, "server.py"), dir)
	cmd.Env = append([]string{"PYTHONHASHSEED=0"}, os.Environ()...) // the order of Python's sets affects some answers
	var log bytes.Buffer
	cmd.Stderr = &log
	stdin, err := cmd.StdinPipe()
	must.Succeed(t, err)
	stdout, err := cmd.StdoutPipe()
	must.Succeed(t, err)
	must.Succeed(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait() // it ends by os._exit when its stdin is closed
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if port, ok := strings.CutPrefix(lines.Text(), "port "); ok {
			go func() { _, _ = io.Copy(io.Discard, stdout) }() // ends with the process
			return &Server{URL: "http://127.0.0.1:" + port, client: &http.Client{}}
		}
	}
	t.Fatalf("placement did not start: %v\n%s", lines.Err(), log.String())
	return nil
}

// Do sends a request of microversion mv as an admin and returns the status and
// the body.
func (s *Server) Do(ctx context.Context, method, path, mv string, body any) (int, []byte, error) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, in)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-Auth-Token", "admin")
	req.Header.Set("X-Roles", "admin,service") // newer releases let only services reshape
	req.Header.Set("OpenStack-API-Version", "placement "+mv)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	return resp.StatusCode, out, err
}

// must sends a request that must succeed.
func (s *Server) must(t *testing.T, method, path string, body any) []byte {
	t.Helper()
	status, out, err := s.Do(t.Context(), method, path, "1.39", body)
	if err != nil || status >= 300 {
		t.Fatalf("%s %s: %d %v\n%s", method, path, status, err, out)
	}
	return out
}

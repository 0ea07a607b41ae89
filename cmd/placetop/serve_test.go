package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// serving is a running "placetop serve" in another process.
type serving struct {
	cmd  *exec.Cmd
	url  string // according to its output
	mu   sync.Mutex
	said bytes.Buffer // its standard error
	done chan struct{}
}

// startServing starts a program's "placetop serve" with arguments, and waits until it
// says that it is serving.
func startServing(cmd *exec.Cmd) (*serving, error) {
	s := &serving{cmd: cmd, done: make(chan struct{})}
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	up := make(chan string, 1)
	go func() {
		defer close(s.done)
		url := ""
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.mu.Lock()
			s.said.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
			if _, rest, ok := strings.Cut(lines.Text(), "serving Placement 1.0 to 1.39 at "); ok {
				url, _, _ = strings.Cut(rest, " from ")
				up <- url
			} else if _, rest, ok := strings.Cut(lines.Text(), "serving /metrics at "); ok {
				url, _, _ = strings.Cut(rest, " from ")
			} else if strings.Contains(lines.Text(), " was read: ") {
				up <- url
			}
		}
	}()
	select {
	case s.url = <-up:
		return s, nil
	case <-s.done:
		return nil, fmt.Errorf("it does not serve: %w\n%s", cmd.Wait(), s.text())
	}
}

func (s *serving) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// stop ends it as an operator does, and waits for that.
func (s *serving) stop() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	<-s.done
	return s.cmd.Wait()
}

// client returns an HTTP client that can reach it, and the URL. It accepts any
// certificate.
func (s *serving) client() (*http.Client, string) {
	t := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	url := s.url
	if path, ok := strings.CutPrefix(url, "http+unix:"); ok {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		url = "http://socket"
	}
	return &http.Client{Transport: t}, url
}

// ask sends a request and returns the status line and body.
func (s *serving) ask(method, path, token, body string) (string, error) {
	client, url := s.client()
	r, err := http.NewRequest(method, url+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("OpenStack-API-Version", "placement latest")
	if token != "" {
		r.Header.Set("X-Auth-Token", token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.Status + "\n" + string(b) + "\n", err
}

// servers are the servers that the stories have started.
type servers struct {
	mu  sync.Mutex
	all map[*testscript.TestScript]*serving
}

func (s *servers) of(ts *testscript.TestScript) *serving {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[ts] == nil {
		ts.Fatalf("nothing is served: say serves first")
	}
	return s.all[ts]
}

func (s *servers) set(ts *testscript.TestScript, is *serving) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[ts] = is
}

// serves starts "placetop serve" with arguments and waits until it answers; $URL and
// $ADDRESS say where.
func (s *servers) serves(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: serves ARG...")
	}
	cmd := exec.Command("placetop", append([]string{"serve"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "XDG_DATA_HOME="+ts.Getenv("XDG_DATA_HOME"), "XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"), "USER=ops")
	is, err := startServing(cmd)
	ts.Check(err)
	ts.Defer(func() { _ = is.cmd.Process.Kill() })
	ts.Setenv("URL", is.url)
	_, address, _ := strings.Cut(is.url, "://")
	ts.Setenv("ADDRESS", address)
	s.set(ts, is)
}

// asks sends a request to the last server and prints its answer: asks STATUS METHOD PATH
// [TOKEN [BODY]].
func (s *servers) asks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 5 {
		ts.Fatalf("usage: asks STATUS METHOD PATH [TOKEN [BODY]]")
	}
	args = append(args, "", "")
	got, err := s.of(ts).ask(args[1], args[2], args[3], args[4])
	ts.Check(err)
	if !strings.HasPrefix(got, args[0]+" ") {
		ts.Fatalf("%s %s: %s, want %s", args[1], args[2], got, args[0])
	}
	_, err = io.WriteString(ts.Stdout(), got)
	ts.Check(err)
}

// stops ends the last server; its exit code must be 0. Its standard error is in the file:
// stops FILE.
func (s *servers) stops(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: stops FILE")
	}
	is := s.of(ts)
	err := is.stop()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(is.text()), 0o600))
	if err != nil {
		ts.Fatalf("%v\n%s", err, is.text())
	}
}

// certificate writes a certificate and its key that are valid for that long from now, or
// expired if TIME is negative: certificate CERT KEY TIME.
func certificate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: certificate CERT KEY TIME")
	}
	d, err := time.ParseDuration(args[2])
	ts.Check(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(d), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	keyDER, err := x509.MarshalECPrivateKey(key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}), 0o600))
}

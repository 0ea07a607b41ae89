package auth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/auth"
)

func start() time.Time { return time.Date(2026, time.November, 20, 14, 0, 0, 0, time.UTC) }

// request returns a request with headers "Name: value".
func request(t *testing.T, headers ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/resource_providers", nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return r
}

func TestNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		headers []string
		want    rest.Caller
		unknown bool
	}{
		"no token":       {nil, rest.Caller{}, true},
		"admin":          {[]string{"X-Auth-Token: admin"}, rest.Caller{User: "admin", Project: "admin", Roles: []string{"admin", "service"}}, false},
		"project":        {[]string{"X-Auth-Token: ada:p1"}, rest.Caller{User: "ada", Project: "p1"}, false},
		"roles":          {[]string{"X-Auth-Token: ada", "X-Roles: reader, service"}, rest.Caller{User: "ada", Project: "ada", Roles: []string{"reader", "service"}}, false},
		"admin as other": {[]string{"X-Auth-Token: admin", "X-Roles: reader"}, rest.Caller{User: "admin", Project: "admin", Roles: []string{"reader"}}, false},
		"sent project":   {[]string{"X-Auth-Token: ada:p1", "X-Roles: reader", "X-Project-Id: p2"}, rest.Caller{User: "ada", Project: "p2", Roles: []string{"reader"}}, false},
		"admin by role":  {[]string{"X-Auth-Token: ada", "X-Roles: admin"}, rest.Caller{User: "ada", Project: "ada", Roles: []string{"admin", "service"}}, false},
		"empty":          {[]string{"X-Auth-Token: "}, rest.Caller{}, false},
		"system":         {[]string{"X-Auth-Token: admin", "OpenStack-System-Scope: all"}, rest.Caller{User: "admin", Project: "admin", Roles: []string{"admin", "service"}, System: true}, false},
	} {
		got, ok, err := auth.None{}.Authenticate(request(t, test.headers...))
		if d := cmp.Diff(test.want, got); d != "" || ok == test.unknown || err != nil {
			t.Errorf("%s: %t %v (-want +got):\n%s", name, ok, err, d)
		}
	}
}

const (
	adminToken  = "0123456789abcdef-admin"
	readerToken = "0123456789abcdef-reader"
	otherToken  = "0123456789abcdef-other"
)

// tokenFile writes a file of tokens.
func tokenFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	must.Succeed(t, os.Chmod(path, mode))
	return path
}

func TestTokens(t *testing.T) {
	t.Parallel()
	path := tokenFile(t, "# who may\n\n#"+strings.Repeat("-", 100_000)+"\n"+adminToken+" nova service,admin\n"+readerToken+"  ada reader # hers\n"+otherToken+" bob reader p1\n", 0o640)
	k := must.Get(auth.ReadTokens(path, auth.TokenOptions{Clock: start}))(t)
	for token, want := range map[string]rest.Caller{
		adminToken:       {User: "nova", Roles: []string{"service", "admin"}},
		readerToken:      {User: "ada", Roles: []string{"reader"}, Reader: true},
		otherToken:       {User: "bob", Roles: []string{"reader"}, Project: "p1"},
		"admin":          {},
		adminToken[:20]:  {},
		adminToken + "x": {},
		"":               {},
	} {
		got, ok, err := k.Authenticate(request(t, "X-Auth-Token: "+token))
		if d := cmp.Diff(want, got); d != "" || ok != (want.User != "") || err != nil {
			t.Errorf("%q: %t %v (-want +got):\n%s", token, ok, err, d)
		}
	}
	must.Be(t, k.Words(), "1 of the tokens in "+path+" may write, 2 may only read")
}

// TestBadTokenFiles refuses a bad file with the line and the reason, without quoting a
// token.
func TestBadTokenFiles(t *testing.T) {
	t.Parallel()
	line := adminToken + " nova admin\n"
	for name, test := range map[string]struct {
		text string
		mode os.FileMode
		says string
	}{
		"for all":       {line, 0o604, ": other users can read it (mode 0604); chmod 600 it, and replace the tokens if somebody may have read them"},
		"empty":         {"# nobody\n", 0o600, ": has no token; add a line: TOKEN USER ROLE[,ROLE...] [PROJECT]"},
		"two words":     {line + adminToken + " nova\n", 0o600, ":2: has 2 words, not 3 or 4; each line is: TOKEN USER ROLE[,ROLE...] [PROJECT]"},
		"short":         {"0123456789 nova admin", 0o600, ":1: the token has 10 characters, fewer than 16; each line is: TOKEN USER ROLE[,ROLE...] [PROJECT]"},
		"unknown role":  {adminToken + " nova member\n", 0o600, `:1: role "member" is not one of admin, service and reader; each line is: TOKEN USER ROLE[,ROLE...] [PROJECT]`},
		"no role":       {adminToken + " nova ,\n", 0o600, ":1: names no role; each line is: TOKEN USER ROLE[,ROLE...] [PROJECT]"},
		"the same one":  {line + line, 0o600, ":2: has the same token as an earlier line; each line is: TOKEN USER ROLE[,ROLE...] [PROJECT]"},
		"far too large": {strings.Repeat(line, 50_000), 0o600, ": has 1700000 bytes, more than 1048576"},
	} {
		path := tokenFile(t, test.text, test.mode)
		_, err := auth.ReadTokens(path, auth.TokenOptions{Clock: start})
		var bad *diskfile.LineError
		if !errors.As(err, &bad) || err.Error() != path+test.says {
			t.Errorf("%s: %v, want %s", name, err, test.says)
		}
		if err != nil && strings.Contains(err.Error(), adminToken) {
			t.Errorf("%s: the error tells the token", name)
		}
	}
	if _, err := auth.ReadTokens(t.TempDir(), auth.TokenOptions{Clock: start}); err == nil || !strings.HasSuffix(err.Error(), "is not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	must.Fail(t, must.Err(auth.ReadTokens(filepath.Join(t.TempDir(), "none"), auth.TokenOptions{Clock: start})), os.ErrNotExist)
}

// TestTokensAreReadAgain accepts a new token once the file has changed, and keeps the old
// ones if the new file is bad, which is reported once.
func TestTokensAreReadAgain(t *testing.T) {
	t.Parallel()
	path := tokenFile(t, adminToken+" nova admin\n", 0o600)
	now := start()
	var told []string
	k, err := auth.ReadTokens(path, auth.TokenOptions{Clock: func() time.Time { return now }, Changed: func(err error) { told = append(told, fmt.Sprint(err)) }})
	must.Succeed(t, err)
	knows := func(token string) (ok bool) {
		for range 2 { // a file is read once it has looked the same twice
			now = now.Add(2 * time.Second)
			_, ok, _ = k.Authenticate(request(t, "X-Auth-Token: "+token))
		}
		return ok
	}
	write := func(text string) {
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(otherToken + " bob admin\n") // a file that is half written
	now = now.Add(2 * time.Second)
	if _, ok, _ := k.Authenticate(request(t, "X-Auth-Token: "+adminToken)); !ok {
		t.Error("a file counts while it is written")
	}
	write(readerToken + " ada reader\n")
	if knows(adminToken) || !knows(readerToken) {
		t.Error("the new file does not count")
	}
	write("what is this\n")
	if knows(adminToken) || !knows(readerToken) {
		t.Error("what was read before does not count")
	}
	must.Succeed(t, os.Remove(path))
	if knows(otherToken) || !knows(readerToken) {
		t.Error("what was read before does not count without a file")
	}
	write(otherToken + " bob admin\n")
	if !knows(otherToken) {
		t.Error("a file that is back does not count")
	}
	if len(told) != 4 || told[0] != "<nil>" || !strings.Contains(told[1], "characters") || !strings.Contains(told[2], "no such file") || told[3] != "<nil>" {
		t.Errorf("told: %q", told)
	}
}

func FuzzTokenFile(f *testing.F) {
	f.Add(adminToken + " nova admin\n# x\n" + readerToken + " ada reader p")
	f.Fuzz(func(t *testing.T, text string) {
		path := tokenFile(t, text, 0o600)
		k, err := auth.ReadTokens(path, auth.TokenOptions{Clock: start})
		if err != nil {
			return
		}
		if _, ok, err := k.Authenticate(request(t)); ok || err != nil {
			t.Errorf("a request without token: %t %v", ok, err)
		}
	})
}

// keystone is a Keystone with some tokens.
type keystone struct {
	tokens map[string]string // the answer for each, as JSON
	asked  atomic.Int32
	status int // of all answers; 0 for the right one
	hold   chan struct{}
}

func (k *keystone) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.asked.Add(1)
	if k.hold != nil {
		<-k.hold
	}
	token := r.Header.Get("X-Subject-Token")
	body, ok := k.tokens[token]
	switch {
	case k.status != 0:
		w.WriteHeader(k.status)
	case r.URL.Path != "/v3/auth/tokens" || r.Header.Get("X-Auth-Token") != token || !ok:
		w.WriteHeader(http.StatusUnauthorized)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	}
}

// tokenOf returns Keystone's answer for a token.
func tokenOf(user string, expires time.Time, more map[string]any) string {
	token := map[string]any{"methods": []string{"password"}, "user": map[string]any{"id": user, "name": "x"}, "expires_at": expires.Format("2006-01-02T15:04:05.000000Z")}
	maps.Copy(token, more)
	b, _ := json.Marshal(map[string]any{"token": token})
	return string(b)
}

func roles(names ...string) []map[string]string {
	var out []map[string]string
	for _, n := range names {
		out = append(out, map[string]string{"id": n, "name": n})
	}
	return out
}

func newKeystone(t *testing.T, k *keystone, clock func() time.Time) *auth.Keystone {
	t.Helper()
	srv := httptest.NewServer(k)
	t.Cleanup(srv.Close)
	out := must.Get(auth.NewKeystone(auth.KeystoneOptions{URL: srv.URL + "/", Client: srv.Client(), Clock: clock}))(t)
	return out
}

// TestKeystone asks whose a token is, and again once the answer is old or the token
// expires; about an invalid token it asks again sooner.
func TestKeystone(t *testing.T) {
	t.Parallel()
	now := start()
	of := &keystone{tokens: map[string]string{
		"long":    tokenOf("ada", now.Add(time.Hour), map[string]any{"project": map[string]string{"id": "p1"}, "roles": roles("member", "admin")}),
		"short":   tokenOf("bob", now.Add(time.Minute), map[string]any{"system": map[string]bool{"all": true}, "roles": roles("reader")}),
		"expired": tokenOf("eve", now, nil),
	}}
	k := newKeystone(t, of, func() time.Time { return now })
	ask := func(token string, want rest.Caller, asked int32) {
		t.Helper()
		before := of.asked.Load()
		got, ok, err := k.Authenticate(request(t, "X-Auth-Token: "+token))
		if d := cmp.Diff(want, got); d != "" || ok != (want.User != "") || err != nil {
			t.Errorf("%s: %t %v (-want +got):\n%s", token, ok, err, d)
		}
		if n := of.asked.Load() - before; n != asked {
			t.Errorf("%s: asked %d times, want %d", token, n, asked)
		}
	}
	ada := rest.Caller{User: "ada", Project: "p1", Roles: []string{"member", "admin"}}
	bob := rest.Caller{User: "bob", System: true, Roles: []string{"reader"}}
	ask("long", ada, 1)
	ask("long", ada, 0)
	ask("short", bob, 1)
	ask("expired", rest.Caller{}, 1)
	ask("none", rest.Caller{}, 1)
	ask("none", rest.Caller{}, 0)
	ask("", rest.Caller{}, 0)
	ask(strings.Repeat("x", 20_000), rest.Caller{}, 0)
	now = now.Add(59 * time.Second)
	ask("short", bob, 0)
	ask("none", rest.Caller{}, 1)
	now = now.Add(time.Second)
	ask("short", rest.Caller{}, 1)
	ask("long", ada, 0)
	now = now.Add(4 * time.Minute)
	ask("long", ada, 1)
}

// TestKeystoneIsAway distinguishes a Keystone that is down from an invalid token, and
// asks again at once when it is back.
func TestKeystoneIsAway(t *testing.T) {
	t.Parallel()
	of := &keystone{status: http.StatusBadGateway, tokens: map[string]string{"long": tokenOf("ada", start().Add(time.Hour), nil), "odd": `{"token": {"expires_at": "2099-01-01T00:00:00Z"}}`, "not": "nothing"}}
	k := newKeystone(t, of, start)
	if _, ok, err := k.Authenticate(request(t, "X-Auth-Token: long")); ok || err == nil || !strings.Contains(err.Error(), "/v3/ cannot validate the token") {
		t.Errorf("%t %v", ok, err)
	}
	of.status = 0
	if _, ok, err := k.Authenticate(request(t, "X-Auth-Token: long")); !ok || err != nil {
		t.Errorf("%t %v", ok, err)
	}
	for _, token := range []string{"odd", "not"} {
		if _, ok, err := k.Authenticate(request(t, "X-Auth-Token: "+token)); ok || err == nil {
			t.Errorf("%s: %t %v", token, ok, err)
		}
	}
	for _, bad := range []string{"", "keystone:5000", "ftp://x", "http://", "\x7f"} {
		if _, err := auth.NewKeystone(auth.KeystoneOptions{URL: bad, Clock: start}); err == nil {
			t.Errorf("%q is taken for a URL", bad)
		}
	}
}

// TestKeystoneLeadsNowhere sends a token only to the configured Keystone, not to a server
// that this redirects to.
func TestKeystoneLeadsNowhere(t *testing.T) {
	t.Parallel()
	other := &keystone{tokens: map[string]string{"long": tokenOf("eve", start().Add(time.Hour), map[string]any{"roles": roles("admin")})}}
	elsewhere := httptest.NewServer(other)
	t.Cleanup(elsewhere.Close)
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/v3/auth/tokens", http.StatusTemporaryRedirect))
	t.Cleanup(srv.Close)
	k := must.Get(auth.NewKeystone(auth.KeystoneOptions{URL: srv.URL, Clock: start}))(t)
	if who, ok, err := k.Authenticate(request(t, "X-Auth-Token: long")); ok || err == nil || other.asked.Load() != 0 {
		t.Errorf("%+v %t %v, and another was asked %d times", who, ok, err, other.asked.Load())
	}
}

// TestKeystoneIsAskedOnce asks about a token once, however many requests carry it
// meanwhile.
func TestKeystoneIsAskedOnce(t *testing.T) {
	t.Parallel()
	of := &keystone{hold: make(chan struct{}), tokens: map[string]string{"long": tokenOf("ada", start().Add(time.Hour), nil)}}
	k := newKeystone(t, of, start)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if c, ok, err := k.Authenticate(request(t, "X-Auth-Token: long")); !ok || err != nil || c.User != "ada" {
				t.Errorf("%v %t %v", c, ok, err)
			}
		})
	}
	of.hold <- struct{}{}
	close(of.hold)
	all.Wait()
	must.Be(t, of.asked.Load(), 1)
}

func TestMayRead(t *testing.T) {
	t.Parallel()
	for want, callers := range map[bool][]rest.Caller{
		true:  {{Roles: []string{"admin"}}, {Roles: []string{"member", "service"}}, {Roles: []string{"reader"}, System: true}},
		false: {{}, {Roles: []string{"reader"}, Project: "p"}, {Roles: []string{"member"}, System: true}},
	} {
		for _, c := range callers {
			if auth.MayRead(c) != want {
				t.Errorf("%+v: want %t", c, want)
			}
		}
	}
}

// Package resttest reads stories: requests in the order in which they are sent, each with
// Placement's answer. The answers of the story beside package rest were recorded from the
// real service, less the detail of errors, which each side words by itself; the handler is
// tested against them without one.
//
//	PUT /traits/CUSTOM_A 1.39
//	--- 201 Location: /traits/CUSTOM_A
//
//	POST /resource_providers 1.39
//	{"name": "host"}
//	--- 200
//	{"generation":0, ...}
//
// Only tests import it.
package resttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// Exchange is a request and what it is answered with.
type Exchange struct {
	Method, Path, Version string
	Body                  string // of the request, on one line
	Answer                string // status, Location and Allow, and the body on its own line
}

// Parse reads a story.
func Parse(t *testing.T, text string) []Exchange {
	t.Helper()
	var story []Exchange
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		request, answer, ok := strings.Cut(block, "\n--- ")
		head, body, _ := strings.Cut(request, "\n")
		words := strings.Fields(head)
		if !ok || len(words) != 3 {
			t.Fatalf("what does this mean: %s", block)
		}
		story = append(story, Exchange{Method: words[0], Path: words[1], Version: words[2], Body: body, Answer: answer})
	}
	return story
}

// String returns x as Parse reads it.
func (x Exchange) String() string {
	s := fmt.Sprintf("%s %s %s\n", x.Method, x.Path, x.Version)
	if x.Body != "" {
		s += x.Body + "\n"
	}
	return s + "--- " + x.Answer + "\n"
}

// Do has x answered by client, at a server's URL, and returns x with that answer.
func (x Exchange) Do(t *testing.T, client http.RoundTripper, url string) Exchange {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), x.Method, url+x.Path, strings.NewReader(x.Body))
	must.Succeed(t, err)
	r.Header.Set("X-Auth-Token", "admin")
	r.Header.Set("OpenStack-API-Version", "placement "+x.Version)
	if x.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.RoundTrip(r)
	must.Succeed(t, err)
	defer func() { _ = resp.Body.Close() }()
	var body bytes.Buffer
	must.Get(body.ReadFrom(resp.Body))(t)
	x.Answer = fmt.Sprint(resp.StatusCode)
	for _, name := range []string{"Location", "Allow"} {
		if v := strings.TrimPrefix(resp.Header.Get(name), url); v != "" {
			x.Answer += " " + name + ": " + v
		}
	}
	if body.Len() > 0 {
		x.Answer += "\n" + normal(t, body.Bytes())
	}
	return x
}

// normal returns a body on one line, with sorted keys, and without what differs each
// time. The detail of an error is worded by each side.
func normal(t *testing.T, body []byte) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	errors, _ := v["errors"].([]any)
	for _, e := range errors {
		fields, _ := e.(map[string]any)
		fields["request_id"] = "REQUEST"
		delete(fields, "detail")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	must.Succeed(t, enc.Encode(v))
	return strings.TrimSpace(b.String())
}

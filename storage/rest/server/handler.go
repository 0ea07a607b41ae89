package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/auth"
)

// handler returns the handler of all requests.
func (s *Server) handler() http.Handler {
	of := &gate{slots: make(chan struct{}, s.o.Limits.Requests), large: make(chan struct{}, s.o.Limits.Large), limits: s.o.Limits}
	api := of.guard(s.known(s.o.API))
	scrapes := (&gate{slots: make(chan struct{}, s.o.Limits.Scrapes), large: of.large, limits: s.o.Limits}).guard(http.HandlerFunc(s.metrics))
	return s.logged(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.o.MayName != nil && !s.o.MayName(r.Host) {
			refuse(w, r, http.StatusForbidden, "The request names a host other than this machine, and clients are not authenticated: use localhost or 127.0.0.1.")
			return
		}
		switch r.URL.Path {
		case "/healthz":
			s.health(w, r, nil)
		case "/readyz":
			s.health(w, r, s.o.Ready)
		case "/metrics":
			scrapes.ServeHTTP(w, r)
		default:
			api.ServeHTTP(w, r)
		}
	}))
}

// requestIDHeader is the header with the id of the request in an answer.
const requestIDHeader = "X-Openstack-Request-Id"

// note is what the access log says of a request besides its answer.
type note struct {
	id, user string
	status   int
	bytes    int64
}

type noteKey struct{}

// noteOf returns the note of a request that has passed through logged.
func noteOf(r *http.Request) *note {
	n, _ := r.Context().Value(noteKey{}).(*note)
	return n
}

// logged gives each request an id, and writes it to the access log once it is answered.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := &note{id: "req-" + s.o.NewID().String()}
		ctx := rest.WithRequestID(context.WithValue(r.Context(), noteKey{}, n), n.id)
		began := s.o.Clock()
		answered := false
		defer func() {
			if s.o.Access == nil {
				return
			}
			if !answered && n.status == 0 {
				n.status = http.StatusInternalServerError // it panicked, and the connection is closed
			}
			s.o.Access.LogAttrs(ctx, slog.LevelInfo, "request",
				slog.String("request_id", n.id), slog.String("remote", r.RemoteAddr), slog.String("user", n.user),
				slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("query", r.URL.RawQuery),
				slog.String("microversion", r.Header.Get("Openstack-Api-Version")),
				slog.Int("status", n.status), slog.Int64("bytes", n.bytes), slog.Float64("took_ms", math.Round(s.o.Clock().Sub(began).Seconds()*1e6)/1e3))
		}()
		next.ServeHTTP(&counting{ResponseWriter: w, note: n}, r.WithContext(ctx))
		answered = true
		if n.status == 0 {
			n.status = http.StatusOK
		}
	})
}

// counting records the status and size of an answer.
type counting struct {
	http.ResponseWriter
	note *note
}

func (c *counting) WriteHeader(status int) {
	if c.note.status == 0 {
		c.note.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counting) Write(b []byte) (int, error) {
	if c.note.status == 0 {
		c.note.status = http.StatusOK
	}
	n, err := c.ResponseWriter.Write(b)
	c.note.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (c *counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// known finds out who sends a request. It refuses unknown senders, except for the version
// document, at "/".
func (s *Server) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok, err := s.o.Auth.Authenticate(r)
		switch {
		case err != nil:
			s.o.Log.LogAttrs(r.Context(), slog.LevelError, "requests cannot be authenticated", slog.String("error", err.Error()), slog.String("request_id", noteOf(r).id))
			refuse(w, r, http.StatusServiceUnavailable, "The request cannot be authenticated at the moment. Please try again at a later time.")
			return
		case ok:
			noteOf(r).user = who.User
			r = r.WithContext(rest.WithCaller(r.Context(), who))
		case s.o.Challenge != "" && r.URL.Path != "/" && r.URL.Path != "":
			unauthorized(w, r, s.o.Challenge)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unauthorized refuses a request as the middleware of OpenStack's services does.
//
// Source: keystonemiddleware/auth_token/__init__.py.
func unauthorized(w http.ResponseWriter, r *http.Request, challenge string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set(requestIDHeader, noteOf(r).id)
	w.WriteHeader(http.StatusUnauthorized)
	// A client that has left needs no answer.
	_, _ = io.WriteString(w, `{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}`)
}

// health answers health checks: ready says why requests cannot be answered.
func (s *Server) health(w http.ResponseWriter, r *http.Request, ready func(context.Context) error) {
	if !reads(w, r) {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	text := "ok\n"
	if ready != nil {
		if why := ready(r.Context()); why != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			text = why.Error() + "\n"
		}
	}
	_, _ = io.WriteString(w, text) // a client that has left needs no answer
}

// metrics answers requests for metrics from those who may see them.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.o.Metrics == nil:
		refuse(w, r, http.StatusNotFound, "There are no metrics here.")
		return
	case !reads(w, r):
		return
	case s.o.OpenMetrics:
		s.o.Metrics.ServeHTTP(w, r)
		return
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && r.Header.Get(auth.TokenHeader) == "" {
		r.Header.Set(auth.TokenHeader, token)
	}
	switch who, ok, err := s.o.Auth.Authenticate(r); {
	case err != nil:
		refuse(w, r, http.StatusServiceUnavailable, "The request cannot be authenticated at the moment. Please try again at a later time.")
	case !ok:
		w.Header().Set("WWW-Authenticate", `Bearer realm="placetop"`)
		refuse(w, r, http.StatusUnauthorized, "Metrics need a token, as X-Auth-Token or as Authorization: Bearer.")
	case !auth.MayRead(who):
		noteOf(r).user = who.User
		refuse(w, r, http.StatusForbidden, "Metrics need a role that may read the whole cloud: admin, service, or reader without a project.")
	default:
		noteOf(r).user = who.User
		s.o.Metrics.ServeHTTP(w, r)
	}
}

// reads refuses methods that do more than read.
func reads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	refuse(w, r, http.StatusMethodNotAllowed, "The method is not allowed for this resource.")
	return false
}

// refuse answers with an error in the form of the API's.
func refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	id := noteOf(r).id
	body, _ := json.Marshal(map[string]any{"errors": []map[string]any{{ // strings and a number cannot fail
		"status": status, "title": http.StatusText(status), "detail": detail, "request_id": id,
	}}})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(requestIDHeader, id)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has left needs no answer
}

// gate limits how many requests are served at a time, and how many of those may have a
// large body.
type gate struct {
	slots, large chan struct{}
	limits       Limits
}

// guard lets requests through to next.
func (g *gate) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.enter(r.Context(), g.slots) {
			w.Header().Set("Retry-After", "1")
			refuse(w, r, http.StatusServiceUnavailable, fmt.Sprintf("%d other requests are under way. Please try again at a later time.", cap(g.slots)))
			return
		}
		defer func() { <-g.slots }()
		b := &body{ReadCloser: http.MaxBytesReader(w, r.Body, g.limits.Body), gate: g, ctx: r.Context()}
		defer b.leave()
		r.Body = b
		next.ServeHTTP(w, r)
	})
}

// enter waits for a slot and takes it; false if none was free in time.
func (g *gate) enter(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	default:
	}
	patience := time.NewTimer(g.limits.Wait)
	defer patience.Stop()
	select {
	case slots <- struct{}{}:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return false
}

// body is a request body that waits for a slot once it turns out to be large.
type body struct {
	io.ReadCloser
	gate *gate
	ctx  context.Context //nolint:containedctx // of the request that it is of
	read int64
	once sync.Once // takes the slot
	in   bool      // it has a slot
	late error     // it got no slot in time
}

func (b *body) Read(p []byte) (int, error) {
	if b.read >= small {
		b.once.Do(func() {
			if b.in = b.gate.enter(b.ctx, b.gate.large); !b.in {
				b.late = rest.ErrCrowded
			}
		})
		if b.late != nil {
			return 0, b.late
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	return n, err
}

// leave gives the slot back.
func (b *body) leave() {
	if b.in {
		<-b.gate.large
	}
}

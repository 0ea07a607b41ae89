// Package server is the HTTP server of the Placement API, with limits on what each client
// and all of them together may take of the machine.
//
//	connection ──► crowd: if there are too many, the longest silent one is closed
//	    │
//	 headers ────► net/http: size and time
//	    │
//	 request ────► access log ──► is it for us ──► /healthz /readyz, gate ──► /metrics
//	                   └──► gate: so many at once ──► who is it ──► rest.Handler
//	                                                                  └─► body: gauge
//
// Limits says what the limits are, and what happens to a client beyond them.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/storage/rest/auth"
)

// Options of a Server. API, Auth, Clock and NewID are required.
type Options struct {
	API  http.Handler // of package rest
	Auth auth.Authenticator
	// Challenge is the WWW-Authenticate header of the answer to a request without
	// valid credentials. With "" the API refuses the request itself, as the service
	// does where nothing authenticates clients.
	Challenge string
	Metrics   http.Handler // nil for none
	// OpenMetrics gives the metrics to everyone; otherwise a client needs a token that
	// may read the whole cloud, as X-Auth-Token or as Authorization: Bearer.
	OpenMetrics bool
	// MayName reports whether requests with the given Host may be meant for this
	// server: others are refused. nil for any.
	MayName func(host string) bool
	// Ready says why requests cannot be answered now, nil where they can.
	Ready func(context.Context) error
	// Certificate is the certificate for TLS; nil for plain HTTP.
	Certificate *Certificate
	Limits      Limits
	Clock       func() time.Time
	NewID       func() uuid.UUID // of requests
	Access      *slog.Logger     // logs each request; may be nil
	Log         *slog.Logger     // logs what is wrong with connections; may be nil
}

// Limits are what clients may take.
type Limits struct {
	Header      int           // bytes of the head of a request: 431 beyond it
	Body        int64         // bytes of a body: 413 beyond it
	Large       int           // bodies of more than small bytes at a time: more wait
	Requests    int           // under way at a time: more wait, and get 503 after Wait
	Scrapes     int           // requests for metrics at a time, beside those: the same
	Wait        time.Duration // for others' requests to end
	Connections int           // open at a time: the one that was silent longest is closed
	Head        time.Duration // to send the head of a request: closed
	Request     time.Duration // to send all of it: closed
	Answer      time.Duration // from the head of a request until its answer is taken: closed
	Idle        time.Duration // between two requests: closed
	Grace       time.Duration // for requests under way when the server is told to stop
}

// DefaultLimits returns the usual limits.
func DefaultLimits() Limits {
	return Limits{
		Header: 64 << 10, Body: 64 << 20, Large: 4, Requests: 256, Scrapes: 8, Wait: 10 * time.Second, Connections: 2048,
		Head: 10 * time.Second, Request: time.Minute, Answer: 2 * time.Minute, Idle: 2 * time.Minute, Grace: 30 * time.Second,
	}
}

// small is how many bytes a body may have to be read without waiting for others.
const small = 1 << 20

// Server answers requests on a listener.
type Server struct {
	o     Options
	http  *http.Server
	crowd *crowd
}

// New returns a Server that does not listen yet.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o, crowd: newCrowd(o.Limits.Connections)}
	only1 := new(http.Protocols)
	only1.SetHTTP1(true) // the limits above assume connections with one request at a time
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: o.Limits.Head, ReadTimeout: o.Limits.Request, WriteTimeout: o.Limits.Answer,
		IdleTimeout: o.Limits.Idle, MaxHeaderBytes: o.Limits.Header, ConnState: s.crowd.changed, Protocols: only1,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}
	s.http.RegisterOnShutdown(s.crowd.disperse)
	return s
}

// ListenError reports that a server cannot listen at an address.
type ListenError struct {
	Address string
	Why     string
	Hint    string // what to do; may be empty
	Err     error  // of the system; may be nil
}

func (e *ListenError) Error() string {
	s := "cannot listen at " + e.Address + ": " + e.Why
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns the error of the system.
func (e *ListenError) Unwrap() error { return e.Err }

// Serve answers requests that arrive at l until ctx ends. Requests in progress then
// get Limits.Grace to finish; Serve returns once none is left. The error says why it
// ended by itself, or which requests got no answer.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.o.Certificate != nil {
		l = tls.NewListener(l, s.o.Certificate.config())
	}
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(l) }()
	select {
	case err := <-ended:
		return errors.Join(err, s.http.Close())
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Limits.Grace)
	defer cancel()
	err := s.http.Shutdown(grace)
	if err != nil {
		err = errors.Join(fmt.Errorf("some requests took longer than %s and were cut off: what was answered is saved", s.o.Limits.Grace), s.http.Close())
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

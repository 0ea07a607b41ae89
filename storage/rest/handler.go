package rest

import (
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// DefaultMostBody is how large a body may be by default, in bytes: that of a reshape
// of ten thousand instances is some five million.
const DefaultMostBody = 64 << 20

// DefaultMostAnswers is how many bytes large answers may have together by default: a
// list of all providers of 10,000 hosts is some 25 million.
const DefaultMostAnswers = 256 << 20

// Options of a Handler.
type Options struct {
	// Clock gives the time of answers that say how old they are. It is required.
	Clock func() time.Time
	// NewID gives the uuid of a provider that is made without one, and of a request;
	// nil for random ones.
	NewID func() uuid.UUID
	// Prefix is the path that the API is under, such as "/placement": links in answers
	// have it, and other paths are not found. "" for the root.
	Prefix string
	// MostBody is how many bytes of a body are read; 0 for DefaultMostBody.
	MostBody int64
	// MostAnswers is how many bytes large answers may have together while clients are
	// receiving them, or have stopped to; 0 for DefaultMostAnswers. Beyond it clients
	// are told to try again. A single answer may be of any size.
	MostAnswers int64
	// Observe is called with every request once it is answered, on the goroutine of
	// the request; may be nil.
	Observe func(Observation)
}

// Observation is a request that was answered.
type Observation struct {
	Method       string
	Route        string // the path with its parameters, such as "/resource_providers/{uuid}"; "" where there is no such path
	Microversion string // "1.39"; "" where the request was refused before it was known
	RequestID    string
	User         string // of the Caller; "" if there is none
	Status       int
	Code         string // of a refusal, such as "placement.concurrent_update"
	Conflict     bool   // another writer was faster: 409 with the code of a concurrent update
	Tries        int    // how often a write was decided, from 1; 0 where there was nothing to write
	Bytes        int    // of the body of the answer
	Duration     time.Duration
}

// Handler serves the Placement API. Any goroutine may use it.
type Handler struct {
	store   storage.Store
	o       Options
	indexer candidates.Indexer
	memory  sync.Pool     // *[]byte: buffers of past answers
	others  engine.Shared // that write to the store as well; nil if there are none
	work    chan struct{} // full while the maximum number of answers is being prepared: more would only wait in memory, half finished
	lying   atomic.Int64  // bytes of large answers being sent
}

var _ http.Handler = (*Handler)(nil)

// New returns a Handler for what store keeps. It panics without a clock, which can
// only be a mistake in this program.
func New(store storage.Store, o Options) *Handler {
	if o.Clock == nil {
		panic("rest: a handler needs a clock")
	}
	if o.NewID == nil {
		o.NewID = uuid.New
	}
	if o.MostBody <= 0 {
		o.MostBody = DefaultMostBody
	}
	if o.MostAnswers <= 0 {
		o.MostAnswers = DefaultMostAnswers
	}
	o.Prefix = strings.TrimRight(o.Prefix, "/")
	return &Handler{store: store, o: o, others: engine.Several(store), work: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	began := h.o.Clock()
	r := &request{Request: in, h: h}
	r.id, _ = in.Context().Value(requestIDKey{}).(string)
	if r.id == "" {
		r.id = "req-" + h.o.NewID().String()
	}
	fault := r.serve() //nolint:contextcheck // the context is that of the request within
	if fault != nil {
		r.refuse(fault)
	}
	lies, crowded := h.lie(len(r.body))
	if crowded != nil {
		fault = crowded
		r.set("Retry-After", "1")
		r.refuse(fault)
	}
	r.send(w)
	h.lying.Add(-lies)
	if h.o.Observe != nil {
		h.o.Observe(r.observed(fault, h.o.Clock().Sub(began)))
	}
	r.letGo()
}

// observed returns what to report about r after its answer.
func (r *request) observed(f *fault, took time.Duration) Observation {
	o := Observation{
		Method: r.Method, RequestID: r.id, User: r.caller.User, Status: r.status,
		Tries: r.tries, Bytes: len(r.body), Duration: took,
	}
	if r.path != nil {
		o.Route = r.path.pattern
	}
	if r.versioned {
		o.Microversion = r.version.String()
	}
	if f != nil {
		o.Code = string(f.code)
		o.Conflict = f.conflict()
	}
	return o
}

package rest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// request is one request under way, and its answer.
type request struct {
	*http.Request
	h      *Handler
	id     string
	caller Caller

	version   microversion.Placement
	versioned bool     // version is known, and goes into the answer
	path      *path    // nil until it is found
	args      []string // values of the parameters in the path
	tries     int
	memory    *[]byte // buffer of the answer's body; nil if the body has its own

	response
}

// response is the answer to a request.
type response struct {
	status   int
	header   [][2]string
	kind     string // Content-Type; "" for none
	body     []byte
	modified time.Time // zero for no Last-Modified
}

// at reports whether the request has microversion v or a newer one.
func (r *request) at(v microversion.Placement) bool { return r.version >= v }

// placement returns the current ledger.
func (r *request) placement() *placement.Snapshot { return r.h.store.Snapshot().Placement() }

// serve checks who sends what, in the order of the service, and has the method called.
//
// Source: placement/deploy.py.
func (r *request) serve() *fault {
	place, within := r.place()
	if !within || place != "/" && place != "" {
		var known bool
		if r.caller, known = CallerOf(r.Context()); !known {
			return unauthorized()
		}
	}
	if f := r.negotiate(); f != nil {
		return f
	}
	if r.ContentLength > 0 && r.Header.Get("Content-Type") == "" {
		return badRequest("content-type header required when content-length > 0")
	}
	path, args := find(place)
	if path == nil || !within {
		return &fault{status: http.StatusNotFound}
	}
	r.path, r.args = path, args
	m, ok := path.method(r.Method, r.version)
	if !ok {
		return r.notAllowed(path.allowed())
	}
	return r.call(m)
}

// place returns the path below the prefix; false if it is not below it.
func (r *request) place() (string, bool) { return strings.CutPrefix(r.URL.Path, r.h.o.Prefix) }

// call runs the method for the request if policies allow it.
func (r *request) call(m method) *fault {
	version := func() *fault {
		switch {
		case r.at(m.since):
			return nil
		case m.exception == oldIsMethod:
			return r.notAllowed("")
		}
		return &fault{status: http.StatusNotFound}
	}
	form := func() *fault {
		switch m.form {
		case answersJSON:
			return r.accepts()
		case takesJSON:
			return r.carriesJSON()
		default:
			return nil
		}
	}
	checks := []func() *fault{version, form}
	if m.exception == formFirst {
		checks[0], checks[1] = form, version
	}
	for _, check := range checks {
		if f := check(); f != nil {
			return f
		}
	}
	if m.policy != public && !m.may.allows(r.caller, r.project) {
		return forbidden(m.policy)
	}
	if m.policy != public {
		if f := r.refresh(); f != nil {
			return f
		}
	}
	if r.Method == http.MethodGet {
		r.h.work <- struct{}{}
		defer func() { <-r.h.work }()
	}
	return m.do(r)
}

// refresh waits until what the store shows has all that was written before the request, by
// other servers too: a balancer may have sent the client's last one to any of them.
func (r *request) refresh() *fault {
	if r.h.others == nil {
		return nil
	}
	if err := r.h.others.Refresh(r.Context()); err != nil { // the page readyz says why
		r.set("Retry-After", "1")
		return &fault{status: statusUnavailable, detail: "What other servers have written cannot be read at the moment."}
	}
	return nil
}

// project returns the project in the query, for the policies.
func (r *request) project() string {
	values, _ := r.query()
	return values.last("project_id")
}

// carriesJSON refuses a body of another content type.
//
// Source: placement/util.py, require_content.
func (r *request) carriesJSON() *fault {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if kind == "application/json" {
		return nil
	}
	return unsupportedMedia(kind)
}

// ErrCrowded is the error of reading a body for which there is no room now: the client
// is told to try again.
var ErrCrowded = errors.New("too many large requests are under way")

// readBody returns the body. It reads nothing of one whose declared length is too large.
func (r *request) readBody() ([]byte, *fault) {
	var tooLarge *http.MaxBytesError
	limit := r.h.o.MostBody
	if r.ContentLength > limit {
		return nil, &fault{status: http.StatusRequestEntityTooLarge}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case errors.As(err, &tooLarge) || int64(len(body)) > limit:
		return nil, &fault{status: http.StatusRequestEntityTooLarge}
	case errors.Is(err, ErrCrowded):
		r.set("Retry-After", "1")
		return nil, &fault{status: statusUnavailable, detail: err.Error()}
	case err != nil:
		return nil, badRequest("the body could not be read: %s", err)
	}
	return body, nil
}

// read reads the body: of is the function that reads what the route takes.
//
// Source: placement/util.py, extract_json.
func read[T any](r *request, of func(body.Value) T) (T, *fault) {
	var in T
	text, f := r.readBody()
	if f != nil {
		return in, f
	}
	v, err := body.Parse(text)
	if err != nil {
		return in, badRequest("Malformed JSON: %s", err)
	}
	in = of(v)
	if err := v.Err(); err != nil {
		return in, badRequest("JSON does not validate: %s", err)
	}
	return in, nil
}

// checkQuery returns the parameters of a query; check asks for those that there may be.
//
// Source: placement/util.py, validate_query_params.
func (r *request) checkQuery(check func(*body.Object)) (params, *fault) {
	list, ok := r.query()
	if !ok {
		return nil, badRequest("Invalid query string parameters: not encoded as UTF-8")
	}
	v := body.Texts(func(yield func(string, string) bool) {
		for _, a := range list {
			if !yield(a.key, a.value) {
				return
			}
		}
	})
	o := v.Object(0)
	check(o)
	o.Only()
	if err := v.Err(); err != nil {
		return nil, badRequest("Invalid query string parameters: %s", err)
	}
	return list, nil
}

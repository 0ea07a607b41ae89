package rest

import (
	"net/http"
	"strconv"
	"time"

	"github.com/placetop/placetop/model/api/microversion"
)

// mostKept is the largest buffer of an answer to keep for others, in bytes.
const mostKept = 16 << 20

// largeAnswer is the least number of bytes of an answer that counts against
// Options.MostAnswers.
const largeAnswer = 1 << 20

// lie counts an answer of so many bytes, which stays in memory until the client has taken
// it, and returns how many to subtract then. It refuses the answer if too many bytes are
// waiting already.
func (h *Handler) lie(bytes int) (counted int64, f *fault) {
	if bytes < largeAnswer {
		return 0, nil
	}
	n := int64(bytes)
	if all := h.lying.Add(n); all > n && all > h.o.MostAnswers {
		h.lying.Add(-n)
		return 0, &fault{status: statusUnavailable, detail: "too many large answers are still being sent"}
	}
	return n, nil
}

// text begins the body of an answer, once for each request: its buffer is reused after
// sending.
func (r *request) text(s string) jsonText {
	if r.memory == nil {
		r.memory, _ = r.h.memory.Get().(*[]byte)
		if r.memory == nil {
			r.memory = new([]byte)
		}
	}
	return append((*r.memory)[:0], s...)
}

// letGo releases the buffer of the answer.
func (r *request) letGo() {
	if r.memory == nil {
		return
	}
	if cap(r.body) > cap(*r.memory) && cap(r.body) <= mostKept {
		*r.memory = r.body[:0]
	}
	r.h.memory.Put(r.memory)
	r.memory, r.body = nil, nil
}

// set adds a header to the answer.
func (r *request) set(name, value string) { r.header = append(r.header, [2]string{name, value}) }

// answer sets an answer: body is JSON, modified is when its subject was last written.
func (r *request) answer(status int, body []byte, modified time.Time) {
	r.status, r.kind, r.body = status, "application/json", body
	r.asOf(modified)
}

// done sets the answer for a write without a body.
func (r *request) done(status int) { r.status = status }

// asOf adds when the subject of the answer was last written, if the client's version has
// that.
func (r *request) asOf(modified time.Time) {
	if r.at(microversion.Modified) {
		if modified.IsZero() {
			modified = r.h.o.Clock()
		}
		r.modified = modified
	}
}

// location adds the URL of what was created, in full, as the service does.
func (r *request) location(path string) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	r.set("Location", scheme+"://"+r.Host+r.h.o.Prefix+path)
}

// send writes the answer.
func (r *request) send(w http.ResponseWriter) {
	h := w.Header()
	for _, line := range r.header {
		h.Set(line[0], line[1])
	}
	if r.kind != "" {
		h.Set("Content-Type", r.kind)
	}
	if r.versioned {
		h.Set(versionHeader, "placement "+r.version.String())
		h.Set("Vary", versionHeader)
	}
	if !r.modified.IsZero() {
		h.Set("Last-Modified", r.modified.UTC().Format(http.TimeFormat))
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("X-Openstack-Request-Id", r.id)
	if r.status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	w.WriteHeader(r.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(r.body) // a client that has left needs no answer
	}
}

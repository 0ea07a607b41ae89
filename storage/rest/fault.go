package rest

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
)

// fault is the refusal of a request.
type fault struct {
	status   int
	code     api.Code // "" for api.Undefined
	detail   string
	versions bool // the answer lists the supported versions
	bare     bool // the answer is not in the form of Placement's errors: upstream it comes from middleware before Placement
}

// conflict reports whether f is a lost race with another writer.
func (f *fault) conflict() bool {
	return f.status == http.StatusConflict && f.code == api.ConcurrentUpdate
}

// explanation returns the sentence with which the errors of a status begin; "" for none.
func explanation(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "The server could not comply with the request since it is either malformed or otherwise incorrect."
	case http.StatusUnauthorized:
		return "This server could not verify that you are authorized to access the document you requested."
	case http.StatusForbidden:
		return "Access was denied to this resource."
	case http.StatusNotFound:
		return "The resource could not be found."
	case http.StatusConflict:
		return "There was a conflict when trying to complete your request."
	case http.StatusRequestEntityTooLarge:
		return "The body of your request was too large for this server."
	case http.StatusServiceUnavailable:
		return "The server is currently unavailable. Please try again at a later time."
	case http.StatusInternalServerError:
		return "The server has either erred or is incapable of performing the requested operation."
	}
	return ""
}

func badRequest(format string, args ...any) *fault {
	return &fault{status: http.StatusBadRequest, detail: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *fault {
	return &fault{status: http.StatusNotFound, detail: fmt.Sprintf(format, args...)}
}

func conflict(code api.Code, format string, args ...any) *fault {
	return &fault{status: http.StatusConflict, code: code, detail: fmt.Sprintf(format, args...)}
}

func unauthorized() *fault { return &fault{status: http.StatusUnauthorized, bare: true} }

func forbidden(action string) *fault {
	return &fault{status: http.StatusForbidden, detail: "Policy does not allow placement:" + action + " to be performed."}
}

func notAcceptable(why string) *fault {
	return &fault{status: http.StatusNotAcceptable, detail: why}
}

func unsupportedMedia(kind string) *fault {
	return &fault{status: http.StatusUnsupportedMediaType, detail: "The media type " + cmp.Or(kind, "None") + " is not supported, use application/json"}
}

// notAllowed refuses the method, and lists the allowed ones, unless "".
func (r *request) notAllowed(allowed string) *fault {
	if allowed != "" {
		r.set("Allow", allowed)
	}
	return &fault{status: http.StatusMethodNotAllowed, detail: "The method " + r.Method + " is not allowed for this resource."}
}

// mostDetail is the most bytes of detail in a refusal, which may quote what was sent.
const mostDetail = 4 << 10

// text returns what f says: the explanation of its status, and the detail.
func (f *fault) text() string {
	explains := explanation(f.status)
	detail := f.detail
	if len(detail) > mostDetail {
		detail = strings.ToValidUTF8(detail[:mostDetail], "") + "..."
	}
	switch {
	case detail == "":
		return explains
	case explains == "":
		return detail
	}
	return explains + "\n\n" + detail
}

// refuse answers r with f.
//
// Source: placement/util.py, json_error_formatter.
func (r *request) refuse(f *fault) {
	title := http.StatusText(f.status)
	r.modified = r.modified.UTC().Truncate(0)
	status := fmt.Sprintf("%d %s", f.status, title)
	switch r.refusesIn() {
	case inHTML:
		page := "<html><head><title>" + status + "</title></head><body><h1>" + status + "</h1><pre>" + html.EscapeString(f.text()) + "</pre></body></html>"
		r.response = response{status: f.status, kind: "text/html; charset=UTF-8", body: []byte(page), header: r.header}
		return
	case inText:
		r.response = response{status: f.status, kind: "text/plain; charset=UTF-8", body: []byte(status + "\n\n" + f.text()), header: r.header}
		return
	case inJSON:
	}
	var b jsonText
	if f.bare {
		b = b.raw(`{"message": `).str(f.text()).raw(`, "code": `).str(status).raw(`, "title": `).str(title).raw("}")
	} else {
		b = b.raw(`{"errors": [{"status": `).num(int64(f.status)).raw(`, "title": `).str(title).raw(`, "detail": `).str(f.text())
		if r.versioned && r.at(microversion.Codes) {
			code := f.code
			if code == "" {
				code = api.Undefined
			}
			b = b.raw(`, "code": `).str(string(code))
		}
		b = b.raw(`, "request_id": `).str(r.id)
		if f.versions {
			b = b.raw(`, "max_version": "` + microversion.PlacementNewest.String() + `", "min_version": "` + minVersion + `"`)
		}
		b = b.raw("}]}")
	}
	r.response = response{status: f.status, kind: "application/json", body: b, header: r.header}
}

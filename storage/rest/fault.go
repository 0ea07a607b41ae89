package rest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/placetop/placetop/model/wire"
)

// fault is why a request is refused.
type fault struct {
	status   int
	code     wire.Code // "" for wire.Undefined
	detail   string
	explains string // stands for the explanation of the status where it is not ""
	versions bool   // the answer tells which versions there are
	bare     bool   // the answer is not of the form of Placement's errors: it comes from before Placement
}

// conflict reports whether f says that somebody else wrote in between.
func (f *fault) conflict() bool {
	return f.status == http.StatusConflict && f.code == wire.ConcurrentUpdate
}

// explanations are the sentences with which the service begins what it says of a
// status, and titles what it calls them.
//
// Source: webob/exc.py.
func explanation(status int) (title, text string) {
	switch status {
	case http.StatusBadRequest:
		return "Bad Request", "The server could not comply with the request since it is either malformed or otherwise incorrect."
	case http.StatusUnauthorized:
		return "Unauthorized", "This server could not verify that you are authorized to access the document you requested. Either you supplied the " +
			"wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required."
	case http.StatusForbidden:
		return "Forbidden", "Access was denied to this resource."
	case http.StatusNotFound:
		return "Not Found", "The resource could not be found."
	case http.StatusMethodNotAllowed:
		return "Method Not Allowed", ""
	case http.StatusNotAcceptable:
		return "Not Acceptable", ""
	case http.StatusConflict:
		return "Conflict", "There was a conflict when trying to complete your request."
	case http.StatusRequestEntityTooLarge:
		return "Request Entity Too Large", "The body of your request was too large for this server."
	case http.StatusUnsupportedMediaType:
		return "Unsupported Media Type", ""
	case http.StatusServiceUnavailable:
		return "Service Unavailable", "The server is currently unavailable. Please try again at a later time."
	}
	return "Internal Server Error", "The server has either erred or is incapable of performing the requested operation."
}

func badRequest(format string, args ...any) *fault {
	return &fault{status: http.StatusBadRequest, detail: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *fault {
	return &fault{status: http.StatusNotFound, detail: fmt.Sprintf(format, args...)}
}

func conflict(code wire.Code, format string, args ...any) *fault {
	return &fault{status: http.StatusConflict, code: code, detail: fmt.Sprintf(format, args...)}
}

func unauthorized() *fault { return &fault{status: http.StatusUnauthorized, bare: true} }

func forbidden(action string) *fault {
	return &fault{status: http.StatusForbidden, detail: "Policy does not allow placement:" + action + " to be performed."}
}

func notAcceptable(accept, detail string) *fault {
	if accept == "" || accept == "*/*" {
		accept = "application/json"
	}
	return &fault{
		status: http.StatusNotAcceptable, detail: detail,
		explains: "The resource could not be generated that was acceptable to your browser\n(content of type " + accept + ". ",
	}
}

func unsupportedMedia(full, kind string) *fault {
	if kind == "" {
		full, kind = "None", "None"
	}
	return &fault{
		status: http.StatusUnsupportedMediaType, detail: "The media type " + kind + " is not supported, use application/json",
		explains: "The request media type " + full + " is not supported by this server.\n",
	}
}

// notAllowed refuses the method, and tells which there are, "" for not telling.
func (r *request) notAllowed(allowed string) *fault {
	f := &fault{status: http.StatusMethodNotAllowed, explains: "The method " + r.Method + " is not allowed for this resource. "}
	if allowed != "" {
		f.detail = "The method specified is not allowed for this resource."
		r.set("Allow", allowed)
	}
	return f
}

var (
	lineBreak = regexp.MustCompile(`(?is)<br.*?>`)
	tag       = regexp.MustCompile(`(?s)<.*?>`)
)

// mostDetail is how much is said of a refusal, in bytes: what was sent may be in it.
const mostDetail = 128 << 10

// text returns what the service says of f, as its library puts it together.
//
// Source: webob/exc.py, _make_body and strip_tags.
func (f *fault) text() string {
	_, explains := explanation(f.status)
	end := "\n\n"
	if f.explains != "" {
		explains, end = f.explains, ""
	}
	detail := f.detail
	if len(detail) > mostDetail {
		detail = strings.ToValidUTF8(detail[:mostDetail], "") + "..."
	}
	s := explains + "\x00\x00\n" + strings.ReplaceAll(detail, "\x00", "") + end
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "\r", "")
	if strings.ContainsRune(s, '<') {
		s = lineBreak.ReplaceAllString(s, "\n")
		s = strings.NewReplacer("<!--", "", "-->", "").Replace(s)
		s = tag.ReplaceAllString(s, "")
	}
	return strings.ReplaceAll(s, "\x00", "\n")
}

// refuse answers r with f.
//
// Source: placement/util.py, json_error_formatter.
func (r *request) refuse(f *fault) {
	title, explains := explanation(f.status)
	r.modified = r.modified.UTC().Truncate(0)
	var b jsonText
	if f.bare {
		b = b.raw(`{"message": `).str(explains + "<br /><br />\n\n\n").raw(`, "code": `).str(fmt.Sprintf("%d %s", f.status, title)).raw(`, "title": `).str(title).raw("}")
	} else {
		b = b.raw(`{"errors": [{"status": `).num(int64(f.status)).raw(`, "title": `).str(title).raw(`, "detail": `).str(f.text())
		if r.versioned && r.at(sinceCodes) {
			code := f.code
			if code == "" {
				code = wire.Undefined
			}
			b = b.raw(`, "code": `).str(string(code))
		}
		b = b.raw(`, "request_id": `).str(r.id)
		if f.versions {
			b = b.raw(`, "max_version": "` + maxVersion + `", "min_version": "` + minVersion + `"`)
		}
		b = b.raw("}]}")
	}
	header := r.header
	r.response = response{status: f.status, kind: "application/json", body: b, header: header}
}

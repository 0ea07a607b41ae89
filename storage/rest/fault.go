package rest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/placetop/placetop/model/wire"
)

// fault is the refusal of a request.
type fault struct {
	status   int
	code     wire.Code // "" for wire.Undefined
	detail   string
	explains string // replaces the explanation of the status unless it is ""
	versions bool   // the answer lists the supported versions
	bare     bool   // the answer is not in the form of Placement's errors: upstream it comes from middleware before Placement
}

// conflict reports whether f is a lost race with another writer.
func (f *fault) conflict() bool {
	return f.status == http.StatusConflict && f.code == wire.ConcurrentUpdate
}

// explanation returns the title of a status, and the sentence with which the service
// begins its errors.
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

// notAllowed refuses the method, and lists the allowed ones, unless "".
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

// mostDetail is the most bytes of detail in a refusal, which may quote what was sent.
const mostDetail = 128 << 10

// parts returns the parts of the service's text for f: the explanation of the status, the
// detail, and the end. Two line breaks separate the first two.
//
// Source: webob/exc.py, _make_body.
func (f *fault) parts() (explains, detail, end string) {
	_, explains = explanation(f.status)
	end = "\n\n"
	if f.explains != "" {
		explains, end = f.explains, ""
	}
	detail = f.detail
	if len(detail) > mostDetail {
		detail = strings.ToValidUTF8(detail[:mostDetail], "") + "..."
	}
	return explains, detail, end
}

// text returns f as plain text, in the form of webob.
//
// Source: webob/exc.py, strip_tags.
func (f *fault) text() string {
	explains, detail, end := f.parts()
	s := explains + "\x00\x00\n" + strings.ReplaceAll(detail, "\x00", "") + end
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "\r", "")
	if strings.ContainsRune(s, '<') {
		s = lineBreak.ReplaceAllString(s, "\n")
		s = strings.NewReplacer("<!--", "", "-->", "").Replace(s)
		s = tag.ReplaceAllString(s, "")
	}
	return strings.ReplaceAll(s, "\x00", "\n")
}

// html returns f as an HTML page.
//
// Source: webob/exc.py, html_body.
func (f *fault) html(status string) string {
	explains, detail, end := f.parts()
	return "<html>\n <head>\n  <title>" + status + "</title>\n </head>\n <body>\n  <h1>" + status + "</h1>\n  " +
		escapeHTML(explains) + "<br /><br />\n" + escapeHTML(detail) + end + "\n </body>\n</html>"
}

// escapeHTML replaces the special characters of HTML, and everything but ASCII, by
// references.
//
// Source: webob/util.py, html_escape.
func escapeHTML(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '&':
			b.WriteString("&amp;")
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case c == '"':
			b.WriteString("&quot;")
		case c == '\'':
			b.WriteString("&#x27;")
		case c > unicode.MaxASCII:
			fmt.Fprintf(&b, "&#%d;", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// refuse answers r with f.
//
// Source: placement/util.py, json_error_formatter.
func (r *request) refuse(f *fault) {
	title, explains := explanation(f.status)
	r.modified = r.modified.UTC().Truncate(0)
	status := fmt.Sprintf("%d %s", f.status, title)
	switch r.refusesIn() {
	case inHTML:
		r.response = response{status: f.status, kind: "text/html; charset=UTF-8", body: []byte(f.html(status)), header: r.header}
		return
	case inText:
		r.response = response{status: f.status, kind: "text/plain; charset=UTF-8", body: []byte(status + "\n\n" + f.text()), header: r.header}
		return
	case inJSON:
	}
	var b jsonText
	if f.bare {
		b = b.raw(`{"message": `).str(explains + "<br /><br />\n\n\n").raw(`, "code": `).str(status).raw(`, "title": `).str(title).raw("}")
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

package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/placement"
)

// FaultError reports that a service did not do what it was asked for. It matches
// placement.ErrUnavailable; for a write, placement.ErrConflict where another writer
// was faster, placement.ErrUnsupported where the user may not do it,
// placement.ErrNotFound where what it is about is gone, and placement.ErrState where the
// current state does not allow it. It never holds a token or a password.
type FaultError struct {
	Service string   // "placement", "compute", "identity"
	Call    string   // "GET /resource_providers"; "" for the connection itself
	Status  int      // HTTP status; 0 where there was no answer
	Code    api.Code // of a refusal, as the body has it; "" for none
	Why     string
	Hint    string // what to do; may be empty
	Err     error  // may be nil

	final   bool          // no later request will succeed
	unheard bool          // no answer came
	after   time.Duration // of Retry-After; 0 for none
	tries   int           // how often it was asked before that was given up; 0 if it was asked once
	passes  bool          // it may have passed a moment later
	missing bool          // the service knows nothing by that name, such as a provider that others have deleted
	busy    bool          // something else is being done to the server, or was
	absent  bool          // the same, in the words in which only Nova itself says so
}

func (e *FaultError) Error() string {
	s := e.Service
	if e.Call != "" {
		s += " " + e.Call
	}
	if e.Status != 0 {
		s += fmt.Sprintf(": %d %s", e.Status, http.StatusText(e.Status))
	}
	s += ": " + e.Why
	if again := e.again(); again != "" {
		s = strings.TrimSuffix(s, ".") + " (" + again + ")"
	}
	if e.Hint != "" {
		s = strings.TrimSuffix(s, ".") + "; " + e.Hint
	}
	return s
}

// again says how often a service was asked, and what it says about asking again; "" if
// there is nothing to say.
func (e *FaultError) again() string {
	var parts []string
	if e.tries > 1 {
		parts = append(parts, fmt.Sprintf("asked %d times", e.tries))
	}
	if e.after > 0 {
		parts = append(parts, "it is to be asked again in "+e.after.String())
	}
	return strings.Join(parts, "; ")
}

// Is reports whether target is the kind of error that e is.
func (e *FaultError) Is(target error) bool {
	switch {
	case e.Code == api.ConcurrentUpdate:
		return target == placement.ErrConflict
	case strings.HasPrefix(e.Call, http.MethodGet), e.Call == "":
	case e.Status == http.StatusForbidden:
		return target == placement.ErrUnsupported
	case e.busy:
		return target == placement.ErrConflict || target == placement.ErrState
	case e.missing:
		return target == placement.ErrNotFound
	case e.Status == http.StatusBadRequest, e.Status == http.StatusConflict:
		return target == placement.ErrState
	}
	return target == placement.ErrUnavailable
}

// Unwrap returns the error behind it.
func (e *FaultError) Unwrap() error { return e.Err }

// limits reports whether a request was refused, before anything was done for it, because there
// were too many: Nova and proxies of old answer 413, which without a time to wait means that
// the request is too long.
func (e *FaultError) limits() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestEntityTooLarge && e.after > 0
}

// withStatus returns err as a fault with an HTTP status, nil if it is something else.
func withStatus(err error, status int) *FaultError {
	var f *FaultError
	if errors.As(err, &f) && f.Status == status {
		return f
	}
	return nil
}

// gone reports whether err says that the requested thing does not exist.
func gone(err error) bool { return withStatus(err, http.StatusNotFound) != nil }

// forbidden reports whether err means that the user lacks permission.
func forbidden(err error) bool { return withStatus(err, http.StatusForbidden) != nil }

// passingStatuses returns the statuses of faults that may have passed a moment later: a service
// or a proxy in front of it is starting, restarting, overloaded, or has lost its database
// or another service for a moment, for which Nova and Placement answer 500.
func passingStatuses() []int {
	return []int{
		http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}
}

// mayRetry reports whether a request that changes nothing may succeed a moment later:
// after a passing status, an answer that broke off or was garbled, and a connection that
// was refused or reset. One that got no answer for a minute will not; one that could not
// connect in time may, although package net reports both in the same words.
func mayRetry(err error) bool {
	var f *FaultError
	if !errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !notConnected(err) {
		return false
	}
	return f.passes || f.Status == 0 && !f.final
}

// broken reports whether err means that a service does not work, rather than that it
// refuses a request. What was cut off is read.
func broken(err error) bool {
	var f *FaultError
	if !errors.As(err, &f) {
		return false
	}
	return f.Status < http.StatusBadRequest || f.Status >= http.StatusInternalServerError ||
		f.Status == http.StatusUnauthorized || f.limits()
}

// noAnswer reports whether err means that no answer came.
func noAnswer(err error) bool {
	var f *FaultError
	return errors.As(err, &f) && f.unheard
}

// retryAfter returns how long a service asks to wait before the next try, but no longer
// than mostAfter; 0 if it does not say.
func retryAfter(header http.Header) time.Duration {
	const mostAfter = 30 * time.Second
	text := header.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(n, 0), int(mostAfter/time.Second))) * time.Second
	}
	until, err := http.ParseTime(text)
	now, wrong := http.ParseTime(header.Get("Date"))
	if err != nil || wrong != nil {
		return 0
	}
	return min(max(until.Sub(now), 0), mostAfter)
}

// after returns how long the service that answered err asks to wait; 0 if it does not
// say.
func after(err error) time.Duration {
	var f *FaultError
	if !errors.As(err, &f) {
		return 0
	}
	return f.after
}

// notConnected reports whether err means that no connection was made, so the request was not
// sent.
func notConnected(err error) bool {
	way, ok := errors.AsType[*net.OpError](err)
	return ok && way.Op == "dial"
}

// isPassing reports whether err is an answer with a passing status.
func isPassing(err error) bool {
	var f *FaultError
	return errors.As(err, &f) && f.passes
}

// Hints that several faults share.
const (
	hintTLS   = "set cacert in clouds.yaml, or OS_CACERT, to the file of its CA"
	hintName  = "check auth_url and the service catalog"
	hintDown  = "check that it is up, and that no firewall blocks it"
	hintProxy = "check the proxy that HTTPS_PROXY or HTTP_PROXY names; NO_PROXY lists hosts that need none"
	hintAuth  = "check auth_url in clouds.yaml, and that Keystone is up"
	hintUser  = "check the user, password, project and domains under auth in clouds.yaml and secure.yaml"
	hintTold  = "see its log"
	hintLong  = "check what answers at that address"
	hintHTTP  = "use http:// instead of https:// if it has no TLS"
)

// faultOf makes a FaultError of what gophercloud returned.
func faultOf(service, call string, err error) *FaultError {
	f := &FaultError{Service: service, Call: call, Err: err}
	var status gophercloud.ErrUnexpectedResponseCode
	var again *gophercloud.ErrUnableToReauthenticate
	switch {
	case errors.As(err, &again):
		f.Service, f.Call = "identity", "POST /auth/tokens"
		f.refused(http.StatusUnauthorized, "", nil)
		f.Why = "the token was refused, and a new one could not be had: " + brief(again.ErrReauth)
		if _, ok := errors.AsType[*ConfigError](again.ErrReauth); ok {
			f.Service, f.Call, f.Hint = service, call, ""
		} else {
			f.passes = mayRetry(faultOf(f.Service, f.Call, again.ErrReauth))
			if answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](again.ErrReauth); ok && answer.Actual >= http.StatusInternalServerError {
				f.Status, f.Why, f.Hint = answer.Actual, "the token was refused, and Keystone could not renew it", hintAuth
			}
		}
		f.Err = nil // its text quotes bodies
	case errors.As(err, &status):
		f.refused(status.Actual, status.ResponseHeader.Get("Content-Type"), status.Body)
		f.after = retryAfter(status.ResponseHeader)
		f.passes = slices.Contains(passingStatuses(), f.Status) || f.limits()
		f.Err = nil
	default:
		f.unanswered(err)
		f.unheard = true
	}
	if service == "identity" && (f.Hint == hintName || f.Hint == hintDown || f.Hint == "" && f.Status == 0) {
		f.Hint = hintAuth
	}
	if service == "identity" && f.Hint == hintHTTP {
		f.Hint = "use http:// in auth_url in clouds.yaml if it has no TLS"
	}
	return f
}

// brief returns the text of an error without the bodies that it may quote.
func brief(err error) string {
	if status, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err); ok {
		return fmt.Sprintf("%d %s", status.Actual, http.StatusText(status.Actual))
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err.Error()
	}
	return clip(err.Error())
}

// refused fills in e for an answer other than success.
func (e *FaultError) refused(status int, contentType string, body []byte) {
	e.Status = status
	told, code := faultIn(contentType, body)
	e.Code = code
	e.busy = status == http.StatusConflict && e.Service == string(api.Compute) && strings.Contains(told, " while it is in ") // see raise_http_conflict_for_instance_invalid_state
	e.absent = status == http.StatusNotFound && strings.Contains(contentType, "json") &&
		(told != "" && bytes.Contains(body, []byte(`"itemNotFound"`)) || e.Service == string(api.Accelerator) && bytes.Contains(body, []byte("faultstring")) && strings.Contains(told, path.Base(e.Call)))
	switch {
	case status == http.StatusUnauthorized && e.Service == "identity" && strings.Contains(told, "expired"):
		e.Why, e.Hint = told, "put a new one in clouds.yaml or secure.yaml"
	case status == http.StatusUnauthorized && e.Service == "identity":
		e.Why, e.Hint = "wrong user, password or project", hintUser
	case status == http.StatusUnauthorized:
		e.Why, e.Hint = "the token was refused: it has expired, or is from another cloud", "get a new one"
	case status == http.StatusForbidden:
		e.Why, e.Hint = orElse(told, "this user is not allowed to do that"), "reading Placement requires admin of a project, or reader with system_scope: all"
		if e.Service != "placement" || !strings.HasPrefix(e.Call, http.MethodGet) {
			e.Hint = "it requires the role admin"
		}
	case status == http.StatusNotFound && told != "" && e.Service == "identity": // an application credential
		e.Why, e.Hint = told, "check auth_url and the rest of auth in clouds.yaml and secure.yaml"
	case status == http.StatusNotFound && told == "":
		e.Why, e.Hint = "wrong address", hintName
	case status == http.StatusNotAcceptable:
		e.Why, e.Hint = orElse(told, "it does not support this microversion"), ""
	case status >= 300 && status < 400:
		e.Why, e.Hint = "it redirects elsewhere, and the token is not sent there", hintName
	case !strings.Contains(contentType, "json") && status >= 500:
		e.Why, e.Hint = "the answer is not from the service, but from a proxy or the like", "check that the service is up"
	default:
		e.missing = status == http.StatusNotFound
		e.Why, e.Hint = orElse(told, "it gave no reason"), ""
		if status >= 500 {
			e.Hint = hintTold
		}
	}
}

// unanswered fills in e for a request without an answer.
func (e *FaultError) unanswered(err error) {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var late net.Error
	var already *FaultError
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	at, down, name := "", hintDown, hintName
	if of, ok := errors.AsType[*url.Error](err); ok {
		if u, bad := url.Parse(of.URL); bad == nil {
			at = u.Host
			if proxy, _ := http.ProxyFromEnvironment(&http.Request{URL: u}); proxy != nil {
				down, name = hintProxy, hintProxy
			}
		}
	}
	switch {
	case errors.As(err, &already): // from within a transport
		e.Why, e.Hint, e.final = already.Why, already.Hint, already.final
	case errors.As(err, &dns):
		e.Why, e.Hint, e.final = "cannot resolve "+dns.Name, name, true
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid):
		e.Why, e.Hint, e.final = at+" has a certificate that cannot be verified: "+clip(rootOf(err).Error()), hintTLS, true
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		e.Why, e.Hint, e.final = at+" does not speak TLS", hintHTTP, true
	case errors.As(err, &late) && late.Timeout() && strings.Contains(late.Error(), "TLS handshake timeout"): // it has no type of its own
		e.Why, e.Hint = at+" does not answer the TLS handshake", hintHTTP
	case errors.As(err, &syntax), errors.As(err, &shape):
		e.Why = "the answer is not from Keystone"
	case errors.Is(err, context.Canceled):
		e.Why = "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		e.Why, e.Hint = at+" did not answer in time", down
	case at != "":
		e.Why, e.Hint = at+" cannot be reached: "+clip(rootOf(err).Error()), down
	default:
		e.Why = clip(err.Error())
	}
}

// rootOf returns the innermost error of err.
func rootOf(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// faultIn returns what went wrong according to a body, in one short line, and its error
// code: that of Placement and Keystone, that of Nova, or that of Cyborg, which may be a text
// within a text.
//
// Source: cyborg/api/middleware/parsable_error.py; wsme/rest/json.py.
func faultIn(contentType string, body []byte) (string, api.Code) {
	if !strings.Contains(contentType, "json") {
		return "", ""
	}
	var of map[string]json.RawMessage
	if json.Unmarshal(body, &of) != nil {
		return "", ""
	}
	var list []struct {
		Detail string   `json:"detail"`
		Title  string   `json:"title"`
		Code   api.Code `json:"code"`
	}
	if json.Unmarshal(of["errors"], &list) == nil && len(list) > 0 {
		return clip(orElse(list[0].Detail, list[0].Title)), list[0].Code
	}
	var fault string
	if json.Unmarshal(of["faultstring"], &fault) == nil && fault != "" {
		return clip(fault), ""
	}
	if inner := of["error_message"]; inner != nil {
		var text string
		if json.Unmarshal(inner, &text) == nil {
			inner = []byte(text)
		}
		return faultIn(contentType, inner)
	}
	for _, raw := range of {
		var one struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(bytes.TrimSpace(raw), &one) == nil && one.Message != "" {
			return clip(one.Message), ""
		}
	}
	return "", ""
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// clip makes one short, harmless line of a foreign text.
func clip(text string) string {
	const most = 200
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD' // a control character, or an invisible one
	}, text)
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "..."
	}
	return text
}

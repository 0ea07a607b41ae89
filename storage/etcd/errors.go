package etcd

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/shared"
)

// answerError reports that etcd did not do what it was asked. It matches
// placement.ErrUnavailable, and shared.ErrUnknown if it may have done it all the same.
type answerError struct {
	err     error
	doing   string // and whom it was asked for; "" for what is known
	unknown bool
}

func (e *answerError) Error() string {
	text := "etcd: " + errorText(e.err)
	if e.doing != "" {
		text += " (" + e.doing + ")"
	}
	return text
}

func (e *answerError) Unwrap() error { return e.err }

func (e *answerError) Is(target error) bool {
	return target == placement.ErrUnavailable || target == shared.ErrUnknown && e.unknown
}

// errorText returns the text of an error without what only programs understand.
func errorText(err error) string {
	text := err.Error()
	if of := inner.FindStringSubmatch(text); of != nil { // why there is no connection
		return of[1]
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	if s, ok := status.FromError(err); ok {
		text = s.Message()
	}
	return strings.TrimPrefix(text, "etcdserver: ")
}

// inner finds the reason in what gRPC says of a connection.
var inner = regexp.MustCompile(`(?:desc = "|deadline exceeded: )(?:transport: )?(?:Error while dialing: |authentication handshake failed: )?([^"]*)"?$`)

// unavailable is the error of a request that only reads.
func unavailable(err error) error { return &answerError{err: err} }

// definite reports whether a request that failed with err certainly did nothing, nor will:
// etcd, or the client before it sent anything, has refused it.
// Source: go.etcd.io/etcd/api/v3/v3rpc/rpctypes: what may be done later is Unavailable.
func definite(err error) bool {
	code := codes.Unknown
	if of, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		code = of.Code()
	} else if s, ok := status.FromError(err); ok {
		code = s.Code()
	}
	switch code {
	case codes.InvalidArgument, codes.NotFound, codes.PermissionDenied, codes.ResourceExhausted, codes.FailedPrecondition, codes.OutOfRange, codes.Unauthenticated:
		return true
	default:
		return false
	}
}

// hintFor returns what to do about an error; "" for to try again.
func (p place) hintFor(err error) string {
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace):
		return "Its database is full (NOSPACE). If it needs more room, raise --quota-backend-bytes of its members"
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return "Grant its role readwrite on the prefix: etcdctl role grant-permission ROLE --prefix=true readwrite " + p.prefix
	case errors.Is(err, rpctypes.ErrUserEmpty):
		return "It asks for a user: set ETCDCTL_USER and ETCDCTL_PASSWORD_FILE"
	case errors.Is(err, rpctypes.ErrAuthFailed), errors.Is(err, rpctypes.ErrInvalidAuthToken):
		return "Look at ETCDCTL_USER, and at ETCDCTL_PASSWORD_FILE or ETCDCTL_PASSWORD"
	case errors.Is(err, rpctypes.ErrAuthNotEnabled):
		return "It knows no users: unset ETCDCTL_USER"
	case errors.Is(err, rpctypes.ErrRequestTooLarge), errors.Is(err, rpctypes.ErrTooManyOps):
		return "Its members are set to less than etcd's defaults: --max-request-bytes 1572864 and --max-txn-ops 128"
	}
	switch text := err.Error(); {
	case strings.Contains(text, "certificate required"), strings.Contains(text, "bad certificate"), strings.Contains(text, "handshake failure"):
		return "It asks for a certificate that it trusts: set ETCDCTL_CERT and ETCDCTL_KEY"
	case strings.Contains(text, "certificate"):
		return "Name the authority that signed its certificate in ETCDCTL_CACERT, and its hosts by the names in the certificate"
	case strings.Contains(text, "first record does not look like a TLS handshake"), strings.Contains(text, "handshake failed: EOF"):
		return "It speaks without TLS: unset ETCDCTL_CACERT, ETCDCTL_CERT and ETCDCTL_KEY"
	case strings.Contains(text, "broken pipe"), strings.Contains(text, "connection reset"), strings.Contains(text, "server preface"):
		if p.secure {
			return "It may have refused ETCDCTL_CERT: see its log"
		}
		return "If it speaks TLS, set ETCDCTL_CACERT"
	}
	return ""
}

// opening is the error of a request that failed while the place was opened.
func (p place) opening(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	hint := p.hintFor(err)
	if hint == "" {
		hint = "See whether it is up: etcdctl --endpoints=" + strings.Join(p.hosts, ",") + " endpoint health"
	}
	return p.cannot(errorText(err), hint, err)
}

// writing is the error of a request that was to write.
func (p place) writing(err error) error {
	if !definite(err) {
		return &answerError{err: err, unknown: true}
	}
	hint := p.hintFor(err)
	if hint == "" {
		hint = "Nothing was changed; try again"
	}
	told := &storage.NotKeptError{Path: p.String(), Err: &answerError{err: err}, Hint: hint}
	if errors.Is(err, rpctypes.ErrNoSpace) {
		told.Remedy = storage.Rewrite
	}
	return told
}

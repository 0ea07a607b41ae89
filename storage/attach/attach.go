// Package attach lets several processes of one user work on a place that only one of
// them can hold, such as a file: the holder listens on a Unix socket beside it, and any
// process that finds the place held follows the holder there (see package follow).
//
// The socket has mode 0600, and each side checks with the kernel that the other end is
// the same user. The socket of a killed holder is replaced by the next one.
package attach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/follow"
)

// mostFollowers is how many processes may follow at a time.
const mostFollowers = 64

// dialTime is how long to wait for a holder that does not accept the connection.
const dialTime = 2 * time.Second

// Server lets others follow a store.
type Server struct {
	store  storage.Store
	owner  follow.Owner
	path   string
	ln     *net.UnixListener
	report func(error)

	stop context.CancelFunc
	work sync.WaitGroup
	once sync.Once
}

// Serve lets processes of this user follow a store by the socket at path, until ctx
// ends or Close, which must come before the store is closed. The caller holds the lock
// on what the store keeps, so that no other process serves it. Report is called with
// what goes wrong with a follower, from several goroutines.
func Serve(ctx context.Context, path string, store storage.Store, o follow.Owner, report func(error)) (*Server, error) {
	ln, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("no other dashboard can attach: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	s := &Server{store: store, owner: o, path: path, ln: ln, report: report, stop: stop}
	s.work.Go(func() { s.accept(ctx) })
	return s, nil
}

// accept accepts followers.
func (s *Server) accept(ctx context.Context) {
	room := make(chan struct{}, mostFollowers)
	for {
		conn, err := s.ln.AcceptUnix()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = conn.Close() // it came too late
			}
			return
		case err != nil:
			s.report(fmt.Errorf("no other dashboard can attach at the moment: %w", err))
			select {
			case <-time.After(time.Second): // no more files may be opened, say
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case room <- struct{}{}:
		default:
			_ = conn.Close() // the closed connection tells it that there is no room
			s.report(fmt.Errorf("%d are attached already, which is the maximum", mostFollowers))
			continue
		}
		s.work.Go(func() {
			defer func() { <-room }()
			if err := s.serve(ctx, conn); err != nil {
				s.report(fmt.Errorf("an attached dashboard was disconnected: %w", err))
			}
		})
	}
}

// serve serves one follower. It returns a panic as an error: the others continue.
func (s *Server) serve(ctx context.Context, conn *net.UnixConn) (err error) {
	defer conn.Close() //nolint:errcheck // nothing is left to be said
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := sameUser(conn); err != nil {
		return err
	}
	return follow.Serve(ctx, conn, s.store, s.owner)
}

// Close disconnects all followers, and removes the socket.
func (s *Server) Close() error {
	var err error
	s.once.Do(func() {
		s.stop()
		err = errors.Join(os.Remove(s.path), s.ln.Close())
		s.work.Wait()
	})
	return err
}

// listen listens on a socket at path that only this user may open. It replaces one that
// no process listens on now.
func listen(path string) (*net.UnixListener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket == 0 {
		return nil, fmt.Errorf("%s exists and is not a socket", path)
	}
	dir, done, err := short(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer done()
	// It appears under its name with its mode.
	hidden := filepath.Join(dir, fmt.Sprintf(".placetop-%d.sock", os.Getpid()))
	_ = os.Remove(hidden) // of an earlier process with this number
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false)
	err = os.Chmod(hidden, 0o600)
	if err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(hidden), ln.Close())
	}
	return ln, nil
}

// ErrNobody says that no process listens at a socket.
var ErrNobody = errors.New("nobody listens there")

// Dial follows the store that is served by the socket at path. The error is ErrNobody
// where there is no socket, or no process listens on it.
func Dial(ctx context.Context, path string, o follow.Options) (*follow.Store, error) {
	dir, done, err := short(filepath.Dir(path))
	if err != nil {
		return nil, ErrNobody
	}
	defer done()
	dialer := net.Dialer{Timeout: dialTime}
	conn, err := dialer.DialContext(ctx, "unix", filepath.Join(dir, filepath.Base(path)))
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, os.ErrPermission) {
			return nil, &follow.RefusedError{Why: "the socket " + path + " belongs to another user"}
		}
		return nil, ErrNobody
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(ErrNobody, conn.Close())
	}
	if err := sameUser(unix); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return follow.Follow(ctx, unix, o)
}

// sameUser refuses a connection from another user.
func sameUser(conn *net.UnixConn) error {
	uid, err := peer(conn)
	if err != nil {
		return &follow.RefusedError{Why: "cannot tell which user is at the other end of the socket: " + err.Error()}
	}
	if own := os.Geteuid(); uid != own {
		return &follow.RefusedError{Why: fmt.Sprintf("the other end of the socket is uid %d, but this is uid %d", uid, own)}
	}
	return nil
}

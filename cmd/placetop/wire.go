package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/attach"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session/sshd"
	"github.com/placetop/placetop/tui/style"
)

// openToRead opens the cloud to read it, or its past if that was requested. The file must
// exist; other readers may share it.
func (p *program) openToRead(ctx context.Context) (storage.Store, error) {
	p.reads = true
	if err := p.mustBeThere(); err != nil {
		return nil, err
	}
	store, err := p.openFile(ctx, true)
	if err != nil {
		return nil, err
	}
	return p.asItWas(ctx, store)
}

// openOrCopy opens the cloud to read it, or as it was a moment ago if another process has it.
func (p *program) openOrCopy(ctx context.Context) (storage.Store, error) {
	store, err := p.openToRead(ctx)
	if errors.Is(err, storage.ErrLocked) {
		return p.openCopy(ctx)
	}
	return store, err
}

// mustBeThere returns what to do if there is no cloud to read.
func (p *program) mustBeThere() error {
	if there, err := p.fileThere(); err != nil {
		return err
	} else if !there {
		return failed(fmt.Errorf("there is no cloud in %s yet", p.settings.DB),
			fmt.Sprintf(`make one with "placetop demo --no-tui --db %s" or "placetop probe --register", or name another %s with --db`, strings.ToUpper(p.called()), p.called()))
	}
	return nil
}

// openToWrite opens the cloud to change it, and creates the file if there is
// none. If the settings are read-only, the store refuses every write.
func (p *program) openToWrite(ctx context.Context) (storage.Store, error) {
	if p.settings.ReadOnly {
		return p.openToRead(ctx)
	}
	return p.openFile(ctx, false)
}

// openToShow is openToWrite for a dashboard, which shows a live cloud while that is still
// being read.
func (p *program) openToShow(ctx context.Context) (storage.Store, error) {
	o := p.openOptions(p.settings.ReadOnly)
	o.Soon = true
	if p.settings.ReadOnly {
		if err := p.mustBeThere(); err != nil {
			return nil, err
		}
	}
	return p.openToShare(ctx, o)
}

// distant reports whether a cloud is live, and not local.
func distant(store storage.Store) bool {
	_, is := engine.Far(store)
	return is
}

// readOnlyRun is why nothing is written if the settings are read-only.
const readOnlyRun = "this run is read-only: --read-only, PLACETOP_READ_ONLY or the configuration"

// mayWrite refuses every write if the settings are read-only.
func (p *program) mayWrite() error {
	var can cloud.Capabilities
	if p.settings.ReadOnly {
		can.ReadOnly = readOnlyRun
	}
	return can.Can()
}

// openToTry opens the cloud to see the effect of a change: an empty cloud if there is no
// file. It creates no file.
func (p *program) openToTry(ctx context.Context) (storage.Store, error) {
	if there, err := p.fileThere(); err != nil {
		return nil, err
	} else if !there {
		return p.keep(memory.New(memory.Options{Clock: p.now})), nil
	}
	return p.openFile(ctx, true)
}

// engine returns the engine of the cloud in the settings.
func (p *program) engine() engine.Opener {
	if p.guest != nil {
		return p.guest
	}
	if p.settings.Engine == nil {
		return bolt.Engine{}
	}
	return p.settings.Engine
}

// fileThere reports whether there is anything where the cloud should be.
func (p *program) fileThere() (bool, error) {
	there, err := p.engine().Has(p.settings.DB)
	if errors.Is(err, placement.ErrInvalid) {
		return false, usageErrorf("", "--db: %w", err)
	}
	if told, is := errors.AsType[*storage.OpenError](err); is && told.Hint != "" {
		return false, err // it says what to do
	}
	if err != nil {
		return false, failed(err, "name another "+p.called()+" with --db")
	}
	return there, nil
}

func (p *program) openFile(ctx context.Context, readOnly bool) (storage.Store, error) {
	return p.openWith(ctx, p.openOptions(readOnly))
}

// openWith opens the file, and says so if damage makes it read-only.
func (p *program) openWith(ctx context.Context, o engine.Options) (storage.Store, error) {
	open := p.engine().Open
	if p.attaches() {
		open = func(ctx context.Context, place string, o engine.Options) (storage.Store, error) {
			return attach.Open(ctx, p.engine(), place, o)
		}
	}
	p.reads = p.reads && o.ReadOnly
	if !o.Soon {
		defer p.await(&o)()
	}
	s, err := open(ctx, p.settings.DB, o)
	if err != nil {
		return nil, err
	}
	if d := engine.ConditionOf(s).Damage; d != nil {
		p.say("warning: %s", errorText(d))
	}
	if aged := engine.ConditionOf(s).Aged; aged != "" {
		p.say("warning: %s: %s", p.settings.DB, aged)
		p.log.LogAttrs(ctx, slog.LevelWarn, "the file may be old", slog.String("path", p.settings.DB), slog.String("why", aged))
	}
	if n := engine.ConditionOf(s).Newer; n != nil {
		p.say("warning: %s; what this one cannot read is left out", errorText(n))
	}
	if far, is := engine.Far(s); is {
		p.tellUnread = func() {
			for _, part := range far.Link().Parts {
				p.sayUnread(part)
			}
			p.sayUnknown(s.Snapshot().Readings(), far.Link().Parts)
		}
		if !p.writes {
			p.tellUnread()
		}
	}
	if p.kind != nil && !s.Snapshot().Live() {
		for _, part := range cloud.Parts() { // of a copy
			p.sayUnread(s.Snapshot().Reading(part))
		}
	}
	p.log.LogAttrs(ctx, slog.LevelInfo, "opened",
		slog.String("path", p.settings.DB), slog.Bool("read_only", s.Capabilities().ReadOnly != ""), slog.Uint64("revision", uint64(s.Snapshot().Revision())))
	return p.keep(s), nil
}

// sayUnread warns of a part of a live cloud that was not read completely, if the request
// depends on it.
func (p *program) sayUnread(of cloud.Reading) {
	switch {
	case of.Why != "" && (p.kind == nil || p.kind.RestsOn(of.Part)):
		p.say("warning: not read: %s: %s", of.Part, of.Why)
	case of.Cut != "" && p.kind != nil && slices.Contains(p.kind.Lacking(), of.Part):
		p.say("warning: %s: %s", of.Part, of.Cut)
	}
}

// sayUnknown warns of services that a live cloud lacks, if the request depends on what
// they would report.
func (p *program) sayUnknown(unread, asked []cloud.Reading) {
	if p.kind == nil {
		return
	}
	for _, of := range unread {
		if of.Why != "" && slices.Contains(p.kind.Told, of.Part) && !slices.ContainsFunc(asked, func(one cloud.Reading) bool { return one.Part == of.Part }) {
			p.say("warning: not read: %s: %s", of.Part, of.Why)
		}
	}
}

// keep closes s when the program ends.
func (p *program) keep(s storage.Store) storage.Store {
	p.opened = append(p.opened, s)
	return s
}

// actor returns who writes, for the journal: the user of the operating system, or the
// guest.
func (p *program) actor() string {
	if p.guest != nil {
		return p.guest.session.Person.Name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := p.env["USER"]; name != "" {
		return name
	}
	return "uid " + strconv.Itoa(os.Getuid())
}

// attaches reports whether a file that another process has open is used by attaching to
// that.
func (p *program) attaches() bool {
	_, files := p.engine().(engine.FileKeeper)
	return files && !p.settings.NoAttach
}

// called returns what messages call where the cloud is kept.
func (p *program) called() string {
	if _, files := p.engine().(engine.FileKeeper); !files {
		return "place"
	}
	return "file"
}

// place returns the absolute path of the cloud's file, "" if it is not in a file.
func (p *program) place() string {
	if _, files := p.engine().(engine.FileKeeper); !files {
		return ""
	}
	if path, err := filepath.Abs(p.settings.DB); err == nil {
		return path
	}
	return p.settings.DB
}

// known returns what distinguishes the cloud from others with its name, "" if the name
// does: its file, or the file that describes it.
func (p *program) known() string {
	if _, described := p.engine().(remote.Cloud); described {
		return remote.DescribedIn(p.settings.DB)
	}
	return p.place()
}

// openToShare opens the cloud for long, and lets others attach meanwhile.
func (p *program) openToShare(ctx context.Context, o engine.Options) (storage.Store, error) {
	o.As = cmp.Or(o.As, p.actor())
	store, err := p.openWith(ctx, o)
	if err != nil || o.ReadOnly {
		return store, err // readers share the file itself
	}
	p.share(ctx, store, o.As)
	return store, nil
}

// share lets other processes of this user use a store that this process holds, until it
// is closed. If that is impossible, they wait for the file as usual. They see that as is there.
func (p *program) share(ctx context.Context, store storage.Store, as string) {
	if _, files := p.engine().(engine.FileKeeper); !files || follows(store) != nil {
		return
	}
	warn := func(err error) {
		p.log.LogAttrs(context.WithoutCancel(ctx), slog.LevelWarn, "attach", slog.String("error", err.Error()))
	}
	path, err := attach.Socket(p.settings.DB)
	if err != nil {
		warn(err)
		return
	}
	peers := new(follow.Peers)
	peers.Join(engine.Peer{As: as, PID: os.Getpid(), SinceMS: versioned.Millis(p.now())})
	server, err := attach.Serve(ctx, path, store, follow.Owner{Release: version(), Place: p.place(), Peers: peers}, warn)
	if err != nil {
		warn(err)
		return
	}
	p.opened, p.shared, p.peers = append(p.opened, server), store, peers
}

// who returns what lists who works on a store, nil if nobody but this process can.
func (p *program) who(store storage.Store) func() []tui.ConnectedUser {
	switch able, is := store.(engine.Attended); {
	case p.guest != nil:
		return p.guest.of.who
	case is:
		return func() []tui.ConnectedUser { return attached(able.Peers()) }
	case p.peers != nil && p.shared == store:
		return func() []tui.ConnectedUser { return attached(p.peers.List()) }
	}
	return nil
}

// attached lists who works on one cloud: processes, and guests.
func attached(peers []engine.Peer) []tui.ConnectedUser {
	var out []tui.ConnectedUser
	for _, of := range peers {
		role := sshd.Admin
		if of.Looks {
			role = sshd.Reader
		}
		out = append(out, tui.ConnectedUser{Name: oneLine(of.As), Role: cmp.Or(oneLine(of.Role), role.String()), Address: cmp.Or(oneLine(of.From), fmt.Sprintf("pid %d", of.PID)), Since: versioned.Time(of.SinceMS)})
	}
	return out
}

// follows returns s if it follows another process, nil if this process holds it itself.
func follows(store storage.Store) *follow.Store {
	f, _ := store.(*follow.Store)
	return f
}

// lost returns a function that waits until the owner of a followed store is gone, and
// reports that; nil for a store that is held here.
func (p *program) lost(env screen.Env, store storage.Store, name string) func(context.Context) screen.Screen {
	f := follows(store)
	if f == nil {
		return nil
	}
	return func(ctx context.Context) screen.Screen {
		select {
		case <-f.Gone():
			return p.lostPage(env, f, name)
		case <-ctx.Done():
			return nil
		}
	}
}

// lostPage says that the process that had the file open is gone, and offers to take over.
// Name is what the dashboard calls the cloud.
func (p *program) lostPage(env screen.Env, f *follow.Store, name string) screen.Screen {
	why := f.Capabilities().ReadOnly
	var taking atomic.Bool // a second key press would attach to what the first one opens
	page := screen.NewPage(env.Styles, "owner gone", style.SeverityWarn, screen.LabelStale, []string{oneLine(why)},
		screen.Choice{Key: "t", Title: "take over: open the file here, or attach to whoever has it now", Run: func() tea.Cmd {
			return p.opening(func(one *program) (tea.Msg, error) {
				if !taking.CompareAndSwap(false, true) {
					return nil, nil
				}
				msg, err := one.takeOver(env, f, name)
				taking.Store(err == nil)
				return msg, err
			})
		}})
	page.AddLine(fmt.Sprintf("%s: what was confirmed there is on disk. This is revision %d, read only; esc goes back to it for as long as this placetop runs, and R returns here.", filepath.Base(p.settings.DB), f.Snapshot().Revision()))
	return page
}

// takeOver opens the file of a store whose owner is gone, for the dashboard that shows
// it.
func (p *program) takeOver(env screen.Env, f *follow.Store, name string) (tui.OpenMsg, error) {
	store, err := p.openToShare(env.Context, p.openOptions(p.settings.ReadOnly))
	if err != nil {
		return tui.OpenMsg{}, err
	}
	msg := p.openMsg(env, store, name, false)
	msg.Instead = f
	if p.clouds != nil {
		p.clouds.again(name, msg)
	}
	return msg, nil
}

// waitNotice says which service of a live cloud a command is waiting for, if it takes long:
// from the start until the cloud is open, and after that for each request.
type waitNotice struct {
	say func(format string, args ...any)

	mu    sync.Mutex
	timer *time.Timer
	turn  int           // counts the timers: a stopped one may still fire
	took  time.Duration // the last interval
	whom  string        // the service last asked
	doing string        // progress of the reading that opens the cloud
	open  bool
}

// firstAwait is the time until the first message; after each message it doubles.
const firstAwait = 3 * time.Second

// await makes a cloud that is opened with o report on a terminal what is waited for,
// until opened is called, and after that what a request waits for.
func (p *program) await(o *engine.Options) (opened func()) {
	if !isTerminal(p.stderr) {
		return func() {}
	}
	a := &waitNotice{say: p.say}
	a.start()
	o.Asking = a.asking
	if o.Progress == nil {
		o.Progress = a.reading
	}
	return a.opened
}

// start makes tell run if it takes long from now.
func (a *waitNotice) start() {
	a.stop()
	turn := a.turn
	a.took = firstAwait
	a.timer = time.AfterFunc(firstAwait, func() { a.tell(turn) })
}

// stop prevents further messages.
func (a *waitNotice) stop() {
	a.turn++
	if a.timer != nil {
		a.timer.Stop()
	}
}

// asking notes the service being asked, "" for none.
func (a *waitNotice) asking(whom string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.whom
	switch {
	case whom == "" && !a.open: // the request is retried, or the next one follows
		return
	case whom == "":
		a.stop()
	case was == "":
		a.start()
	}
	a.whom = whom
}

// reading notes the progress of a reading. No command waits for those after the first
// one.
func (a *waitNotice) reading(done, of int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.open {
		a.doing = engine.Reading(done, of) + ", "
	}
}

// opened notes that the cloud is open.
func (a *waitNotice) opened() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop()
	a.open, a.whom, a.doing = true, "", ""
}

// tell prints what is waited for, unless the timer of that turn was stopped meanwhile.
func (a *waitNotice) tell(turn int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if turn != a.turn {
		return
	}
	if a.whom != "" {
		a.say("%swaiting for %s, %s; Ctrl-C to stop", a.doing, a.whom, a.took)
	}
	a.timer.Reset(a.took)
	a.took *= 2
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// program is one run of placetop: its streams, its environment, and what the
// commands share.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            map[string]string
	now            func() time.Time
	newID          func() uuid.UUID
	alone          bool // the only run in its process, and the only cloud that it opens at a time
	copying        bool // a cloud from one place to another, the progress of which is told
	reads          bool // it has opened what it works on only to read it

	settings   config.Settings
	memory     string // the file with what the user arranged in the dashboard; "" for none
	unrecalled string // why nothing of it was; "" if it was, or there is none
	log        *slog.Logger
	opened     []io.Closer   // closed in reverse order
	unprinted  error         // why something could not be printed
	logTo      io.Writer     // what log writes to; nil if there is none
	shared     storage.Store // that others can attach to; nil if none
	peers      *follow.Peers // who works on it
	served     servedStore
	jumps      *keeper.Jumps // between the ticks of an agent; nil for any other
	guest      *guest        // the SSH guest that the run is for; nil for the process's own
	clouds     *contexts     // the clouds of the dashboard; nil without one
	openings   *openings     // what the dashboard opens; nil without one

	format     print.Format   // of what is printed
	out        *print.Printer // of data; nil until the settings are final, or help is printed
	at         string         // the time as of which the cloud is read; "" for now
	kind       *kinds.Kind    // the requested kind; nil if it may be the whole cloud
	needs      []cloud.Part   // of a live cloud, to be read; nil for all
	writes     bool           // it writes; what the write depends on is known once it is planned
	tellUnread func()         // warns of parts of a live cloud that were not read; nil for a local one
	fresh      *freshFile     // the file that this command makes; nil for none
}

// run runs the command in args and returns the exit code. A first signal ends it cleanly,
// a second one at once.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP) // the terminal is gone, or its line
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop)

	p := &program{
		stdin: stdin, stdout: stdout, stderr: stderr,
		env: session.Environ(environ), now: time.Now, newID: uuid.New, memory: memoryFile(), alone: true,
		log: slog.New(slog.DiscardHandler),
	}
	root := p.root()
	root.SetArgs(signedLast(root, args))
	err := p.takeBack(p.ended(ctx, p.orUnprinted(root.ExecuteContext(ctx))))
	if err != nil {
		p.log.LogAttrs(context.WithoutCancel(ctx), slog.LevelError, "failed", slog.String("error", err.Error()))
	}
	// The log is one of the files that were closed.
	err = errors.Join(err, p.close())
	return report(stderr, err)
}

// ended returns the error of a command, and that it was interrupted if it was.
func (p *program) ended(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case p.reads:
		return errors.Join(context.Canceled, err, errReads)
	}
	return errors.Join(context.Canceled, err)
}

// close closes what was opened, last opened first.
func (p *program) close() error { return p.closeDownTo(0) }

// closeDownTo closes what was opened after the first n, last opened first.
func (p *program) closeDownTo(n int) error {
	var errs []error
	for len(p.opened) > n {
		last := p.opened[len(p.opened)-1]
		p.opened = p.opened[:len(p.opened)-1]
		errs = append(errs, last.Close())
	}
	return errors.Join(errs...)
}

// output is standard output for what ignores that it could not be printed, which run
// reports at the end. After the first error it prints nothing more.
type output struct{ p *program }

// Write implements io.Writer.
func (o output) Write(text []byte) (n int, err error) {
	if o.p.unprinted == nil {
		n, o.p.unprinted = o.p.stdout.Write(text)
	}
	return n, o.p.unprinted
}

// orUnprinted returns the error of a command. Whatever else it says, one whose output could
// not be printed has failed.
func (p *program) orUnprinted(err error) error {
	switch {
	case p.unprinted == nil:
		return err
	case err == nil || errors.Is(err, p.unprinted):
		return failed(cmp.Or(err, p.unprinted), "")
	}
	return failed(fmt.Errorf("%w; %w", p.unprinted, err), "")
}

// root returns the tree of commands.
//
// It uses only cobra. charmbracelet/fang would draw help and errors, but before each of
// them it asks the terminal for its background on standard output and waits up to two
// seconds for the answer, swallowing what is typed meanwhile: error messages would be
// late, and data and questions would share a stream. Its man page always goes to the
// process's standard output, and it changes the first word of a help text ("Uuid",
// "Json").
func (p *program) root() *cobra.Command {
	root := command(`placetop
Who has how much, who uses it, who owns it: OpenStack Placement in a terminal

placetop shows and changes what OpenStack Placement knows: resource providers,
inventories, allocations, traits, aggregates, and whether Nova or Cyborg owns what.
Without a command it is a dashboard; if standard output is not a terminal, it prints
the overview as text.

The cloud is kept in one file. Start with a made-up one (placetop demo), or with
this machine (placetop probe --register).

The flags of every command can also be set in the environment, as PLACETOP_DB and so
on, and in the configuration file: "placetop help configuration" says how, and
what the exit codes mean.

Examples:
  placetop demo
  placetop probe --register
  placetop get providers --owner both -o wide
  placetop allocate VCPU=2 MEMORY_MB=4096 --on cmp-001 --dry-run`)
	root.Version = version()
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownWord(cmd, "command", args[0])
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error { return p.settle(cmd, args) }
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if p.guest != nil {
			p.guest.looks = true
			return nil
		}
		return p.dashboard(cmd.Context())
	}
	p.atFlag(root)
	root.SetIn(p.stdin)
	root.SetOut(output{p})
	root.SetErr(p.stderr)
	root.SetHelpFunc(p.help)
	root.SetHelpCommand(p.helpCommand())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && cmd.Args != nil && (len(words) > 0 || ofSubcommand(cmd, err)) {
			if wrong := cmd.Args(cmd, words); wrong != nil { // the command is misspelt, or missing
				return wrong
			}
		}
		hint := `see "` + cmd.CommandPath() + ` --help"`
		if like := flagLike(cmd, err); like != "" {
			hint = "did you mean --" + like + "?"
		}
		return usageErrorf(hint, "%w", plainFlagError(err))
	})
	root.CompletionOptions.DisableDefaultCmd = true
	p.settings.AddFlags(root.PersistentFlags())
	p.completeWith(root, "theme", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return slices.Concat(themes.Names(p.ownThemes()), themes.Short(), []string{themes.Auto}), cobra.ShellCompDirectiveNoFileComp
	})
	p.completeChoices(root, root.PersistentFlags())

	root.AddGroup(
		&cobra.Group{ID: groupLook, Title: "Look"},
		&cobra.Group{ID: groupChange, Title: "Change"},
		&cobra.Group{ID: groupMove, Title: "Run instances"},
		&cobra.Group{ID: groupCare, Title: "Look after the file"},
		&cobra.Group{ID: groupMore, Title: "More"},
	)
	p.format = print.Table
	nouns := p.nouns()
	for _, of := range []struct {
		group    string
		reach    reach
		commands []*cobra.Command
	}{
		{groupLook, anywhere, []*cobra.Command{
			p.getCommand(), p.candidatesCommand(), p.gateCommand(),
			p.metricsCommand(),
		}},
		{groupLook, itsMemory, []*cobra.Command{p.demoCommand()}},
		{groupLook, itsMachine, []*cobra.Command{p.probeCommand()}},
		{groupChange, itsMachine, []*cobra.Command{p.agentCommand()}},
		{groupChange, serves, []*cobra.Command{p.serveCommand(), p.sshCommand()}},
		{groupChange, anywhere, []*cobra.Command{
			p.createCommand(), p.setCommand(), p.deleteCommand(), p.allocateCommand(),
			p.releaseCommand(), p.reshapeCommand(), p.undoCommand(), p.checkCommand(),
			p.acknowledgeCommand(), p.unacknowledgeCommand(), p.muteCommand(), p.unmuteCommand(),
		}},
		{groupMove, anywhere, []*cobra.Command{
			p.bootCommand(), p.terminateCommand(), p.resizeCommand(), p.migrateCommand(),
			p.confirmCommand(), p.revertCommand(), p.evacuateCommand(), p.handoverCommand(),
			p.healCommand(), p.recoverCommand(),
		}},
		{groupCare, anywhere, []*cobra.Command{
			p.exportCommand(), p.importCommand(), p.objectCommand(), p.verifyCommand(),
			p.onlineDataMigrationsCommand(),
		}},
		{groupCare, itsFiles, []*cobra.Command{
			p.copyCommand(), p.backupCommand(), p.compactCommand(),
			p.restoreCommand(),
		}},
		{groupLook, itsFiles, []*cobra.Command{p.diffCommand()}},
		{groupMore, itsFiles, []*cobra.Command{p.configCommand()}},
		{groupMore, anywhere, []*cobra.Command{p.completionCommand(), p.manCommand(), p.versionCommand()}},
	} {
		for _, cmd := range of.commands {
			cmd.GroupID = of.group
			p.add(root, cmd, of.reach, nouns)
		}
	}
	root.SetHelpCommandGroupID(groupMore)
	return root
}

// add adds a command to root, with what its usage line says.
func (p *program) add(root, cmd *cobra.Command, from reach, nouns map[string]words) {
	root.AddCommand(cmd)
	p.readUsage(cmd, nouns)
	from.note(cmd)
	if p.guest != nil {
		from.refuse(cmd)
	}
}

// The groups of commands in the help.
const (
	groupLook   = "look"
	groupChange = "change"
	groupMove   = "move"
	groupCare   = "care"
	groupMore   = "more"
)

// cloudless annotates a command that needs no cloud unless a flag names one.
const cloudless = "cloudless"

// settle makes the settings final once flags are parsed; args are the remaining
// arguments.
func (p *program) settle(cmd *cobra.Command, args []string) error {
	p.settings.Copies = cmd.Annotations[copies] != ""
	if err := noneEmpty(cmd, args); err != nil {
		return err
	}
	if err := checkFlags(cmd); err != nil {
		return err
	}
	p.settings.MadeUp = cmd.Annotations[cloudless] != "" && !cmd.Flags().Changed("db")
	if err := p.resolve(cmd.Flags()); err != nil {
		return err
	}
	if cmd != cmd.Root() && cmd.Root().PersistentFlags().Changed("token-file") && !p.settings.TakesToken(args) {
		return usageErrorf("add --endpoint URL, or leave it out", "--token-file does nothing without --endpoint: other clouds have their own way to log in")
	}
	if err := p.settings.Unread; err != nil {
		p.say("warning: the configuration is ignored: %v", err)
	}
	if err := p.settings.Unplaced; err != nil && cmd.Annotations[cloudless] == "" {
		return err
	}
	palette, unread, err := p.palette()
	if at := p.settings.ThemeAt; err != nil && strings.HasPrefix(at, p.settings.ConfigAt+":") {
		p.settings.Ignored = append(p.settings.Ignored, fmt.Errorf("%w; ignored", err))
		p.settings.Theme, p.settings.ThemeAt = "", ""
		palette, _, err = p.palette()
	}
	if err != nil {
		return err
	}
	p.out = p.newPrinter(palette)
	for _, wrong := range p.settings.Ignored {
		p.say("warning: %v", wrong)
	}
	if unread != nil && (cmd.Flags().Changed("theme") || isTerminal(p.stdout)) {
		p.say("warning: the theme is not the one asked for: %v", unread)
	}
	if p.settings.LogFile == "" || p.guest != nil {
		return nil
	}
	to, err := p.openLog(args)
	if err != nil {
		return err
	}
	p.logTo = to
	p.log = slog.New(logHandler(to, logFormatOf(cmd)))
	p.log.LogAttrs(cmd.Context(), slog.LevelInfo, "started",
		slog.String("command", cmd.CommandPath()), slog.String("version", version()), slog.Int("pid", os.Getpid()))
	return nil
}

// ownThemes returns the folder of users' own palettes, beside the configuration file.
func (p *program) ownThemes() fs.FS {
	return os.DirFS(filepath.Join(filepath.Dir(p.configPath()), "themes"))
}

// palette returns the requested colours: a palette of the user's own, or a built-in one.
// The error says where the palette was requested. If the user's own cannot be read, it
// returns a built-in one, and why, so that nothing else fails.
func (p *program) palette() (_ themes.Palette, unread, err error) {
	palette, err := themes.Load(p.ownThemes(), p.settings.Theme)
	var faulty *themes.FileError
	if err != nil && !errors.Is(err, themes.ErrUnknown) && !errors.As(err, &faulty) {
		unread = err
		if palette, err = themes.Load(nil, p.settings.Theme); errors.Is(err, themes.ErrUnknown) {
			palette, err = themes.Load(nil, themes.Default)
		}
	}
	switch {
	case err == nil:
		return palette, unread, nil
	case p.settings.ThemeAt != "":
		return themes.Palette{}, nil, usageErrorf("", "%s: %w", p.settings.ThemeAt, err)
	default:
		return themes.Palette{}, nil, usageErrorf("", "%w", err)
	}
}

// capabilities returns what the terminal can do.
func (p *program) capabilities() session.Capabilities {
	return session.Detect(p.env, session.Flags{NoColor: p.settings.NoColor, ASCII: p.settings.ASCII, Sync: p.settings.Sync})
}

// styles returns the styles for the terminal, in the colours of palette.
func (p *program) styles(palette themes.Palette) *style.Styles {
	can := p.capabilities()
	glyphs := can.Glyphs
	if !isTerminal(p.stdout) {
		glyphs.ASCIIOnly = p.settings.ASCII
		return style.NewPlain(palette, glyphs)
	}
	r := lipgloss.NewRenderer(p.stdout)
	r.SetColorProfile(can.Profile)
	r.SetHasDarkBackground(palette.Dark)
	return style.New(palette, r, glyphs)
}

// printer returns the printer of data. Help is printed whatever the settings are.
func (p *program) printer() *print.Printer {
	if p.out == nil {
		palette, _, _ := p.palette()
		p.out = p.newPrinter(palette)
	}
	return p.out
}

// newPrinter returns a printer of data in the colours of palette. Output to a file or a pipe
// has no colour, and its data is only reduced to ASCII on request.
func (p *program) newPrinter(palette themes.Palette) *print.Printer {
	return &print.Printer{W: output{p}, Format: p.format, Styles: p.styles(palette), Terminal: isTerminal(p.stdout)}
}

// say writes a message for people.
func (p *program) say(format string, args ...any) {
	// If a message cannot be printed, there is nowhere else to say so.
	_, _ = fmt.Fprintln(p.stderr, oneLine(fmt.Sprintf(format, args...)))
}

// warn writes warnings for people.
func (p *program) warn(warnings ...string) {
	for _, w := range warnings {
		p.say("warning: %s", w)
	}
}

// isTerminal reports whether stream is a file on a terminal, or a guest's terminal.
func isTerminal(stream any) bool {
	if far, ok := stream.(interface{ IsTerminal() bool }); ok {
		return far.IsTerminal()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

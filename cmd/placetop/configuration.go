package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// configCommand returns "placetop config".
func (p *program) configCommand() *cobra.Command {
	cmd := command(`config
Create or check the configuration file, or say where it is

Create or check the configuration file, or say where it is: settings of all commands,
keys and filters of the dashboard. See "placetop help configuration" for what can be set.

Examples:
  placetop config init
  placetop config check && placetop`)
	cmd.PersistentPreRunE = noSettings
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownWord(cmd, "command", args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(
		&cobra.Command{
			Use: "init", Short: "Write a configuration file that explains everything and sets nothing",
			Example: "  placetop config init",
			RunE:    func(*cobra.Command, []string) error { return p.configInit() },
		},
		&cobra.Command{
			Use: "check", Short: "Say what is wrong in the configuration file, line by line",
			Long: `Say what is wrong in the configuration file: settings, themes, filters, and
keys bound to actions that the dashboard does not have. The exit code is 3 if
something is wrong.`,
			Example: "  placetop config check",
			RunE:    func(cmd *cobra.Command, _ []string) error { return p.configCheck(cmd) },
		},
		&cobra.Command{
			Use: "path", Short: "Print the path of the configuration file, whether it is there or not",
			Example: "  placetop config path",
			RunE: func(*cobra.Command, []string) error {
				p.printer().Lines(p.configPath())
				return nil
			},
		},
		&cobra.Command{
			Use: "theme [NAME]", Short: "Print a built-in theme, to start your own from",
			Long: `Print a built-in theme, to start your own from: ` + themes.Default + ` by default.
The file themes/NAME.toml beside the configuration file is the theme NAME.
It may begin with base = "` + themes.Default + `", and then only needs what differs.`,
			Example: "  placetop config theme okabe",
			ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return themes.Builtins(), cobra.ShellCompDirectiveNoFileComp
			},
			RunE: func(_ *cobra.Command, args []string) error {
				name := themes.Default
				if len(args) > 0 {
					name = args[0]
				}
				text, err := themes.Source(name)
				if err != nil {
					return usageErrorf("", "%w", err)
				}
				_, err = output{p}.Write(text)
				return err
			},
		},
	)
	return cmd
}

// configPath returns the path of the configuration file, whether or not it exists.
func (p *program) configPath() string {
	path, _ := p.settings.Path(p.env)
	return path
}

// configInit writes the file; it never overwrites one.
func (p *program) configInit() error {
	path := p.configPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	_, err := writeNew(path, config.Example)
	if errors.Is(err, fs.ErrExist) {
		return failed(fmt.Errorf("%s exists already", path), "edit it, or name another file with --config")
	}
	if err != nil {
		return err
	}
	p.printer().Lines(path)
	return nil
}

// configCheck prints what is wrong with the file.
func (p *program) configCheck(cmd *cobra.Command) error {
	path := p.configPath()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return failed(fmt.Errorf("%s does not exist", path), "placetop config init writes one")
	}
	faults, err := p.configFaults(cmd, path)
	if err != nil {
		return err
	}
	out := p.printer()
	for _, fault := range faults {
		out.Lines(oneLine(fault.Error()))
	}
	if len(faults) > 0 {
		return exitErrorf(exitProblems, "", "%s in %s", counted(len(faults), "fault"), path)
	}
	out.Lines("nothing wrong in " + path)
	return nil
}

// configFaults returns what is wrong with the file, in the order of reading it.
func (p *program) configFaults(cmd *cobra.Command, path string) ([]error, error) {
	p.settings.Config = path
	if err := p.settings.Resolve(cmd.Flags(), map[string]string{}); err != nil {
		return []error{err}, nil //nolint:nilerr // what is wrong is what was asked for
	}
	faults := slices.Clone(p.settings.Ignored)
	if _, unread, err := p.palette(); err != nil || unread != nil {
		faults = append(faults, errors.Join(err, unread))
	}
	faults = append(faults, p.filterFaults(path)...)
	own := p.ownThemes()
	for _, name := range themes.Own(own) {
		if name == p.settings.Theme {
			continue // reported already, with the place where it is set
		}
		if _, err := themes.Load(own, name); err != nil {
			faults = append(faults, err)
		}
	}
	unknown, err := p.unknownActions(cmd.Context())
	if err != nil || len(unknown) == 0 {
		return faults, err
	}
	data, err := diskfile.ReadText(path)
	for _, id := range unknown {
		faults = append(faults, fmt.Errorf("%s:%d: %s: no action %q; :keys lists those of each screen", path, themes.LineOf(data, config.KeysTable, string(id)), config.KeysTable, id))
	}
	return faults, err
}

// anyFields has every field: which fields exist depends on the list that a filter is used
// on.
type anyFields struct{ *screen.Memory }

func (anyFields) Field(string) func(int) filter.Value {
	return func(int) filter.Value { return filter.Value{} }
}
func (anyFields) Names() []string { return nil }

// filterFaults returns what is wrong with the filters in the file.
func (p *program) filterFaults(path string) []error {
	data, err := diskfile.ReadText(path)
	if err != nil {
		return []error{err}
	}
	var faults []error
	kept := p.filters() // a filter may name saved ones, too
	for _, name := range slices.Sorted(maps.Keys(p.settings.Filters)) {
		if _, err := filter.Compile(p.settings.Filters[name], anyFields{kept}); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %s: %q: %w", path, themes.LineOf(data, config.FiltersTable, name), config.FiltersTable, name, err))
		}
	}
	return faults
}

// pageScopes returns the prefixes of the ids of actions on pages about one thing, besides
// the kinds of their places: those of their steps, and of what opens over them.
func pageScopes() []string {
	return []string{
		"ages", "alias", "batch", "boot", "cards", "choice", "claim", "clouds", "columns", "confirm", "copyas", "describe",
		"edit", "export", "filters", "handover", "here", "keys", "locked", "messages", "move", "panic", "places", "profile", "remark", "root", "service", "sort", "themes", "welcome", "who", "yaml",
	}
}

// passing returns the actions of the dashboard that exist only at times.
func passing() map[action.ID]bool {
	return map[action.ID]bool{"app.copyas": true}
}

// unknownActions returns the actions that keys are bound to but that the dashboard does
// not know. Pages about one thing cannot be opened without it, so their bindings are
// accepted unchecked.
func (p *program) unknownActions(ctx context.Context) ([]action.ID, error) {
	if len(p.settings.Keys) == 0 {
		return nil, nil
	}
	made, err := p.demoInMemory(ctx, demo.Options{Hosts: demo.DefaultHosts, Seed: defaultSeed, Now: p.now()})
	if err != nil {
		return nil, err
	}
	plain := style.NewPlain(themes.Palette{}, style.ASCII())
	env := screen.Env{Styles: plain, Clock: p.now, Cloud: made, Context: ctx}
	app := tui.New(tui.Config{Env: env, OpenMsg: tui.OpenMsg{Cloud: made}, Screens: screens(), Clouds: &contexts{p: p}, Local: true})
	known, scopes, about := passing(), map[string]bool{}, pageScopes()
	add := func(list []action.Action) {
		for _, a := range list {
			scope, _, _ := strings.Cut(string(a.ID), ".")
			known[a.ID], scopes[scope] = true, true
		}
	}
	add(app.Actions()) //nolint:contextcheck // none of them is run
	for _, d := range screens() {
		if d.Names == nil {
			about = append(about, place.Kind(d.Of))
			continue
		}
		if s, err := d.Open(env, d.Of); err == nil {
			add(s.Actions())
		}
	}
	var unknown []action.ID
	for id := range p.settings.Keys {
		if scope, _, _ := strings.Cut(string(id), "."); !known[id] && (scopes[scope] || !slices.Contains(about, scope)) {
			unknown = append(unknown, id)
		}
	}
	slices.Sort(unknown)
	return unknown, nil
}

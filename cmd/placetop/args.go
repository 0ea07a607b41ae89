package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/suggest"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/view"
)

// noneEmpty refuses a command line with an empty argument, or a flag with an empty value.
// They come from unset variables, and if ignored would mean more than was asked for:
// every rule, any host, everything a consumer holds.
func noneEmpty(cmd *cobra.Command, args []string) (err error) {
	if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil // the word to complete is still empty
	}
	if slices.Contains(args, "") {
		return usageErrorf("name what is meant, or leave it out", "%s: an argument is empty", cmd.CommandPath())
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
		}
		if empty && err == nil {
			err = usageErrorf("give it a value, or leave it out", "--%s is empty", f.Name)
		}
	})
	return err
}

// takes returns a check for least to most arguments; most below zero means no limit.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "usage: " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
		switch {
		case len(args) < least:
			return usageErrorf(hint+listing(cmd, len(args)), "%s needs more arguments", cmd.CommandPath())
		case most >= 0 && len(args) > most:
			return usageErrorf(hint, "%s does not take %q", cmd.CommandPath(), args[most])
		}
		return nil
	}
}

// listing says where to find what the nth argument of a command names, "" for anything that no
// list has.
func listing(cmd *cobra.Command, n int) string {
	words := strings.Fields(cmd.Use)[1:]
	if n >= len(words) {
		return ""
	}
	name := strings.ToLower(words[n]) + "s"
	if name == "revisions" {
		name = "events"
	}
	if !slices.ContainsFunc(kinds.All(), func(k *kinds.Kind) bool { return string(k.Name) == name }) {
		return ""
	}
	return "; placetop get " + name + " lists them"
}

// signed marks commands whose arguments may begin with a minus sign: "-HW_B" removes a
// trait.
const signed = "signed"

// numberRange is the annotation of a flag that is a whole number: the accepted numbers,
// in words.
const numberRange = "range"

// plainFlagError returns which numbers a flag accepts. The error of the flag package is
// about the function that parsed it.
func plainFlagError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	switch bad.GetFlag().Value.Type() {
	case "int", "int64", "uint64":
	default:
		return err
	}
	takes := "from 0"
	if said := bad.GetFlag().Annotations[numberRange]; len(said) > 0 {
		takes = said[0]
	}
	return fmt.Errorf("--%s %q: must be a whole number %s", bad.GetFlag().Name, bad.GetValue(), takes)
}

// unknownFlag returns the name of the flag that err says is unknown, "" if it says something
// else. That of -sort is sort: it is read as four flags of one letter.
func unknownFlag(err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	return cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())
}

// ofSubcommand reports whether a subcommand of parent has the flag that err says is unknown.
func ofSubcommand(parent *cobra.Command, err error) bool {
	name := unknownFlag(err)
	return slices.ContainsFunc(parent.Commands(), func(sub *cobra.Command) bool {
		return sub.Flags().Lookup(name) != nil || len(name) == 1 && sub.Flags().ShorthandLookup(name) != nil
	})
}

// flagLike returns the flag that was probably meant by one that err says is unknown: whose
// name begins with it or, if there is none, looks most like it. It returns "" where there is
// no such flag.
func flagLike(cmd *cobra.Command, err error) string {
	name := unknownFlag(err)
	if len(name) < 2 {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	begins := func(flag string) bool { return strings.HasPrefix(flag, name) }
	if i := slices.IndexFunc(names, begins); i >= 0 {
		return names[i]
	}
	if like := suggest.Nearest(name, names); len(like) > 0 {
		return like[0]
	}
	return ""
}

// wordsFirst moves the words of a command that are behind a "--" before it. To POSIX these
// are operands as any others; cobra takes them for no command.
func wordsFirst(root *cobra.Command, args []string) []string {
	at := slices.Index(args, "--")
	if at < 0 {
		return args
	}
	root.InitDefaultHelpCmd()
	cmd, _, err := root.Find(args[:at])
	if err != nil {
		return args
	}
	end := at + 1
	for ; end < len(args); end++ {
		i := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == args[end] || c.HasAlias(args[end]) })
		if i < 0 {
			break
		}
		cmd = cmd.Commands()[i]
	}
	return slices.Concat(args[:at], args[at+1:end], []string{"--"}, args[end:])
}

// signedLast moves those arguments of a signed command that begin with a minus sign and
// are not flags behind a "--", so that they are not taken for flags. All one-letter flags
// are lower case, and no flag is a uuid.
func signedLast(root *cobra.Command, args []string) []string {
	args = wordsFirst(root, args)
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Annotations[signed] == "" || slices.Contains(args, "--") {
		return args
	}
	var flags, minus []string
	for _, a := range args {
		if isRemoval(a) {
			minus = append(minus, a)
		} else {
			flags = append(flags, a)
		}
	}
	if len(minus) == 0 {
		return args
	}
	return slices.Concat(flags, []string{"--"}, minus)
}

// isRemoval reports whether an argument removes a trait or an aggregate.
func isRemoval(arg string) bool {
	name, ok := strings.CutPrefix(arg, "-")
	if !ok || len(name) < 2 {
		return false
	}
	if c := name[0]; c >= 'A' && c <= 'Z' {
		return true
	}
	_, err := placement.ParseAggregateID(name)
	return err == nil
}

// edits are the names that a command adds to a set, removes from it, or replaces it with.
type edits struct {
	add, remove, plain []string
	replace            bool // plain replaces the whole set
}

// parseEdits sorts arguments by their signs.
func parseEdits(args []string) (edits, error) {
	var e edits
	for _, a := range args {
		into, name := &e.plain, a
		switch {
		case strings.HasPrefix(a, "+"):
			into, name = &e.add, a[1:]
		case strings.HasPrefix(a, "-"):
			into, name = &e.remove, a[1:]
		}
		if name == "" {
			return edits{}, usageErrorf("write it as +NAME or -NAME", "%q has no name", a)
		}
		if slices.Contains(slices.Concat(e.add, e.remove, e.plain), name) {
			return edits{}, usageErrorf("give it once", "%s is given twice", name)
		}
		*into = append(*into, name)
	}
	return e, nil
}

// check keeps editing a set and replacing it apart: all names with signs, or all without.
func (e edits) check(cmd *cobra.Command) error {
	switch {
	case e.replace && len(e.add)+len(e.remove) > 0:
		return usageErrorf("leave out the signs or --replace", "--replace takes the whole set, without + or -")
	case !e.replace && len(e.plain) > 0:
		return usageErrorf("write +"+e.plain[0]+" to add it, or --replace for the whole set",
			"%s cannot tell whether to add or remove %s", cmd.CommandPath(), e.plain[0])
	case !e.replace && len(e.add)+len(e.remove) == 0:
		return usageErrorf("write +NAME or -NAME", "%s has nothing to change", cmd.CommandPath())
	}
	return nil
}

// inventoryEdit is the change to the inventory of one class: its fields, as
// ops.EditInventory reads them.
type inventoryEdit struct {
	class  placement.ResourceClass
	fields string
}

// parseInventoryEdits parses arguments such as VCPU=16 and VCPU:reserved=2, and returns
// the edits in the order in which their classes were first named.
func parseInventoryEdits(args []string) ([]inventoryEdit, error) {
	const hint = "write it as CLASS=TOTAL or CLASS:FIELD=VALUE, such as VCPU:reserved=2"
	var out []inventoryEdit
	for _, a := range args {
		what, value, ok := strings.Cut(a, "=")
		if !ok {
			return nil, usageErrorf(hint, "%q sets nothing", a)
		}
		name, field, named := strings.Cut(what, ":")
		if !named {
			field = "total"
		}
		class := placement.ResourceClass(name)
		if err := class.Validate(); err != nil {
			return nil, usageErrorf(hint, "%w", err)
		}
		i := slices.IndexFunc(out, func(e inventoryEdit) bool { return e.class == class })
		if i < 0 {
			i = len(out)
			out = append(out, inventoryEdit{class: class})
		}
		out[i].fields += " " + field + "=" + value
		if err := ops.EditInventory(new(placement.Inventory), out[i].fields); err != nil {
			return nil, usageErrorf(hint, "%s: %w", a, err)
		}
	}
	return out, nil
}

// asItWas returns a store as of the time in the flag, with the clock at that time.
func (p *program) asItWas(ctx context.Context, store storage.Store) (storage.Store, error) {
	if p.at == "" {
		return store, nil
	}
	now := store.Snapshot()
	rev, err := cloud.FindRevision(ctx, store, now, p.at, p.now())
	if err != nil {
		return nil, p.notThen(store, err)
	}
	then, err := cloud.NewRecall(store).At(ctx, now, rev)
	if err != nil {
		return nil, p.notThen(store, err)
	}
	if at := then.At(); !at.IsZero() {
		p.now = func() time.Time { return at }
	}
	return view.Then(store, then), nil
}

// notThen returns why the cloud cannot be read as it was.
func (p *program) notThen(store storage.Store, err error) error {
	var gone *cloud.ForgottenError
	switch {
	case errors.As(err, &gone) && distant(store):
		return failed(err, "OpenStack keeps no history: placetop keeps only what it sees while it is open")
	case errors.As(err, &gone):
		return failed(err, `list what is known with "placetop get events"`)
	case errors.Is(err, placement.ErrInvalid):
		return usageErrorf("", "--at: %w", err)
	}
	return err
}

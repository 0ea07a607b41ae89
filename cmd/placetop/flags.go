package main

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/cmd/placetop/internal/print"
)

// bindFlags adds a flag to cmd for each field with a tag "flag", its name, of the structs that
// flags point to, unless cmd has it. Its default is what the field holds. More tags say
//
//	help   what it does, with the <WORD> for its value, and %s for its words or its default
//	words  which words it takes; any if there are none
//	range  which whole numbers it takes, in words
//	each   that it may be repeated, and is no list with commas
//	needs  without which flag it does nothing
//	not    which flags contradict it, or make it do nothing
func bindFlags(cmd *cobra.Command, flags ...any) {
	for _, all := range flags {
		v := reflect.ValueOf(all).Elem()
		for _, field := range reflect.VisibleFields(v.Type()) {
			name := field.Tag.Get("flag")
			if name == "" || cmd.Flags().Lookup(name) != nil {
				continue
			}
			f := bindFlag(cmd.Flags(), name, field.Tag, v.FieldByIndex(field.Index).Addr())
			f.Annotations = map[string][]string{}
			for _, of := range []string{requiredFlags, excludedFlags, numberRange} {
				if text := field.Tag.Get(of); text != "" {
					f.Annotations[of] = strings.Split(text, ",")
				}
			}
		}
	}
}

// bindFlag adds one such flag, whose value is what field points to.
func bindFlag(set *pflag.FlagSet, name string, tag reflect.StructTag, field reflect.Value) *pflag.Flag {
	help := strings.NewReplacer("<", "`", ">", "`").Replace(tag.Get("help"))
	switch to := field.Interface().(type) {
	case *bool:
		set.BoolVar(to, name, *to, help)
	case *int:
		set.IntVar(to, name, *to, help)
	case *int64:
		set.Int64Var(to, name, *to, help)
	case *uint64:
		set.Uint64Var(to, name, *to, help)
	case *time.Duration:
		set.DurationVar(to, name, *to, help)
	case *[]string:
		if tag.Get("each") != "" {
			set.StringArrayVar(to, name, *to, help)
		} else {
			set.StringSliceVar(to, name, *to, help)
		}
	default: // a string of some type
		text := field.Convert(reflect.TypeFor[*string]()).Interface().(*string)
		if words := tag.Get("words"); words != "" {
			choice := config.Choose(text, strings.Split(words, ",")...)
			set.Var(choice, name, strings.Replace(help, "%s", choice.List(), 1))
		} else {
			set.StringVar(text, name, *text, strings.Replace(help, "%s", config.Tilde(*text), 1))
			if strings.Contains(help, "%s") {
				set.Lookup(name).DefValue = ""
			}
		}
	}
	return set.Lookup(name)
}

// Annotations of flags that do not stand alone.
const (
	requiredFlags = "needs" // the flags without which it does nothing
	excludedFlags = "not"   // the flags that contradict it, or beside which it does nothing
)

// isOn reports whether a flag is given, and not turned off as by --dry-run=false.
func isOn(f *pflag.Flag) bool {
	return f.Changed && (f.Value.Type() != "bool" || f.Value.String() != "false")
}

// given returns the value of a flag of cmd, nil unless it is given.
func given[T any](cmd *cobra.Command, name string, value T) *T {
	if !cmd.Flags().Changed(name) {
		return nil
	}
	return &value
}

// needsOneOf makes cmd an error without any of the named flags, as it then changes nothing.
func needsOneOf(cmd *cobra.Command, names ...string) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if slices.ContainsFunc(names, func(name string) bool { return isOn(cmd.Flags().Lookup(name)) }) {
			return nil
		}
		last := len(names) - 1
		return usageErrorf("give --"+strings.Join(names[:last], ", --")+" or --"+names[last], "%s has nothing to change", cmd.CommandPath())
	}
}

// checkFlags refuses a command line with flags that contradict each other, and with a flag
// that does nothing because another one is missing. One that is turned off does neither.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !isOn(f) {
			return
		}
		for _, name := range f.Annotations[excludedFlags] {
			if err == nil && isOn(cmd.Flags().Lookup(name)) {
				err = usageErrorf("leave out one of them", "--%s and --%s exclude each other", name, f.Name)
			}
		}
		for _, name := range f.Annotations[requiredFlags] {
			required := cmd.Flags().Lookup(name)
			if err == nil && !isOn(required) {
				value, _ := pflag.UnquoteUsage(required)
				err = usageErrorf(strings.TrimSpace("add --"+name+" "+value)+", or leave it out", "--%s does nothing without --%s", f.Name, name)
			}
		}
	})
	return err
}

// outputFlag adds the flag -o to cmd, which can print the given formats. The default is a
// table.
func (p *program) outputFlag(cmd *cobra.Command, formats []print.Format) {
	v := config.Choose(&p.format, formats...)
	cmd.Flags().VarP(v, "output", "o", "print as "+v.List())
}

// atFlag adds the flag of reading commands that makes them print the cloud as it was.
func (p *program) atFlag(cmd *cobra.Command) {
	cmd.Flags().Func("at", "the cloud as it was at a `REVISION` or time: 48102, -1, 10m, 13:58 or '2026-11-23 13:58' (UTC)", func(at string) error {
		if strings.TrimSpace(at) == "" {
			return errors.New("is not a revision or a time; leave it out for now")
		}
		p.at = at
		return nil
	})
}

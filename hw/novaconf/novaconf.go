// Package novaconf reads the files that configure a nova-compute: nova.conf and what
// oslo.config reads beside it. It is pure: text in, values out.
package novaconf

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// File is a file of the machine with its content.
type File struct{ Path, Text string }

// Value is one value of an option.
type Value struct {
	Text string
	File string // that sets it
}

// Default is the section of options that belong to none.
const Default = "DEFAULT"

// Conf has the options that files set. The zero value has none.
type Conf struct {
	order  []Option
	values map[Option][]Value // in the order of the files
}

// Option names an option.
type Option struct{ Section, Name string }

// String returns it as in Nova's documentation: [compute]cpu_shared_set.
func (o Option) String() string { return "[" + o.Section + "]" + o.Name }

// SyntaxError reports a line that is no option, section, comment or continuation.
type SyntaxError struct {
	File string
	Line int
	Why  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why) }

// Parse reads files, the first of which has the least weight. The error is a *SyntaxError,
// with which nova-compute does not start either.
//
// Source: oslo_config/iniparser.py, BaseParser.parse; oslo_config/cfg.py, ConfigParser.
func Parse(files ...File) (Conf, error) {
	c := Conf{values: map[Option][]Value{}}
	for _, f := range files {
		if err := c.file(f); err != nil {
			return Conf{}, err
		}
	}
	return c, nil
}

func (c *Conf) file(f File) error {
	var (
		section string
		current *Option
		value   []string
	)
	flush := func() {
		if current != nil {
			if _, known := c.values[*current]; !known {
				c.order = append(c.order, *current)
			}
			c.values[*current] = append(c.values[*current], Value{strings.Join(value, "\n"), f.Path})
		}
		current, value = nil, nil
	}
	for i, line := range strings.Split(f.Text, "\n") {
		fail := func(why string) error { return &SyntaxError{f.Path, i + 1, why} }
		line = strings.TrimRight(line, " \t\r\v\f")
		switch {
		case line == "":
			flush()
		case line[0] == ' ' || line[0] == '\t':
			if current == nil {
				return fail("an indented line continues a value, but there is none before it")
			}
			value = append(value, strings.TrimSpace(line))
		case line[0] == '[':
			flush()
			name, ok := strings.CutSuffix(line[1:], "]")
			if !ok || name == "" {
				return fail("a section must be as in [compute]")
			}
			section = name
		case line[0] == '#' || line[0] == ';':
			flush()
		default:
			flush()
			at := strings.IndexAny(line, "=:")
			if at < 0 || strings.TrimSpace(line[:at]) == "" {
				return fail("an option must be as in name = value")
			}
			if section == "" {
				return fail("an option must be in a section, such as [DEFAULT]")
			}
			current, value = &Option{section, strings.TrimSpace(line[:at])}, []string{unquote(strings.TrimSpace(line[at+1:]))}
		}
	}
	flush()
	return nil
}

func unquote(text string) string {
	if n := len(text); n > 1 && text[0] == text[n-1] && (text[0] == '"' || text[0] == '\'') {
		return text[1 : n-1]
	}
	return text
}

// Options returns the options that are set, in the order of the files.
func (c Conf) Options() iter.Seq[Option] { return slices.Values(c.order) }

// Lookup returns the value of an option: the last that is set.
func (c Conf) Lookup(section, name string) (Value, bool) {
	all := c.All(section, name)
	if len(all) == 0 {
		return Value{}, false
	}
	return all[len(all)-1], true
}

// Either is Lookup of an option that has had another name or section; its own wins.
func (c Conf) Either(is, was Option) (Value, Option, bool) {
	if v, ok := c.Lookup(is.Section, is.Name); ok {
		return v, is, true
	}
	v, ok := c.Lookup(was.Section, was.Name)
	return v, was, ok
}

// All returns each value of an option that may be given several times.
func (c Conf) All(section, name string) []Value {
	out := slices.Clone(c.values[Option{section, name}])
	for i := range out {
		out[i].Text = c.expand(out[i].Text, section, 0)
	}
	return out
}

// expand puts the values of options in place of $name, ${name} and $section.name. An
// option that is not set, and has no default here, stays as it is written.
//
// Source: oslo_config/cfg.py, ConfigOpts.StrSubWrapper.
func (c Conf) expand(text, section string, depth int) string {
	const deepest = 8
	if depth > deepest || !strings.Contains(text, "$") {
		return text
	}
	return variable().ReplaceAllStringFunc(text, func(all string) string {
		if all == "$$" {
			return "$"
		}
		name := strings.Trim(all, "${}")
		in := Default
		if group, rest, ok := strings.Cut(name, "."); ok {
			in, name = group, rest
		}
		for _, s := range []string{section, in} {
			if v := c.values[Option{s, name}]; len(v) > 0 {
				return c.expand(v[len(v)-1].Text, s, depth+1)
			}
		}
		if name == stateOption {
			return stateDefault
		}
		return all
	})
}

func variable() *regexp.Regexp { return regexp.MustCompile(`\$\$|\$\{[\w.]+\}|\$[A-Za-z_][\w.]*`) }

const (
	stateOption  = "state_path"
	stateDefault = "/var/lib/nova" // of distributions
)

// StatePath returns the folder in which nova-compute keeps what it needs.
func (c Conf) StatePath() string {
	if v, ok := c.Lookup(Default, stateOption); ok {
		return v.Text
	}
	return stateDefault
}

// InstancesPath returns the folder of the instances' disks.
func (c Conf) InstancesPath() string {
	if v, ok := c.Lookup(Default, "instances_path"); ok {
		return v.Text
	}
	return c.StatePath() + "/instances"
}

// ProviderConfigs returns the folder of the files that add to resource providers.
func (c Conf) ProviderConfigs() string {
	if v, ok := c.Lookup("compute", "provider_config_location"); ok {
		return v.Text
	}
	return "/etc/nova/provider_config"
}

package novaconf_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/hw/novaconf"
	"github.com/placetop/placetop/model/modeltest/must"
)

func TestParse(t *testing.T) {
	t.Parallel()
	c := must.Get(novaconf.Parse(
		novaconf.File{Path: "nova.conf", Text: `# a comment
[DEFAULT]
state_path=/srv/nova
reserved_host_cpus : 2
name = "quoted = text"
long = one,
  two,
	three
# ends it

[pci]
device_spec = {"a": 1}
device_spec = {"b": 2}
[other]
x = ${state_path}/x $$ $missing $DEFAULT.name
`},
		novaconf.File{Path: "nova.conf.d/a.conf", Text: "[DEFAULT]\nreserved_host_cpus = 3\n[pci]\ndevice_spec = {\"c\": 3}\n"},
	))(t)
	for _, x := range []struct{ section, name, want, file string }{
		{"DEFAULT", "reserved_host_cpus", "3", "nova.conf.d/a.conf"},
		{"DEFAULT", "name", "quoted = text", "nova.conf"},
		{"DEFAULT", "long", "one,\ntwo,\nthree", "nova.conf"},
		{"other", "x", "/srv/nova/x $ $missing quoted = text", "nova.conf"},
	} {
		if v, ok := c.Lookup(x.section, x.name); !ok || v.Text != x.want || v.File != x.file {
			t.Errorf("[%s]%s is %q of %q, want %q of %s", x.section, x.name, v.Text, v.File, x.want, x.file)
		}
	}
	var specs []string
	for _, v := range c.All("pci", "device_spec") {
		specs = append(specs, v.Text)
	}
	must.Match(t, []string{`{"a": 1}`, `{"b": 2}`, `{"c": 3}`}, specs)
	must.Be(t, c.InstancesPath(), "/srv/nova/instances")
	must.Be(t, novaconf.Conf{}.InstancesPath(), "/var/lib/nova/instances")
	must.Be(t, c.ProviderConfigs(), "/etc/nova/provider_config")
}

func TestSyntax(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{
		"[DEFAULT]\nword\n": 2, "a = 1\n": 1, "[DEFAULT\n": 1, "[]\n": 1, "[a]\n\n  indented\n": 3, "[a]\n= 1\n": 2,
	} {
		_, err := novaconf.Parse(novaconf.File{Path: "nova.conf", Text: text})
		if wrong := (*novaconf.SyntaxError)(nil); !errors.As(err, &wrong) || wrong.Line != line {
			t.Errorf("%q: %v, want a *SyntaxError at line %d", text, err, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[DEFAULT]\na = $b\nb = $a\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := novaconf.Parse(novaconf.File{Path: "nova.conf", Text: text})
		if err != nil {
			return
		}
		for o := range c.Options() {
			if _, ok := c.Lookup(o.Section, o.Name); !ok {
				t.Errorf("%s is set, and not found", o)
			}
		}
	})
}

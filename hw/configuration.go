package hw

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/placetop/placetop/hw/novaconf"
)

// Configuration is what the files of nova-compute on a machine say.
type Configuration struct {
	Nova      novaconf.Conf
	Files     []string        // that were read, such as /etc/nova/nova.conf; none where there is no nova-compute
	Providers []novaconf.File // /etc/nova/provider_config/*.yaml, in the order of their names
	// Err says which of them could not be read, and why: then nobody knows what
	// nova-compute would report.
	Err error
}

// configuration reads the files that oslo.config reads for nova-compute unless it is told
// others, and those that add to resource providers.
//
// Source: oslo_config/cfg.py, find_config_files and find_config_dirs; nova-compute.conf is
// given by Debian's and Ubuntu's services.
func (p *prober) configuration() Configuration {
	var c Configuration
	names := []string{"/etc/nova/nova.conf", "/etc/nova/nova-compute.conf"}
	for _, dir := range []string{"/etc/nova/nova.conf.d", "/etc/nova/nova-compute.conf.d"} {
		names = append(names, p.listed(&c, dir, "*.conf")...)
	}
	var files []novaconf.File
	for _, name := range names {
		if text, ok := p.configured(&c, name); ok {
			files = append(files, novaconf.File{Path: name, Text: text})
			c.Files = append(c.Files, name)
		}
	}
	conf, err := novaconf.Parse(files...)
	c.Nova, c.Err = conf, errors.Join(c.Err, err)
	for _, name := range p.listed(&c, path.Clean("/"+conf.ProviderConfigs()), "*.yaml") {
		if text, ok := p.configured(&c, name); ok {
			c.Providers = append(c.Providers, novaconf.File{Path: name, Text: text})
		}
	}
	return c
}

// configured returns the content of a file, false if there is none.
func (p *prober) configured(c *Configuration, name string) (string, bool) {
	text, err := p.text(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Err = errors.Join(c.Err, fmt.Errorf("%s: %w", name, err))
	}
	return text, err == nil
}

// listed returns the files of a folder whose names match a pattern, in order.
func (p *prober) listed(c *Configuration, dir, pattern string) []string {
	entries, err := fs.ReadDir(p.opts.Files, strings.TrimPrefix(dir, "/"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Err = errors.Join(c.Err, fmt.Errorf("%s: %w", dir, reason(err)))
	}
	var out []string
	for _, e := range entries {
		if ok, _ := path.Match(pattern, e.Name()); ok {
			out = append(out, dir+"/"+e.Name())
		}
	}
	return out
}

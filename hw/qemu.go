package hw

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Sources of QEMU's version: libvirt's cache of each emulator, which only root may read,
// or else the list of installed packages on Debian.
const (
	libvirtCache = "/var/cache/libvirt/qemu/capabilities"
	dpkgStatus   = "/var/lib/dpkg/status"
)

// maxCapabilities is the longest file in libvirtCache that is read, in bytes: it names
// each CPU model.
const maxCapabilities = 8 << 20

// qemu reads the version of the QEMU that runs guests of the machine's own architecture,
// in libvirt's form: 8002003 for 8.2.3. It starts no other program, so that it also works
// for another machine.
//
// Source: nova/virt/libvirt/host.py, get_version; libvirt, src/qemu/qemu_capabilities.c,
// virQEMUCapsFormatCache.
func (p *prober) qemu(context.Context) part {
	var at Host
	if arch := p.arch(new(Host)).Value; arch != "" {
		p.emulator(&at, arch)
		if !at.QEMU.Known() {
			p.qemuPackage(&at, arch)
		}
	}
	return func(h *Host) { h.QEMU = at.QEMU }
}

// emulator reads libvirt's cache.
func (p *prober) emulator(h *Host, arch string) {
	files, err := fs.ReadDir(p.opts.Files, strings.TrimPrefix(libvirtCache, "/"))
	if err != nil {
		return // no libvirt, or not root
	}
	for _, f := range files {
		name := path.Join(libvirtCache, f.Name())
		file, err := p.opts.Files.Open(strings.TrimPrefix(name, "/"))
		if err != nil {
			continue
		}
		var caps struct {
			XMLName xml.Name `xml:"qemuCaps"`
			Version int64    `xml:"version"`
			Arch    string   `xml:"arch"`
		}
		err = errors.Join(xml.NewDecoder(io.LimitReader(file, maxCapabilities)).Decode(&caps), file.Close())
		if err == nil && caps.Arch == arch && caps.Version > h.QEMU.Value {
			h.QEMU = reading(caps.Version, name)
		}
	}
}

// qemuPackage finds the installed package of QEMU.
func (p *prober) qemuPackage(h *Host, arch string) {
	names := []string{"qemu-system-" + arch}
	switch arch {
	case "x86_64":
		names = append(names, "qemu-system-x86", "qemu-system-x86-xen")
	case "aarch64":
		names = append(names, "qemu-system-arm")
	case "ppc64le":
		names = append(names, "qemu-system-ppc")
	case "s390x", "riscv64":
		names = append(names, "qemu-system-misc")
	}
	file, err := p.opts.Files.Open(strings.TrimPrefix(dpkgStatus, "/"))
	if err != nil {
		return
	}
	defer file.Close() //nolint:errcheck // it was only read from
	var name, status, version string
	end := func() {
		for _, n := range names {
			if v, ok := parseQEMUVersion(version); ok && n == name && strings.HasSuffix(status, " installed") {
				h.QEMU = reading(v, dpkgStatus+": "+name)
			}
		}
		name, status, version = "", "", ""
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "":
			end()
		case "Package":
			name = value
		case "Status":
			status = value
		case "Version":
			version = value
		}
	}
	end()
}

// parseQEMUVersion parses the version of a package, such as 1:8.2.3+ds-0ubuntu1.4, into
// libvirt's form.
func parseQEMUVersion(text string) (int64, bool) {
	if _, after, ok := strings.Cut(text, ":"); ok {
		text = after
	}
	if end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		text = text[:end]
	}
	parts := strings.Split(text, ".")
	var version int64
	for i := range 3 {
		part := "0"
		if i < len(parts) {
			part = parts[i]
		}
		n, err := strconv.ParseUint(part, 10, 10)
		if err != nil || n > 999 {
			return 0, false
		}
		version = version*1000 + int64(n)
	}
	return version, version > 0
}

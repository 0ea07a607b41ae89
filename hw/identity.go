package hw

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/google/uuid"
	"github.com/shirou/gopsutil/v3/host"

	"github.com/placetop/placetop/hw/sysfs"
)

// computeIDFiles are where nova-compute keeps the uuid of its compute node.
//
// Source: nova/virt/node.py, COMPUTE_ID_FILE (release 2023.1 and later).
func (p *prober) computeIDFiles() []string {
	return []string{"/etc/nova/compute_id", p.statePath + "/compute_id"}
}

// identity reads the identity of the machine.
func (p *prober) identity(context.Context) part {
	var at Host
	// The name in proc is that of the reader's own namespace, so for a mounted host its
	// file comes first.
	names := []string{"/proc/sys/kernel/hostname", "/etc/hostname"}
	if !p.here() {
		names[0], names[1] = names[1], names[0]
	}
	at.Hostname = firstText(&at, p.tree, "host name", names...)
	if !at.Hostname.Known() {
		at.gap(names[0], "host name", sysfs.ErrNoFile)
	}
	at.Kernel = firstText(&at, p.tree, "kernel release", "/proc/sys/kernel/osrelease")
	at.Arch = p.arch(&at)
	if !at.Arch.Known() {
		at.gap("/proc/sys/kernel/arch", "architecture", sysfs.ErrNoFile)
	}
	at.MachineID = firstText(&at, p.tree, "machine id", "/etc/machine-id", "/var/lib/dbus/machine-id")
	at.ComputeID = firstUUID(&at, p.tree, "nova-compute's uuid", p.computeIDFiles()...)
	at.ProductUUID = firstUUID(&at, p.tree, "uuid of the mainboard", "/sys/class/dmi/id/product_uuid")
	return func(h *Host) {
		h.Hostname, h.Kernel, h.Arch = at.Hostname, at.Kernel, at.Arch
		h.MachineID, h.ComputeID, h.ProductUUID = at.MachineID, at.ComputeID, at.ProductUUID
		h.Gaps = append(h.Gaps, at.Gaps...)
	}
}

// arch reads the architecture of the machine.
func (p *prober) arch(h *Host) Reading[string] {
	arch := firstText(h, p.tree, "architecture", "/proc/sys/kernel/arch") // Linux 6.1 and later
	if !arch.Known() && p.here() {
		if arch, err := host.KernelArch(); err == nil && arch != "" {
			return reading(arch, "gopsutil host.KernelArch")
		}
	}
	return arch
}

// firstText returns the content of the first of the files that is not empty. Files that
// do not exist are skipped; those that cannot be read become Gaps.
func firstText(h *Host, tree sysfs.Tree, what string, files ...string) Reading[string] {
	for _, file := range files {
		text, err := tree.Text(strings.TrimPrefix(file, "/"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			h.gap(file, what, err)
		case text != "" && text != "(none)":
			return reading(text, file)
		}
	}
	return Reading[string]{}
}

// firstUUID is firstText for a uuid.
func firstUUID(h *Host, tree sysfs.Tree, what string, files ...string) Reading[uuid.UUID] {
	text := firstText(h, tree, what, files...)
	if !text.Known() {
		return Reading[uuid.UUID]{}
	}
	u, err := uuid.Parse(text.Value)
	if err != nil || u == uuid.Nil {
		h.gap(text.Source, what, sysfs.ErrSyntax)
		return Reading[uuid.UUID]{}
	}
	return reading(u, text.Source)
}

// platform reads the distribution. Debian's version has its point release in a file of
// its own.
//
// Source: systemd, os-release(5).
func (p *prober) platform(context.Context) part {
	var at Host
	name, version := "", ""
	release := firstText(&at, p.tree, "distribution", "/etc/os-release", "/usr/lib/os-release")
	for line := range strings.Lines(release.Value) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch value = strings.Trim(value, `"'`); key {
		case "ID":
			name = value
		case "VERSION_ID":
			version = value
		}
	}
	source := release.Source
	if debian := firstText(&at, p.tree, "distribution", "/etc/debian_version"); debian.Known() && (name == "" || name == "debian") {
		name, version, source = "debian", debian.Value, debian.Source
	}
	if text := strings.TrimSpace(name + " " + version); text != "" {
		at.Platform = reading(text, source)
	}
	return func(h *Host) {
		h.Platform = at.Platform
		h.Gaps = append(h.Gaps, at.Gaps...)
	}
}

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
func (p *prober) identity(context.Context) (_ part, at gaps) {
	var is Host
	// The name in proc is that of the reader's own namespace, so for a mounted host its
	// file comes first.
	names := []string{"/proc/sys/kernel/hostname", "/etc/hostname"}
	if !p.here() {
		names[0], names[1] = names[1], names[0]
	}
	is.Hostname = firstText(&at, p.tree, "host name", names...)
	if !is.Hostname.Known() {
		at.add(names[0], "host name", sysfs.ErrNoFile)
	}
	is.Kernel = firstText(&at, p.tree, "kernel release", "/proc/sys/kernel/osrelease")
	is.Arch = p.arch(&at)
	if !is.Arch.Known() {
		at.add("/proc/sys/kernel/arch", "architecture", sysfs.ErrNoFile)
	}
	is.MachineID = firstText(&at, p.tree, "machine id", "/etc/machine-id", "/var/lib/dbus/machine-id")
	is.ComputeID = firstUUID(&at, p.tree, "nova-compute's uuid", p.computeIDFiles()...)
	is.ProductUUID = firstUUID(&at, p.tree, "uuid of the mainboard", "/sys/class/dmi/id/product_uuid")
	return func(h *Host) {
		h.Hostname, h.Kernel, h.Arch = is.Hostname, is.Kernel, is.Arch
		h.MachineID, h.ComputeID, h.ProductUUID = is.MachineID, is.ComputeID, is.ProductUUID
	}, at
}

// arch reads the architecture of the machine.
func (p *prober) arch(at *gaps) Reading[string] {
	arch := firstText(at, p.tree, "architecture", "/proc/sys/kernel/arch") // Linux 6.1 and later
	if !arch.Known() && p.here() {
		if arch, err := host.KernelArch(); err == nil && arch != "" {
			return reading(arch, "gopsutil host.KernelArch")
		}
	}
	return arch
}

// firstText returns the content of the first of the files that is not empty. Files that
// do not exist are skipped; those that cannot be read become Gaps.
func firstText(at *gaps, tree sysfs.Tree, what string, files ...string) Reading[string] {
	for _, file := range files {
		text, err := tree.Text(strings.TrimPrefix(file, "/"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			at.add(file, what, err)
		case text != "" && text != "(none)":
			return reading(text, file)
		}
	}
	return Reading[string]{}
}

// firstUUID is firstText for a uuid.
func firstUUID(at *gaps, tree sysfs.Tree, what string, files ...string) Reading[uuid.UUID] {
	text := firstText(at, tree, what, files...)
	if !text.Known() {
		return Reading[uuid.UUID]{}
	}
	u, err := uuid.Parse(text.Value)
	if err != nil || u == uuid.Nil {
		at.add(text.Source, what, sysfs.ErrSyntax)
		return Reading[uuid.UUID]{}
	}
	return reading(u, text.Source)
}

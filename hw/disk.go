package hw

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/shirou/gopsutil/v3/disk"
)

// disks uses sysfs.
func (p *prober) disks(ctx context.Context) part {
	disks, gaps := p.tree.Disks(ctx)
	return func(h *Host) {
		h.Disks = disks
		h.Gaps = append(h.Gaps, gaps...)
	}
}

// instances finds the size of the file system that holds the instances' disks.
func (p *prober) instances(ctx context.Context) part {
	folder := p.opts.InstancesPath
	if p.here() {
		// Before nova-compute first starts, its folder does not exist: the file system
		// that it will be made on is the one to report. A folder with the files of a
		// machine says nothing about what it leaves out.
		folder = p.nearest(folder)
	}
	answer, err := p.opts.Statfs(ctx, p.within(folder))
	return func(h *Host) {
		if err != nil {
			h.Instances = Filesystem{Path: p.opts.InstancesPath}
			h.gap(p.opts.InstancesPath, "size of the instances' file system", reason(err))
			return
		}
		answer.Path, answer.Asked = p.opts.InstancesPath, folder
		h.Instances = answer
	}
}

// nearest returns folder, or the nearest folder above it that exists.
func (p *prober) nearest(folder string) string {
	for ; folder != "/"; folder = path.Dir(folder) {
		if _, err := fs.Stat(p.opts.Files, strings.TrimPrefix(folder, "/")); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return folder
}

// statfs asks the kernel, through gopsutil.
func statfs(ctx context.Context, folder string) (Filesystem, error) {
	u, err := disk.UsageWithContext(ctx, folder)
	if err != nil {
		return Filesystem{}, err
	}
	return Filesystem{Type: u.Fstype, Total: u.Total, Used: u.Used, Free: u.Free, Source: "gopsutil disk.Usage"}, nil
}

// reason removes the name of a file below Root from err, because a Gap has the machine's
// own path.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

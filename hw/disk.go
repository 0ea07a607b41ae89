package hw

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/shirou/gopsutil/v3/disk"
)

// instances finds the size of the file system that holds the instances' disks.
func (p *prober) instances(ctx context.Context) (_ part, at gaps) {
	folder := p.instancesPath
	if p.here() {
		// Before nova-compute first starts, its folder does not exist: the file system
		// that it will be made on is the one to report. A folder with the files of a
		// machine says nothing about what it leaves out.
		folder = p.nearest(folder)
	}
	answer, err := p.filesystem(ctx, folder)
	if err != nil {
		answer, folder = Filesystem{}, ""
		at.add(p.instancesPath, "size of the instances' file system", err)
	}
	answer.Path, answer.Asked = p.instancesPath, folder
	return func(h *Host) { h.Instances = answer }, at
}

// filesystem returns the size of the file system of a folder of the machine.
func (p *prober) filesystem(ctx context.Context, folder string) (Filesystem, error) {
	at, err := p.root.resolve(strings.TrimPrefix(folder, "/"), true)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Filesystem{}, reason(err)
	}
	answer, err := p.opts.Statfs(ctx, filepath.Join(p.opts.Root, filepath.FromSlash(at)))
	return answer, reason(err)
}

// errNotMounted reports that a folder is an empty mount point, or was never one.
var errNotMounted = errors.New("no file system is mounted there, it is on that of /; if that is the one to measure, name /")

// MeasureFilesystem returns the size of the file system of a folder, absolute on the
// machine whose "/" is the folder root; "" is this machine. A folder on the machine's root
// file system is refused unless it is "/": what was mounted there is gone.
func MeasureFilesystem(ctx context.Context, root, folder string) (Filesystem, error) {
	p, err := newProber(Options{Root: root})
	if err != nil {
		return Filesystem{}, err
	}
	defer p.close()
	folder = path.Clean("/" + folder)
	answer, err := p.filesystem(ctx, folder)
	if at, bad := p.root.resolve(strings.TrimPrefix(folder, "/"), true); err == nil && bad == nil && folder != "/" &&
		sameFilesystem(filepath.Join(p.opts.Root, filepath.FromSlash(at)), p.opts.Root) {
		err = errNotMounted
	}
	if err != nil {
		return Filesystem{}, fmt.Errorf("the file system of %s: %w", folder, err)
	}
	answer.Path, answer.Asked = folder, folder
	return answer, nil
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

// errOwnDisk reports that a folder of another machine is on a disk of this one.
var errOwnDisk = errors.New("it is a folder on a disk of this machine, and no file system of the other one is mounted there")

// statfs asks the kernel, through gopsutil. A folder that was copied from another machine
// has the size of a disk of this one.
func (p *prober) statfs(ctx context.Context, folder string) (Filesystem, error) {
	if !p.here() && sameFilesystem(folder, filepath.Dir(p.opts.Root)) {
		return Filesystem{}, errOwnDisk
	}
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

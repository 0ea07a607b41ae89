package hw

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"

	"github.com/jaypipes/ghw"
	"github.com/jaypipes/ghw/pkg/block"
	"github.com/shirou/gopsutil/v3/disk"
)

// ghw returns a context that makes ghw read the machine below Root in silence. Its warnings
// go nowhere: what it cannot read, hw/sysfs names as a Problem. ghw's option to
// turn warnings off is not used, since it changes a level that the whole process
// shares.
func (p prober) ghw(ctx context.Context) context.Context {
	for _, with := range []ghw.Modifier{
		ghw.WithChroot(p.opts.Root),
		ghw.WithDisableTools(),
		ghw.WithLogger(slog.New(slog.DiscardHandler)),
	} {
		ctx = with(ctx)
	}
	return ctx
}

// disks asks ghw.
func (p prober) disks(ctx context.Context) part {
	info, err := ghw.Block(p.ghw(ctx))
	return func(h *Host) {
		if err != nil {
			h.problem("/sys/block", "disks", reason(err))
			return
		}
		for _, d := range info.Disks {
			if d.SizeBytes == 0 || !fixed(d) {
				continue
			}
			h.Disks = append(h.Disks, Disk{
				Name: d.Name, Bytes: d.SizeBytes, Kind: known(d.DriveType.String(), "unknown"), Model: known(d.Model, ""),
				Source: "ghw block, /sys/block/" + d.Name,
			})
		}
		slices.SortFunc(h.Disks, func(a, b Disk) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// fixed reports whether d is a disk of the machine: device mapper and RAID
// devices are made of others, loop and RAM devices of files and memory.
func fixed(d *ghw.Disk) bool {
	switch d.DriveType {
	case block.DriveTypeVirtual, block.DriveTypeODD, block.DriveTypeFDD:
		return false
	default:
	}
	return !slices.ContainsFunc([]string{"dm-", "md", "ram", "zram"}, func(prefix string) bool {
		return strings.HasPrefix(d.Name, prefix)
	})
}

// known returns text, or instead where ghw has no better word than "unknown".
func known(text, instead string) string {
	if strings.EqualFold(text, "unknown") {
		return instead
	}
	return text
}

// instances asks how large the file system below the instances' disks is.
func (p prober) instances(ctx context.Context) part {
	folder := p.opts.InstancesPath
	if p.here() {
		// Before nova-compute first starts, its folder does not exist: the file
		// system that it will be made on is the one to report. In a folder that
		// stands for a machine nothing can be said of what it leaves out.
		folder = p.nearest(folder)
	}
	answer, err := p.opts.Statfs(ctx, p.within(folder))
	return func(h *Host) {
		if err != nil {
			h.Instances = Filesystem{Path: p.opts.InstancesPath}
			h.problem(p.opts.InstancesPath, "size of the instances' file system", reason(err))
			return
		}
		answer.Path, answer.Asked = p.opts.InstancesPath, folder
		h.Instances = answer
	}
}

// nearest returns folder, or the nearest folder above it that exists.
func (p prober) nearest(folder string) string {
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

// reason drops from err the name of a file below Root, which a Problem says in
// the machine's own words.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

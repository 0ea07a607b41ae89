package sysfs

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	blockDevices = "sys/block"
	udevData     = "run/udev/data"
	sectorBytes  = 512 // the unit of size, whatever the sector size of the disk
)

// Disk is one disk of the machine.
type Disk struct {
	Name  string // such as nvme0n1
	Path  string // /sys/block/nvme0n1
	Bytes uint64 // size
	Kind  string // DiskSSD, DiskHDD or DiskUnknown
	Model string // udev's ID_MODEL, else device/model; "" where neither has it
}

// Kinds of a Disk.
const (
	DiskSSD     = "SSD"
	DiskHDD     = "HDD"
	DiskUnknown = "unknown"
)

// Disks returns the disks that have a size, in the order of their names. Disks made of
// other disks (device mapper, RAID, caches, replicas, ZFS volumes), of files or of memory
// are left out, and so are the areas of a flash card that are no storage, and floppy and
// optical drives.
//
// Source: the kernel's Documentation/ABI/stable/sysfs-block and admin-guide/devices.txt.
func (t Tree) Disks(ctx context.Context) ([]Disk, []Gap) {
	s := &scan{fsys: t.fsys}
	root, ok := s.list(blockDevices, "disks")
	if !ok {
		return nil, s.gaps
	}
	var disks []Disk
	notDisk := notDisk()
	for _, name := range root.names() {
		if notDisk.MatchString(name) {
			continue
		}
		if s.stopped(ctx, blockDevices, "disks from "+name+" on") {
			break
		}
		dir, ok := s.list(root.path(name), "disk")
		if !ok {
			continue
		}
		if size := s.sectors(dir); size > 0 {
			disks = append(disks, Disk{Name: name, Path: "/" + dir.name, Bytes: size * sectorBytes, Kind: s.diskKind(dir, name), Model: s.diskModel(dir)})
		}
	}
	return disks, s.gaps
}

// notDisk matches the names of block devices that are no disks of the machine: made of
// other disks, of files or of memory; the boot, replay-protected and general purpose areas
// of a flash card; and the hidden paths of an NVMe disk with several.
//
// Source: the kernel's drivers/mmc/core/block.c and drivers/nvme/host/multipath.c.
func notDisk() *regexp.Regexp {
	return regexp.MustCompile(`^(dm-|md|ram|zram|loop|fd|sr|bcache|drbd|zd)\d|^md_|^mmcblk\d+(boot\d+|rpmb|gp\d+)$|^nvme\d+c\d+n\d+$`)
}

// sectors reads the size of a disk; 0 if it is missing or unreadable.
func (s *scan) sectors(dir folder) uint64 {
	text, ok := s.text(dir, "size", "size of the disk")
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > 1<<54 {
		s.gap(dir.path("size"), "size of the disk", syntaxError(text, "a number of sectors"))
		return 0
	}
	return n
}

// diskKind reads from the queue of a disk whether it rotates, if it may according to its
// name: for others, such as network block devices, the answer is meaningless.
func (s *scan) diskKind(dir folder, name string) string {
	starts := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	switch {
	case starts("nvme"), starts("mmc"):
		return DiskSSD
	case !slices.ContainsFunc([]string{"sd", "hd", "vd", "xvd"}, starts):
		return DiskUnknown
	}
	queue, ok := s.list(dir.path("queue"), "kind of the disk")
	if ok && s.number(queue, "rotational", "kind of the disk", 0) == 1 {
		return DiskHDD
	}
	return DiskSSD
}

// diskModel returns the model of a disk. Udev has the complete name; the kernel cuts that
// of an ATA disk to 16 characters.
func (s *scan) diskModel(dir folder) string {
	if number, ok := s.text(dir, "dev", "number of the disk"); ok {
		// Not every machine runs udev, and containers do not see its data.
		text, _ := Tree{s.fsys}.Text(udevData + "/b" + number)
		for line := range strings.Lines(text) {
			if model, ok := strings.CutPrefix(strings.TrimSpace(line), "E:ID_MODEL="); ok {
				return model
			}
		}
	}
	if !dir.has("device") {
		return ""
	}
	device, ok := s.list(dir.path("device"), "model of the disk")
	if !ok {
		return ""
	}
	model, _ := s.text(device, "model", "model of the disk")
	return model
}

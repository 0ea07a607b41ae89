package hw

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/placetop/placetop/hw/sysfs"
)

// pciIDFiles are where distributions keep the database of PCI names, and where
// update-pciids writes a newer one.
func pciIDFiles() []string {
	var out []string
	for _, folder := range []string{"var/lib/pciutils", "usr/share/hwdata", "usr/share/misc", "usr/share", "usr/local/share"} {
		out = append(out, folder+"/pci.ids", folder+"/pci.ids.gz")
	}
	return out
}

// maxPCIIDs is how much of the database is read, in bytes; it has 1.5 MB.
const maxPCIIDs = 32 << 20

// pciKey is a device, or a vendor if vendor is true and device is 0.
type pciKey struct {
	vendorID sysfs.ID
	deviceID sysfs.ID
	vendor   bool
}

type pciNames map[pciKey]string

// of returns the names of vendor and device, "" if unknown.
func (n pciNames) of(vendor, device sysfs.ID) (vendorName, deviceName string) {
	return n[pciKey{vendorID: vendor, vendor: true}], n[pciKey{vendorID: vendor, deviceID: device}]
}

// pciNames reads the names of only these devices from the machine's own database. The
// library pcidb keeps all of its 40,000 entries in memory, looks for the file by this
// process's environment, may download it, and panics on truncated lines.
func (p *prober) pciNames(devices []sysfs.PCIDevice) (names pciNames, at gaps) {
	if len(devices) == 0 {
		return nil, nil
	}
	names = make(pciNames)
	for _, d := range devices {
		names[pciKey{vendorID: d.Vendor, vendor: true}] = ""
		names[pciKey{vendorID: d.Vendor, deviceID: d.Device}] = ""
	}
	const what = "names of PCI devices"
	found := false
	for _, file := range pciIDFiles() {
		f, err := p.opts.Files.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		found = true
		if err == nil {
			err = names.read(f, strings.HasSuffix(file, ".gz"))
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}
		if err != nil {
			at.add("/"+file, what, reason(err))
			continue
		}
		return names, at
	}
	if !found {
		at.add("/usr/share/misc/pci.ids", what, sysfs.ErrNoFile)
	}
	return names, at
}

func (n pciNames) read(r io.Reader, zipped bool) error {
	if zipped {
		z, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		r = z
	}
	return n.fill(io.LimitReader(r, maxPCIIDs))
}

// fill fills in the names of the keys of n from text in the format of pci.ids: a line
// "10de NVIDIA Corporation" for a vendor, followed by a line that begins with one tab for
// each of its devices. Other lines are skipped, such as those of subsystems, which begin
// with two tabs, and the classes at the end.
func (n pciNames) fill(r io.Reader) error {
	lines := bufio.NewScanner(r)
	var (
		vendor sysfs.ID
		inside bool // below a vendor
	)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "" || line[0] == '#' || strings.HasPrefix(line, "\t\t"):
		case line[0] == '\t':
			if id, name, ok := pciLine(line[1:]); ok && inside {
				n.put(pciKey{vendorID: vendor, deviceID: id}, name)
			}
		default:
			id, name, ok := pciLine(line)
			inside = ok
			if ok {
				vendor = id
				n.put(pciKey{vendorID: id, vendor: true}, name)
			}
		}
	}
	return lines.Err()
}

func (n pciNames) put(k pciKey, name string) {
	if _, wanted := n[k]; wanted {
		n[k] = name
	}
}

// pciLine splits "10de  NVIDIA Corporation".
func pciLine(line string) (sysfs.ID, string, bool) {
	if len(line) < 6 || line[4] != ' ' {
		return 0, "", false
	}
	id, err := sysfs.ParseHex(line[:4], 16)
	name := strings.TrimSpace(line[4:])
	return sysfs.ID(id), name, err == nil && name != ""
}

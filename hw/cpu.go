package hw

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/hw/sysfs"
)

// errNothing reports that a source answered without content.
var errNothing = errors.New("nothing there")

const (
	cpuinfo = "/proc/cpuinfo"
	meminfo = "/proc/meminfo"
)

// maxProc is the longest file in /proc that is read, in bytes: cpuinfo has some 1.5 kB
// for each CPU.
const maxProc = 32 << 20

// text reads a file of the machine whatever its size.
func (p *prober) text(file string) (string, error) {
	name := strings.TrimPrefix(file, "/")
	info, err := fs.Stat(p.opts.Files, name)
	switch {
	case err != nil:
		return "", reason(err)
	case !info.Mode().IsRegular(): // to open a pipe would wait for its writer
		return "", sysfs.ErrNotFile
	}
	f, err := p.opts.Files.Open(name)
	if err != nil {
		return "", reason(err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxProc))
	return string(b), reason(errors.Join(err, f.Close()))
}

// cpu gets model and flags from /proc/cpuinfo, and the topology from sysfs. The number of
// CPUs is that of sysfs, as libvirt counts them; in some containers /proc has fewer.
//
// Source: nova/virt/libvirt/host.py, get_online_cpus; libvirt, src/util/virhostcpu.c,
// virHostCPUGetOnlineBitmap.
func (p *prober) cpu(ctx context.Context) (part, gaps) {
	var c CPU
	top, found := p.tree.CPUTopology(ctx)
	at := gaps(found)
	c.Topology = top
	text, err := p.text(cpuinfo)
	listed := parseCPUInfo(text)
	if err == nil && listed.count == 0 {
		err = errNothing
	}
	if err != nil {
		at.add(cpuinfo, "number, model and flags of the CPUs", err)
	}
	switch {
	case len(top.Online) > 0:
		c.Threads = reading(len(top.Online), top.Path+"/online")
	case listed.count > 0:
		c.Threads = reading(listed.count, cpuinfo)
	}
	// A topology of some of the CPUs counts too little.
	whole := len(top.CPUs) > 0 && len(top.CPUs) >= len(top.Online)
	switch n := top.Cores(); {
	case n > 0 && whole:
		c.Cores = reading(n, top.Path+"/cpu*/topology/core_cpus_list")
	case len(listed.cores) > 0:
		c.Cores = reading(len(listed.cores), cpuinfo)
	}
	switch n := top.Sockets(); {
	case n > 0 && whole:
		c.Sockets = reading(n, top.Path+"/cpu*/topology/physical_package_id")
	case len(listed.sockets) > 0:
		c.Sockets = reading(len(listed.sockets), cpuinfo)
	}
	listed.describe(&c)
	return func(h *Host) { h.CPU = c }, at
}

// cpuList is what /proc/cpuinfo says.
type cpuList struct {
	count          int
	vendor, model  string
	sockets, cores map[string]bool
	flags          []string // those that all CPUs have; nil if none are listed
}

// parseCPUInfo reads /proc/cpuinfo, in which each architecture has words of its own.
//
// Source: linux, show_cpuinfo in arch/*/kernel: x86/kernel/cpu/proc.c,
// arm64/kernel/cpuinfo.c, powerpc/kernel/setup-common.c, s390/kernel/processor.c.
func parseCPUInfo(text string) cpuList {
	l := cpuList{sockets: map[string]bool{}, cores: map[string]bool{}}
	first := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	var socket string
	total, lists := 0, 0
	have := map[string]int{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "processor":
			l.count++
			socket = ""
		case "# processors": // s390x
			total, _ = strconv.Atoi(value)
		case "vendor_id":
			first(&l.vendor, value)
		case "CPU implementer": // ARM
			first(&l.vendor, implementer(value))
		case "model name", "cpu": // the second is POWER's
			first(&l.model, value)
		case "CPU part": // ARM
			first(&l.model, "CPU part "+value)
		case "physical id":
			socket = value
			l.sockets[value] = true
		case "core id":
			l.cores[socket+"/"+value] = true
		case "flags", "Features", "features":
			lists++
			flags := strings.Fields(value)
			slices.Sort(flags)
			for _, f := range slices.Compact(flags) {
				have[f]++
			}
		default:
			if _, ok := numberAfter(key, "processor "); ok { // s390x
				l.count++
			}
		}
	}
	l.count = max(l.count, total)
	if len(have) > 0 {
		l.flags = []string{}
		for f, n := range have {
			if n == lists {
				l.flags = append(l.flags, f)
			}
		}
		slices.Sort(l.flags)
	}
	return l
}

// describe sets vendor, model and flags.
func (l cpuList) describe(c *CPU) {
	if l.vendor != "" {
		c.Vendor = reading(l.vendor, cpuinfo)
	}
	if l.model != "" {
		c.Model = reading(l.model, cpuinfo)
	}
	if l.flags != nil {
		c.Flags = reading(l.flags, cpuinfo)
	}
}

// implementer returns the maker of an ARM processor.
//
// Source: util-linux, sys-utils/lscpu-arm.c, hw_implementer.
func implementer(code string) string {
	names := map[string]string{
		"0x41": "ARM", "0x43": "Cavium", "0x46": "FUJITSU", "0x48": "HiSilicon", "0x4e": "NVIDIA", "0x51": "Qualcomm", "0x61": "Apple", "0xc0": "Ampere",
	}
	if name, ok := names[code]; ok {
		return name
	}
	return "CPU implementer " + code
}

func numberAfter(text, prefix string) (int, bool) {
	rest, ok := strings.CutPrefix(text, prefix)
	n, err := strconv.Atoi(rest)
	return n, ok && err == nil
}

// memory reads /proc/meminfo.
func (p *prober) memory(context.Context) (_ part, at gaps) {
	text, err := p.text(meminfo)
	has := parseMemInfo(text)
	if _, ok := has["MemTotal"]; err == nil && !ok {
		err = errNothing
	}
	if err != nil {
		at.add(meminfo, "memory", err)
		return func(*Host) {}, at
	}
	of := func(key string) Reading[uint64] {
		if n, ok := has[key]; ok {
			return reading(n, meminfo)
		}
		return Reading[uint64]{}
	}
	m := Memory{Total: of("MemTotal"), Available: of("MemAvailable")}
	if has["Hugepagesize"] > 0 {
		m.HugePages, m.HugePagesFree = of("HugePages_Total"), of("HugePages_Free")
	}
	return func(h *Host) { h.Memory = m }, at
}

// parseMemInfo reads lines such as "MemTotal: 65689460 kB", in bytes, and
// "HugePages_Total: 12".
func parseMemInfo(text string) map[string]uint64 {
	out := map[string]uint64{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		n, err := strconv.ParseUint(words[1], 10, 54)
		if err != nil {
			continue
		}
		if len(words) > 2 && words[2] == "kB" {
			n <<= 10
		}
		out[strings.TrimSuffix(words[0], ":")] = n
	}
	return out
}

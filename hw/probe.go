// Package hw looks at a machine as a compute node would: processors, memory, the file
// system of the instances, NUMA nodes, PCI devices, GPUs and what vGPUs they can have.
//
// Probe never writes, starts no program, sends nothing over the network and prints
// nothing. What it cannot read becomes a Gap of the Host, and the rest is reported: a
// machine without a GPU, a container without a NUMA folder and a user without privileges
// are all normal. Every fact says where it comes from.
//
//	Root (this machine, or a folder that stands for one)
//	         |                |
//	proc/, etc/, statfs      sys/
//	         |             hw/sysfs
//	         |                |
//	          +---- Host ----+
//	                 |
//	          hw/providertree
//
// All files are read through one fs.FS whose links stay below Root. No library does that:
// gopsutil and ghw open paths, so that a link of another machine, such as an absolute one,
// would lead them to the files of this machine. They know neither virtual functions nor
// mediated devices either.
//
// Probe may be called from any goroutine.
package hw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/placetop/placetop/hw/sysfs"
)

// DefaultTimeout is how long Probe waits for the machine to answer.
const DefaultTimeout = 10 * time.Second

// Options say what to probe. The zero value is this machine.
type Options struct {
	// Root is the folder that stands for the machine's "/": it has sys/, proc/ and
	// etc/. "" is "/". In a container it is where the host's folders are mounted.
	Root string
	// Files is the file system to read files from; nil is the folder Root. Its links
	// do not lead out of it.
	Files fs.FS
	// Timeout limits the probe as a whole; 0 is DefaultTimeout.
	Timeout time.Duration
	// Clock gives Host.ProbedAt; nil leaves it zero.
	Clock func() time.Time
	// Statfs returns the size of the file system of a folder; nil asks the kernel.
	// Path and Asked of its answer are overwritten.
	Statfs func(ctx context.Context, folder string) (Filesystem, error)
}

// section probes one part of the machine and returns how to put it into a Host, and what
// could not be read. It may still be running when time is up, so it must not touch the Host
// itself.
type section struct {
	name string
	run  func(ctx context.Context) (part, gaps)
}

type part func(h *Host)

// Probe looks at the machine. The error is that of ctx, or says that the folder
// Options.Root does not exist; everything else is in Host.Gaps.
//
// A part of the machine that does not answer in time, such as a file system on a dead
// server, becomes a Gap: Probe does not wait for it, and leaves one goroutine behind
// that ends when the kernel answers.
func Probe(ctx context.Context, opts Options) (Host, error) {
	p, err := newProber(opts)
	if err != nil {
		return Host{}, err
	}
	defer p.close()
	var h Host
	if opts.Clock != nil {
		h.ProbedAt = opts.Clock()
	}
	h.Configuration = p.configuration()
	p.instancesPath = path.Clean("/" + h.Configuration.Nova.InstancesPath())
	p.statePath = path.Clean("/" + h.Configuration.Nova.StatePath())
	h.Gaps, err = gather(ctx, cmp.Or(opts.Timeout, DefaultTimeout), &h, []section{
		{"identity", p.identity},
		{"address", p.address},
		{"processors", p.cpu},
		{"memory", p.memory},
		{"file system of the instances", p.instances},
		{"NUMA nodes", p.numa},
		{"PCI devices", p.pci},
		{"mediated devices", p.mediated},
	})
	if err != nil {
		return Host{}, fmt.Errorf("probe: %w", err)
	}
	h.GPUs = h.gpus()
	slices.SortStableFunc(h.Gaps, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.What, b.What))
	})
	return h, nil
}

// gather runs the sections concurrently and puts their parts into h, until all are done
// or time is up.
func gather(ctx context.Context, timeout time.Duration, h *Host, sections []section) ([]Gap, error) {
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type answer struct {
		section int
		part    part
		gaps    gaps
	}
	answers := make(chan answer, len(sections)) // room for all: a late section must not block
	for i, s := range sections {
		go func() {
			p, at := guarded(bounded, s)
			answers <- answer{i, p, at}
		}()
	}
	var found gaps
	missing := make(map[int]bool, len(sections))
	for i := range sections {
		missing[i] = true
	}
	for len(missing) > 0 {
		select {
		case a := <-answers:
			delete(missing, a.section)
			a.part(h)
			found = append(found, a.gaps...)
			continue
		case <-bounded.Done():
		}
		break
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range sections {
		if missing[i] {
			found.add("", sections[i].name, fmt.Errorf("no answer within %s: %w", timeout, context.DeadlineExceeded))
		}
	}
	return found, nil
}

// guarded runs a section, and turns a panic into a Gap.
func guarded(ctx context.Context, s section) (p part, at gaps) {
	_, err := try(func() (_ struct{}, _ error) {
		p, at = s.run(ctx)
		return
	})
	if err != nil {
		p = func(*Host) {}
		at.add("", s.name, err)
	}
	return p, at
}

// try calls what may panic, and turns that into an error: gopsutil indexes into lines of
// /proc without checking that they exist.
func try[T any](call func() (T, error)) (value T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errUnreadable, r)
		}
	}()
	return call()
}

// errUnreadable means that a library could not make sense of the machine's files.
var errUnreadable = errors.New("the machine's files have unexpected contents")

// gaps is what could not be read.
type gaps []Gap

func (g *gaps) add(path, what string, err error) {
	*g = append(*g, Gap{Path: path, What: what, Err: err})
}

// prober reads the machine in its options.
type prober struct {
	opts Options
	root rooted
	tree sysfs.Tree

	statePath, instancesPath string // of nova-compute
}

// newProber fills in the options that are left out. The caller closes the prober.
func newProber(opts Options) (*prober, error) {
	root, err := filepath.EvalSymlinks(cmp.Or(opts.Root, "/"))
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return nil, fmt.Errorf("probe: the root directory: %w", err)
	}
	opts.Root = root
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("probe: the root directory: %w", err)
	}
	p := &prober{root: rooted{dir}}
	if opts.Files == nil {
		opts.Files = p.root
	}
	if opts.Statfs == nil {
		opts.Statfs = p.statfs
	}
	p.opts, p.tree = opts, sysfs.New(opts.Files)
	return p, nil
}

func (p *prober) close() { _ = p.root.root.Close() } // it was only read from

// here reports whether the machine is the one that this process runs on, so that the
// kernel may be asked about it.
func (p *prober) here() bool { return p.opts.Root == "/" }

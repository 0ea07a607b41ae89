package hw_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/model/modeltest/must"
)

// fixedStatfs is a file system of 3 TiB, a third of it used.
func fixedStatfs(context.Context, string) (hw.Filesystem, error) {
	return hw.Filesystem{Type: "xfs", Total: 3 << 40, Used: 1 << 40, Free: 2 << 40, Source: "fixed"}, nil
}

func probe(t *testing.T, opts hw.Options) hw.Host {
	t.Helper()
	if opts.Statfs == nil {
		opts.Statfs = fixedStatfs
	}
	h, err := hw.Probe(t.Context(), opts)
	if err != nil {
		t.Fatalf("Probe: %v", err)
	}
	return h
}

func report(h hw.Host) []byte {
	var b bytes.Buffer
	for _, f := range h.Facts() {
		fmt.Fprintf(&b, "%-28s %s\n", f.Name, f.Value)
		if f.Source != "" {
			fmt.Fprintf(&b, "%-28s   < %s\n", "", f.Source)
		}
	}
	fmt.Fprintf(&b, "\nproblems: %d\n", len(h.Gaps))
	for _, p := range h.Gaps {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	return b.Bytes()
}

// What a probe reports of each captured machine.
func TestMachines(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	machines := hwtest.Machines(t, "testdata")
	for _, name := range slices.Sorted(maps.Keys(machines)) {
		fmt.Fprintf(&all, "-- %s --\n%s\n", name, report(probe(t, hw.Options{Root: hwtest.Unpack(t, machines[name])})))
	}
	golden.RequireEqual(t, all.Bytes())
}

// Missing permissions cost only the facts behind them, whoever runs the test.
func TestWithoutRights(t *testing.T) {
	t.Parallel()
	root := hwtest.Unpack(t, "testdata/t4.txtar")
	h := probe(t, hw.Options{Root: root, Files: hwtest.Faulty(os.DirFS(root), map[string]error{
		"etc/nova/compute_id":                                       fs.ErrPermission,
		"sys/devices/system/node/node1/cpulist":                     fs.ErrPermission,
		"sys/class/mdev_bus/0000:84:00.0/mdev_supported_types":      fs.ErrPermission,
		"sys/bus/pci/devices/0000:84:00.0/numa_node":                fs.ErrPermission,
		"sys/devices/system/cpu/cpu0/topology":                      fs.ErrPermission,
		"usr/share/hwdata/pci.ids":                                  fs.ErrPermission,
		"sys/bus/mdev/devices/4b20d080-1b54-4048-85b3-a6a62d165c01": fs.ErrPermission,
	})})
	golden.RequireEqual(t, report(h))
}

func TestThisMachine(t *testing.T) {
	t.Parallel()
	h := must.Get(hw.Probe(t.Context(), hw.Options{Clock: func() time.Time { return time.Unix(7, 0) }}))(t)
	if h.ProbedAt != time.Unix(7, 0) {
		t.Errorf("ProbedAt = %v, want what the clock says", h.ProbedAt)
	}
	if _, err := os.Stat("/proc/cpuinfo"); err != nil {
		t.Skip("no /proc here")
	}
	if h.CPU.Threads.Value < 1 || h.Memory.Total.Value == 0 || h.Hostname.Value == "" {
		t.Errorf("CPUs %v, memory %v, name %v", h.CPU.Threads, h.Memory.Total, h.Hostname)
	}
	if h.Instances.Total == 0 || !strings.HasPrefix("/var/lib/nova/instances", h.Instances.Asked) {
		t.Errorf("file system %+v, want that of the nearest folder above %s", h.Instances, "/var/lib/nova/instances")
	}
}

// A folder with the files of a machine has no size of its own to report.
func TestNoInstancesFolder(t *testing.T) {
	t.Parallel()
	h := must.Get(hw.Probe(t.Context(), hw.Options{Root: hwtest.Unpack(t, "testdata/no-numa.txtar")}))(t)
	if h.Instances.Source != "" || h.Instances.Total != 0 {
		t.Errorf("file system %+v, want none", h.Instances)
	}
	if !hasGap(h, "/var/lib/nova/instances", fs.ErrNotExist) {
		t.Errorf("problems %v, want one for %s", h.Gaps, "/var/lib/nova/instances")
	}
}

func hasGap(h hw.Host, path string, kind error) bool {
	return slices.ContainsFunc(h.Gaps, func(p hw.Gap) bool { return p.Path == path && errors.Is(p.Err, kind) })
}

func TestProbeErrors(t *testing.T) {
	t.Parallel()
	root := hwtest.Unpack(t, "testdata/no-numa.txtar")
	if _, err := hw.Probe(t.Context(), hw.Options{Root: filepath.Join(root, "nowhere")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v, want ErrNotExist", err)
	}
	if _, err := hw.Probe(t.Context(), hw.Options{Root: filepath.Join(root, "proc", "cpuinfo")}); err == nil {
		t.Error("a file in place of the folder: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, must.Err(hw.Probe(ctx, hw.Options{Root: root})), context.Canceled)
}

// A file system on a dead server must not hold up the rest.
func TestHangingFilesystem(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	h := probe(t, hw.Options{
		Root:    hwtest.Unpack(t, "testdata/no-gpu.txtar"),
		Timeout: time.Second,
		Statfs: func(context.Context, string) (hw.Filesystem, error) {
			<-release
			return hw.Filesystem{}, nil
		},
	})
	if h.CPU.Threads.Value != 4 {
		t.Errorf("%d CPUs, want 4 although the file system hangs", h.CPU.Threads.Value)
	}
	if !hasGap(h, "", context.DeadlineExceeded) {
		t.Errorf("problems %v, want one that is context.DeadlineExceeded", h.Gaps)
	}
}

// No library may write to the terminal, which the dashboard owns. Some open a logger
// before main, so the test needs another process.
func TestSilence(t *testing.T) {
	t.Parallel()
	const variable = "PLACETOP_PROBE_IN_SILENCE"
	if root := os.Getenv(variable); root != "" {
		must.Get(hw.Probe(t.Context(), hw.Options{Root: root}))(t)
		return
	}
	for _, machine := range []string{"no-numa", "unreadable"} {
		root := hwtest.Unpack(t, filepath.Join("testdata", machine+".txtar"))
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSilence$")
		cmd.Env = append(os.Environ(), variable+"="+root)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", machine, err, stderr.String())
		}
		// The output of testing itself follows the test's own.
		if !strings.HasPrefix(stdout.String(), "PASS\n") || stderr.Len() > 0 {
			t.Errorf("%s: the probe wrote %q and %q", machine, stdout.String(), stderr.String())
		}
	}
}

// A probe does not change the machine.
func TestWritesNothing(t *testing.T) {
	t.Parallel()
	root := hwtest.Unpack(t, "testdata/t4.txtar")
	before := listing(t, root)
	probe(t, hw.Options{Root: root})
	if after := listing(t, root); before != after {
		t.Errorf("the machine changed:\n%s\n---\n%s", before, after)
	}
}

func listing(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
		return nil
	})
	must.Succeed(t, err)
	return b.String()
}

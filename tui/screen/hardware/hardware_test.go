package hardware_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/hardware"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// machine is the result of a probe: a host with 16 threads.
func machine(t *testing.T, name string) screen.Machine {
	t.Helper()
	tree := tracker.NewTree(modeltest.ProviderID(name), "machine-id", name)
	conf := tracker.DefaultConf()
	tree.Supply(conf, placement.VCPU, 16, "gopsutil cpu.Counts(logical)")
	tree.Supply(conf, placement.MemoryMB, 65536, "gopsutil mem.VirtualMemory")
	tree.Supply(conf, placement.DiskGB, 500, "gopsutil disk.Usage")
	tree.Root.Traits = []tracker.Trait{{Name: placement.ComputeNode, Source: "nova"}, {Name: "HW_CPU_X86_AVX2", Source: "flag avx2"}}
	must.Succeed(t, tree.Finish())
	return screen.Machine{
		At: tuitest.Now(), Reports: ops.Tick{By: "register", Tree: tree, Conf: conf},
		Facts: []screen.MachineFact{
			{Name: "host.name", Value: name},
			{Name: "host.kernel", Value: "6.8"},
			{Name: "cpu.sockets", Value: "2"},
			{Name: "cpu.cores", Value: "8"},
			{Name: "cpu.threads", Value: "16"},
			{Name: "gpu.0000:41:00.0", Value: "NVIDIA T4, vGPUs 0, mdev parents 1, VFs 0"},
			{Name: "host.qemu", Value: "?"},
		},
		Gaps: []string{"/sys/class/dmi: denied"},
		Load: screen.MachineLoad{Busy: 30, All: 100, One: 2.5, MemoryTotal: 64 << 30, MemoryUsed: 16 << 30},
	}
}

// open shows the screen of a machine.
func open(t *testing.T, c *tuitest.Cloud, st *style.Styles, probe screen.Probe) *tuitest.Host {
	t.Helper()
	env := tuitest.Env(c, st)
	env.Probe = probe
	return tuitest.Open(t, c, hardware.New(env, c.Snapshot(), 0))
}

// of returns a probe with the given result.
func of(m screen.Machine) screen.Probe {
	return func(context.Context) (screen.Machine, error) { return m, nil }
}

func TestOneSocket(t *testing.T) {
	t.Parallel()
	m := machine(t, "cmp-1")
	for i := range m.Facts {
		if m.Facts[i].Name == "cpu.sockets" {
			m.Facts[i].Value = "1"
		}
	}
	if text := open(t, tuitest.Fleet(t), tuitest.Plain(), of(m)).Text(); !strings.Contains(text, "16 threads, 8 cores, 1 socket   ") {
		t.Errorf("one socket is\n%s", text)
	}
}

// TestAnotherName has a machine that the cloud knows under a longer name: the screen
// suggests that one.
func TestAnotherName(t *testing.T) {
	t.Parallel()
	text := open(t, tuitest.Fleet(t), tuitest.Plain(), of(machine(t, "cmp-1.example.net"))).At(160, 40).Text()
	if want := "Placement has no provider cmp-1.example.net, but cmp-1: is that this machine by another"; !strings.Contains(text, want) {
		t.Errorf("lacks %q:\n%s", want, text)
	}
}

// TestParts shows how full disk, NUMA nodes and cards are.
func TestParts(t *testing.T) {
	t.Parallel()
	m := machine(t, "cmp-1")
	m.Parts = []screen.MachinePart{
		{Name: "disk", Note: "/var/lib/nova/instances", Used: 300, Total: 500, Unit: "GiB"},
		{Name: "0000:41:00.0", Note: "NVIDIA T4", Used: 3, Total: 8, Unit: "vGPUs"},
		{Name: "0000:42:00.0", Note: "NVIDIA T4", Unit: "vGPUs"},
	}
	h := open(t, tuitest.Fleet(t), tuitest.Plain(), of(m))
	for _, w := range []int{80, 160} {
		text := h.At(w, 40).Text()
		for _, want := range []string{" 60%  300 of 500 GiB   /var/lib/nova/instances", " 38%  3 of 8 vGPUs   NVIDIA T4", "0 vGPUs   NVIDIA T4"} {
			if !strings.Contains(text, want) {
				t.Errorf("lacks %q at %d:\n%s", want, w, text)
			}
		}
	}
	tuitest.EverySize(t, h)
}

// TestLongFacts cuts long values.
func TestLongFacts(t *testing.T) {
	t.Parallel()
	m := machine(t, "cmp-1")
	m.Facts = append(m.Facts, screen.MachineFact{Name: "pci.0000:00:05.0", Value: "1af4:1044 class ffff00 type-PCI, driver virtio-pci, numa node 0, iommu group 17"},
		screen.MachineFact{Name: "cpu.flags", Value: strings.Repeat("avx512_vnni ", 100)}, screen.MachineFact{Name: "last", Value: "one"})
	h := open(t, tuitest.Fleet(t), tuitest.Plain(), of(m))
	h.At(160, 40).Wants("iommu group 17", "cpu.flags", "avx512_vnni avx", "last")
	tuitest.EverySize(t, h)
}

func TestFits(t *testing.T) {
	t.Parallel()
	for _, h := range []*tuitest.Host{
		open(t, tuitest.Fleet(t), tuitest.Plain(), of(machine(t, "cmp-1"))),
		open(t, tuitest.Fleet(t), tuitest.Plain(), nil),
	} {
		tuitest.EverySize(t, h)
		tuitest.Actions(t, h)
	}
}

// TestDifferences imports a machine that the cloud does not know, after which nothing
// differs, and finds later changes.
func TestDifferences(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	m := machine(t, "new-1")
	h := open(t, c, tuitest.Plain(), of(m))
	if text := h.At(160, 40).Text(); !strings.Contains(h.Status(), "this host new-1   not a host here") || strings.Contains(text, "differs") ||
		!strings.Contains(text, "this machine is not a host of this cloud: an import adds it") || strings.Contains(text, " ! ") {
		t.Errorf("a new machine is %s:\n%s", h.Status(), text)
	}
	if h.Press("i"); len(h.Asked) != 1 {
		t.Fatal("i asks for nothing")
	} else if page, ok := h.Last().(screen.PushMsg); !ok || page.Screen.(*confirm.Page).Title() != "register new-1" {
		t.Errorf("i asks for %v", h.Last())
	}
	plan, _, err := m.Reports.Plan(c.Snapshot(), tuitest.Now())
	must.Succeed(t, err)
	must.Succeed(t, c.Change(plan.Change))
	h.Feed()
	if text := h.At(160, 40).Text(); strings.Contains(h.Status(), "difference") || !strings.Contains(text, "16 x4.0 ") {
		t.Errorf("after the import it is %s:\n%s", h.Status(), text)
	}
	inv := placement.NewInventory(8)
	rp, _ := c.Snapshot().Placement().ProviderByName("new-1")
	h.Change(placement.SetInventory{Provider: rp.ID(), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: inv})
	if text := h.At(160, 40).Text(); !strings.Contains(h.Status(), "difference") || !strings.Contains(text, "VCPU total") {
		t.Errorf("after a change it is %s:\n%s", h.Status(), text)
	}
	h.Asks("enter", screen.Goto{To: place.Provider{ID: rp.ID()}})
}

// TestLive probes again as long as the screen is visible.
func TestLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, n := machine(t, "cmp-1"), 0
		c := tuitest.Fleet(t)
		env := tuitest.Env(c, tuitest.Plain())
		env.Probe = func(context.Context) (screen.Machine, error) {
			n++
			m.Load.Busy += 50
			m.Load.All += 100
			return m, nil
		}
		h := tuitest.OpenManual(t, c, hardware.New(env, c.Snapshot(), time.Second))
		for h.Pending() > 0 && n < 4 {
			h.At(80, 24).Text()
			h.RunOne(0)
		}
		if text := h.At(80, 24).Text(); n != 4 || !strings.Contains(text, "50%") || !strings.Contains(text, "load 2.5") {
			t.Errorf("looked %d times:\n%s", n, text)
		}
		h.Settle() // it is not visible now
		if n > 5 {
			t.Errorf("looked %d times", n)
		}
	})
}

func TestStates(t *testing.T) {
	t.Parallel()
	broken := func(context.Context) (screen.Machine, error) {
		return screen.Machine{}, errors.New("the machine does not tell its name")
	}
	for want, probe := range map[string]screen.Probe{"no machine to look at": nil, "does not tell its name": broken} {
		if text := open(t, tuitest.Fleet(t), tuitest.Plain(), probe).At(80, 10).Text(); !strings.Contains(text, want) {
			t.Errorf("want %q:\n%s", want, text)
		}
	}
}

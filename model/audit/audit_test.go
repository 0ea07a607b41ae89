package audit_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// on is a claim of CPU on nodes.
func on(names ...string) map[string]resources {
	out := map[string]resources{}
	for _, n := range names {
		out[n] = resources{placement.VCPU: 1}
	}
	return out
}

func TestAuditRules(t *testing.T) {
	t.Parallel()
	const instance, migration = placement.InstanceConsumer, placement.MigrationConsumer
	drained := placement.Inventory{Total: 1, Reserved: 1, MinUnit: 1, MaxUnit: 1, StepSize: 1, AllocationRatio: 1}
	for _, tc := range []struct {
		name string
		make func(*world)
		want []string // "rule subject"
	}{
		{"an empty cloud", func(*world) {}, nil},
		{"a clean host", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Claim("i", instance, on("h"))
		}, nil},

		{"a02 used above a shrunk total", func(w *world) {
			w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 8}}).
				Inventory("h", placement.VCPU, placement.NewInventory(7))
		}, []string{"a02 h"}},
		{"a02 not at exactly full", func(w *world) {
			w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 8}})
		}, nil},
		{"a02 not above the truncated but below the true capacity", func(w *world) {
			inv := placement.NewInventory(5)
			inv.AllocationRatio = 0.5
			w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 2}}).Inventory("h", placement.VCPU, inv)
		}, nil},
		{"a11 a drained provider in use", func(w *world) {
			w.Node("h").Provider("h_0000:AF:00.0", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova).
				Claim("i", "", map[string]resources{"h": {placement.VCPU: 1}, "h_0000:AF:00.0": {"CUSTOM_PCI_10DE_1EB8": 1}}).
				Inventory("h_0000:AF:00.0", "CUSTOM_PCI_10DE_1EB8", drained)
		}, []string{"a11 h_0000:AF:00.0"}},
		{"a02 not a device for one time use", func(w *world) {
			w.Node("h").Provider("h_0000:AF:00.0", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova, placement.HWPCIOneTimeUse).
				Claim("i", "", map[string]resources{"h": {placement.VCPU: 1}, "h_0000:AF:00.0": {"CUSTOM_PCI_10DE_1EB8": 1}}).
				Inventory("h_0000:AF:00.0", "CUSTOM_PCI_10DE_1EB8", drained)
		}, nil},

		{"o01 both owners", func(w *world) {
			w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
		}, []string{"o01 c"}},
		{"o01 on a root", func(w *world) {
			w.Provider("h", "", resources{placement.VCPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
		}, []string{"o01 h"}},

		{"o02 VGPU, PGPU, FPGA, PCI without owner", func(w *world) {
			w.Node("h").Provider("a", "h", resources{placement.VGPU: 1}).Provider("b", "h", resources{placement.PGPU: 1}).
				Provider("c", "h", resources{placement.FPGA: 1}).Provider("d", "h", resources{"CUSTOM_PCI_8086_1": 1}).
				Provider("e", "h", resources{"CUSTOM_PCI": 1})
		}, []string{"o02 a", "o02 b", "o02 c", "o02 d", "o02 e"}},
		{"o02 not other classes, nor an owned one", func(w *world) {
			w.Node("h").Provider("a", "h", resources{"CUSTOM_PCIE_SLOT": 1, "SRIOV_NET_VF": 4, placement.PCIDevice: 3}).
				Provider("b", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Provider("c", "h", nil)
		}, nil},

		{"o03 Nova and Cyborg", func(w *world) {
			w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, []string{"o03 h_0000:84:00.0"}},
		{"o03 names that differ in case, on different NUMA nodes", func(w *world) {
			w.Node("h").Provider("h_numa0", "h", nil).Provider("h_numa1", "h", nil).
				Provider("h_0000:AF:00.0", "h_numa0", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova).
				Provider("h_0000:af:00.0", "h_numa1", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, []string{"o03 h_0000:AF:00.0"}},
		{"o03 not on two hosts, nor two functions of a card", func(w *world) {
			w.Node("h").Node("k").Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Provider("k_0000:84:00.0", "k", resources{placement.VGPU: 1}, placement.OwnerCyborg).
				Provider("h_0000:84:00.1", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, nil},
		{"o03 not one that has no inventory any more", func(w *world) {
			w.Node("h").Provider("h_pci_0000_84_00_0", "h", nil, placement.OwnerNova).
				Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, nil},

		{"o05 one of two computes", func(w *world) {
			w.Node("h").Provider("k", "", resources{placement.VCPU: 1}, placement.ComputeNode)
		}, []string{"o05 k"}},
		{"o05 not where no compute has the trait", func(w *world) {
			w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode).Provider("k", "", nil, placement.ComputeNode)
		}, nil},
		{"o05 not a root that is no compute", func(w *world) {
			w.Node("h").Provider("k", "", resources{placement.DiskGB: 1})
		}, nil},

		{"a01 an instance that Nova does not know", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", instance, on("h"))
		}, []string{"a01 " + vm("i").String()}},
		{"a01 an untyped consumer that Nova does not know", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", "", on("h"))
		}, []string{"a01 " + vm("i").String()}},
		{"a01 a deleted instance", func(w *world) {
			w.Node("h").Instance("gone", nova.Deleted).Claim("gone", instance, on("h"))
		}, []string{"a01 gone"}},
		{"a01 not without Nova's ledger", func(w *world) {
			w.Node("h").Claim("i", instance, on("h"))
		}, nil},
		{"a01 not another type of consumer", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", "VOLUME", on("h"))
		}, nil},

		{"a06 a confirmed migration", func(w *world) {
			w.Node("h").Node("k").Instance("i", nova.Active).Migration(nova.Confirmed).
				Claim("i", instance, on("h")).Claim("m", migration, on("k"))
		}, []string{"a06 " + vm("m").String()}},
		{"a06 an untyped consumer of a reverted migration", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Migration(nova.Reverted).
				Claim("i", instance, on("h")).Claim("m", "", on("h"))
		}, []string{"a06 " + vm("m").String()}},
		{"a06 a migration that Nova does not know", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Claim("i", instance, on("h")).Claim("m", migration, on("h"))
		}, []string{"a06 " + vm("m").String()}},
		{"a06 not one that waits for confirmation", func(w *world) {
			w.Node("h").Node("k").Instance("i", nova.Resized).Migration(nova.Finished).
				Claim("i", instance, on("h")).Claim("m", migration, on("k"))
		}, nil},
		{"a06 not an untyped one under way", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Migration(nova.Migrating).Claim("m", "", on("h"))
		}, nil},

		{"a05 a GPU and nothing on the host", func(w *world) {
			w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Instance("i", nova.Active).Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}})
		}, []string{"a05 i"}},
		{"a05 the root of another tree does not help", func(w *world) {
			w.Node("h").Node("k").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Instance("i", nova.Active).Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}, "k": {placement.VCPU: 1}})
		}, []string{"a05 i", "a07 i"}},
		{"a05 not below a root without CPU and memory", func(w *world) {
			w.Provider("h", "", nil, placement.ComputeNode, placement.OwnerNova).
				Provider("numa0", "h", resources{placement.VCPU: 4}, placement.OwnerNova).
				Instance("i", nova.Active).Claim("i", instance, map[string]resources{"numa0": {placement.VCPU: 1}})
		}, nil},
		{"a05 not a migration trimmed to a device", func(w *world) {
			w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).
				Instance("i", nova.Active).Migration(nova.Error).
				Claim("i", instance, on("h")).Claim("m", migration, map[string]resources{"c": {placement.VGPU: 1}})
		}, []string{"a06 " + vm("m").String()}},

		{"s01 an aggregate of its own", func(w *world) {
			w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a")
		}, []string{"s01 pool"}},
		{"s01 no aggregate", func(w *world) {
			w.Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate)
		}, []string{"s01 pool"}},
		{"s01 two pools that reach each other only", func(w *world) {
			w.Provider("p1", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("p1", "a").
				Provider("p2", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("p2", "a")
		}, []string{"s01 p1", "s01 p2"}},
		{"s01 not a pool with a host", func(w *world) {
			w.Node("h").Aggregates("h", "a").
				Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "b", "a")
		}, nil},
		{"s01 not a pool without inventory", func(w *world) {
			w.Provider("pool", "", nil, placement.SharesViaAggregate)
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tc.make(w)
			var got []string
			for _, f := range audit.Find(w.Snapshot) {
				got = append(got, string(f.Rule)+" "+f.Subject)
				if f.Text == "" || f.Provider.IsZero() && f.Consumer.IsZero() && f.Service == "" {
					t.Errorf("finding without text or subject: %+v", f)
				}
			}
			if d := gocmp.Diff(tc.want, got); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
		})
	}
}

func TestAuditOrdersBySeverityThenRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").
		Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).
		Provider("b", "h", resources{placement.VGPU: 1}).Provider("a", "h", resources{placement.VGPU: 1}).
		Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
	found := audit.Find(w.Snapshot)
	var got []string
	for _, p := range audit.Problems(found) {
		for _, f := range p.Findings {
			got = append(got, p.Rule.Severity.String()+" "+string(f.Rule)+" "+f.Subject)
		}
	}
	want := []string{"critical o01 c", "warning o02 a", "warning o02 b", "info s01 pool"}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
	if d := gocmp.Diff(map[audit.Severity]int{audit.Critical: 1, audit.Warning: 2, audit.Info: 1}, audit.Count(found)); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
}

func TestRulesAreWholeAndSorted(t *testing.T) {
	t.Parallel()
	rules := audit.Rules()
	seen := map[audit.RuleID]bool{}
	for _, r := range rules {
		if seen[r.ID] || r.ID == "" || r.Title == "" || r.Why == "" || r.Advice == "" {
			t.Errorf("rule %q is given twice or lacks words: %+v", r.ID, r)
		}
		seen[r.ID] = true
		if got, ok := audit.RuleByID(r.ID); !ok || got != r {
			t.Errorf("RuleByID(%s) = %+v, %t", r.ID, got, ok)
		}
	}
	if !slices.IsSortedFunc(rules, func(a, b audit.Rule) int { return cmp.Compare(b.Severity, a.Severity) }) {
		t.Error("rules are not listed worst first")
	}
	if _, ok := audit.RuleByID("z99"); ok {
		t.Error("RuleByID knows a rule that does not exist")
	}
}

func TestAuditDoesNotDependOnTheOrderOfCreation(t *testing.T) {
	t.Parallel()
	steps := []func(*world){
		func(w *world) { w.Node("h").Claim("a", placement.InstanceConsumer, on("h")) },
		func(w *world) { w.Node("k").Claim("b", placement.InstanceConsumer, on("k")) },
		func(w *world) { w.Node("l").Provider("c", "l", resources{placement.VGPU: 1}) },
		func(w *world) { w.Instance("c", nova.Active) },
		func(w *world) { w.Provider("pool", "", resources{placement.DiskGB: 1}, placement.SharesViaAggregate) },
	}
	var want []audit.Finding
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		w := newWorld(t)
		for _, step := range steps {
			step(w)
		}
		got := audit.Find(w.Snapshot)
		if want == nil {
			want = got
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Fatalf("findings of the same cloud made in another order:\n%s", d)
		}
	}
}

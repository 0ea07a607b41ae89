package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func TestSignedLast(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "placetop"}
	set := &cobra.Command{Use: "set"}
	set.AddCommand(
		&cobra.Command{Use: "trait", Annotations: map[string]string{signed: "yes"}, Run: func(*cobra.Command, []string) {}},
		&cobra.Command{Use: "inventory", Run: func(*cobra.Command, []string) {}},
	)
	root.AddCommand(set)
	for _, c := range []struct{ args, want string }{
		{"set trait P +A -HW_B", "set trait P +A -- -HW_B"},
		{"set trait P -HW_B -o json -CUSTOM_C --dry-run", "set trait P -o json --dry-run -- -HW_B -CUSTOM_C"},
		{"set trait P -9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1", "set trait P -- -9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1"},
		{"set trait P -- -HW_B", "set trait P -- -HW_B"},
		{"set trait P +A", "set trait P +A"},
		{"set trait -h", "set trait -h"},
		{"set inventory P -B", "set inventory P -B"},
		{"get -B", "get -B"},
	} {
		got := signedLast(root, strings.Fields(c.args))
		if diff := cmp.Diff(strings.Fields(c.want), got); diff != "" {
			t.Errorf("%s: %s", c.args, diff)
		}
	}
}

func TestParseEdits(t *testing.T) {
	t.Parallel()
	e, err := parseEdits([]string{"+A", "-B", "C"})
	if err != nil || !cmp.Equal(e, edits{add: []string{"A"}, remove: []string{"B"}, plain: []string{"C"}}, cmp.AllowUnexported(edits{})) {
		t.Errorf("got %+v, %v", e, err)
	}
	for _, bad := range [][]string{{"+"}, {"-"}, {""}, {"+A", "+A"}, {"+A", "-A"}} {
		if _, err := parseEdits(bad); exitCode(err) != exitUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParseInventoryEdits(t *testing.T) {
	t.Parallel()
	edits := must.Get(parseInventoryEdits([]string{"VCPU=16", "DISK_GB:reserved=5", "VCPU:reserved=2", "VCPU:allocation_ratio=1.5"}))(t)
	if len(edits) != 2 || edits[0].class != "VCPU" || edits[1].class != "DISK_GB" {
		t.Fatalf("got %+v", edits)
	}
	want := placement.NewInventory(16)
	want.Reserved, want.AllocationRatio = 2, 1.5
	got := placement.NewInventory(8)
	must.Succeed(t, ops.EditInventory(&got, edits[0].fields))
	must.Match(t, want, got)
	for _, bad := range []string{"", "VCPU", "VCPU=", "VCPU=x", "VCPU:=1", "VCPU:size=1", "vcpu=1", ":total=1", "VCPU:allocation_ratio=NaN", "VCPU:allocation_ratio=", "VCPU:total=1.5", "VCPU=99999999999999999999"} {
		if got, err := parseInventoryEdits([]string{bad}); exitCode(err) != exitUsage {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
	}
	if _, err := parseInventoryEdits([]string{"VCPU=1", "VCPU:total=2"}); exitCode(err) != exitUsage {
		t.Errorf("a field set twice: %v", err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{"VCPU=16", "VCPU:reserved=2", "+CUSTOM_A", "-HW_B", "VCPU:allocation_ratio=1e300", "=", ":", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := parseInventoryEdits([]string{s}); err == nil {
			for _, e := range got {
				inv := placement.NewInventory(1)
				must.Succeed(t, ops.EditInventory(&inv, e.fields))
				// Bad values are for Validate to refuse, and must not cause a panic.
				if err := inv.Validate(); err != nil && !errors.Is(err, placement.ErrInvalid) {
					t.Errorf("%q: %v", s, err)
				}
			}
		}
		if e, err := parseEdits([]string{s}); err == nil && len(e.add)+len(e.remove)+len(e.plain) != 1 {
			t.Errorf("%q gives %+v", s, e)
		}
	})
}

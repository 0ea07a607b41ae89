package nova_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// extraSpecs draws extra specs, mostly made of meaningful words.
func extraSpecs() *rapid.Generator[map[string]string] {
	word := func(words ...string) *rapid.Generator[string] {
		return rapid.OneOf(rapid.SampledFrom(words), rapid.SampledFrom(words), rapid.String())
	}
	suffix := word("", "", "1", "2", "10", "_A", "-", "device_profile_0", "s")
	name := word("VCPU", "PCPU", "MEMORY_MB", "DISK_GB", "VGPU", "CUSTOM_X", "CUSTOM_Y", "NO_SUCH", "OWNER_NOVA", "OWNER_CYBORG", "CUSTOM_x")
	key := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"resources", "trait"}).Draw(t, "prefix") + suffix.Draw(t, "suffix") + ":" + name.Draw(t, "name")
		}),
		word("group_policy", "hw:cpu_policy", "hw:cpu_dedicated_mask", "hw:cpu_thread_policy", "hw:emulator_threads_policy", "accel:device_profile"),
	)
	value := word("0", "1", "2", " 3 ", "2147483647", "2147483648", "-1", "required", "forbidden", "none", "isolate", "dedicated", "mixed", "0-1", "^0", "1,^1", "0-99")
	return rapid.MapOfN(key, value, 0, 8)
}

// Any extra specs give either an error, or a query that Placement reads as it was meant,
// and that asks for what Amounts says.
func TestAnyExtraSpecs(t *testing.T) {
	t.Parallel()
	s := upgraded(t)
	rapid.Check(t, func(t *rapid.T) {
		f := flavor("m1")
		f.VCPUs = rapid.Int64Range(1, placement.MaxInt).Draw(t, "vcpus")
		f.SwapMB = rapid.Int64Range(0, placement.MaxInt).Draw(t, "swap")
		f.ExtraSpecs = extraSpecs().Draw(t, "extra specs")
		spec := nova.RequestSpec{Flavor: f, BootFromVolume: rapid.Bool().Draw(t, "volume")}
		if rapid.Bool().Draw(t, "devices") {
			spec.Devices = []candidates.Group{group("device_profile_0", placement.VGPU, 1)}
		}
		form := rapid.SampledFrom([]nova.OwnerFilter{nova.OwnerOnGroups, nova.OwnerOnRoot, nova.OwnerOff}).Draw(t, "form")
		r, err := s.Ask(spec, nova.AskOptions{OwnerFilter: &form})
		if err != nil {
			must.Fail(t, err, placement.ErrInvalid)
			return
		}
		back, err := candidates.ParseURL(r.Query.URL(), 0, nil)
		if err != nil {
			t.Fatalf("%s: %v", r.Query.URL(), err)
		}
		if back.URL() != r.Query.URL() {
			t.Fatalf("%s is read as %s", r.Query.URL(), back.URL())
		}
		groups := must.Get(nova.Amounts(spec))(t)
		asked, want := map[string]int64{}, map[string]int64{}
		for _, g := range back.Groups {
			for _, x := range g.Resources {
				asked[fmt.Sprint(g.Suffix, ":", x.Class)] = x.Amount
			}
		}
		for _, g := range groups {
			for class, n := range g.Amounts {
				want[fmt.Sprint(g.Suffix, ":", class)] = n
			}
		}
		if d := cmp.Diff(want, asked); d != "" {
			t.Fatalf("amounts (-want +asked):\n%s", d)
		}
	})
}

// A flavor that may be made, without a warning, can be asked for.
func TestCheckedExtraSpecsCanBeAsked(t *testing.T) {
	t.Parallel()
	s := upgraded(t)
	rapid.Check(t, func(t *rapid.T) {
		f := flavor("m1")
		f.VCPUs, f.ExtraSpecs = 100, extraSpecs().Draw(t, "extra specs")
		if f.CheckExtraSpecs(nil) != nil || slices.ContainsFunc(nova.Empty().Remarks(f), func(w nova.Warning) bool { return strings.HasPrefix(w.Text, "No instance can be booted") }) {
			return
		}
		spec := nova.RequestSpec{Flavor: f}
		if f.DeviceProfile() != "" {
			spec.Devices = []candidates.Group{group("dp", placement.VGPU, 1)}
		}
		off := nova.OwnerOff
		_, err := s.Ask(spec, nova.AskOptions{OwnerFilter: &off})
		if _, ok := errors.AsType[*nova.ExtraSpecError](err); ok {
			t.Fatalf("%v", err)
		}
	})
}

// The CPUs of a mask are counted as if one by one.
func TestDedicatedMask(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vcpus := rapid.IntRange(2, 12).Draw(t, "vcpus")
		named := map[int]bool{}
		mask := ""
		for _, part := range rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
			from := rapid.IntRange(0, vcpus-1).Draw(t, "from")
			return [2]int{from, rapid.IntRange(from, vcpus-1).Draw(t, "to")}
		}), 1, 4).Draw(t, "ranges") {
			mask += fmt.Sprintf("%d-%d,", part[0], part[1])
			for cpu := part[0]; cpu <= part[1]; cpu++ {
				named[cpu] = true
			}
		}
		for _, cpu := range rapid.SliceOfN(rapid.IntRange(0, vcpus-1), 0, 4).Draw(t, "without") {
			mask += fmt.Sprintf("^%d,", cpu)
			delete(named, cpu)
		}
		f := flavor("m1", "hw:cpu_policy=mixed", "hw:cpu_dedicated_mask="+mask)
		f.VCPUs = int64(vcpus)
		groups, err := nova.Amounts(nova.RequestSpec{Flavor: f})
		if len(named) == 0 || len(named) == vcpus {
			if !errors.Is(err, placement.ErrInvalid) {
				t.Fatalf("%s of %d: error %v", mask, vcpus, err)
			}
			return
		}
		must.Succeed(t, err)
		if got := groups[0].Amounts[placement.PCPU]; got != int64(len(named)) {
			t.Fatalf("%s names %d CPUs, want %d", mask, got, len(named))
		}
	})
}

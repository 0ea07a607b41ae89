package nova

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// hyperthreading is the trait that the CPU thread policy is about.
const hyperthreading placement.Trait = "HW_CPU_HYPERTHREADING"

// pinCPUs asks for dedicated CPUs where the flavor wants them: hw:cpu_policy
// dedicated for all, mixed for those of hw:cpu_dedicated_mask. What the extra
// specs ask of VCPU and PCPU themselves stands.
//
// Source: nova/scheduler/utils.py, ResourceRequest._translate_pinning_policies.
func (d *draft) pinCPUs() error {
	f := d.spec.Flavor
	policy, mask := f.ExtraSpecs[cpuPolicy], f.ExtraSpecs[cpuDedicatedMask]
	if mask != "" && policy != "mixed" {
		return d.fault(cpuDedicatedMask, mask, "goes with "+cpuPolicy+"=mixed only")
	}
	var dedicated int64
	switch policy {
	case "", "shared":
		return nil
	case "dedicated":
		dedicated = f.VCPUs
	case "mixed":
		var err error
		if dedicated, err = d.dedicatedCPUs(mask); err != nil {
			return err
		}
	default:
		return d.fault(cpuPolicy, policy, "must be shared, dedicated or mixed")
	}
	origin := fmt.Sprintf("flavor %s: vcpus, %s=%s", f.Name, cpuPolicy, policy)
	g := d.group("")
	d.unlessAsked(placement.VCPU, f.VCPUs-dedicated, origin)
	if f.ExtraSpecs[emulatorThreads] == "isolate" {
		dedicated++
		origin += ", " + emulatorThreads + "=isolate"
	}
	d.unlessAsked(placement.PCPU, dedicated, origin)
	switch threads := f.ExtraSpecs[cpuThreadPolicy]; threads {
	case "", "prefer":
	case "require":
		g.Required = append(g.Required, candidates.AnyTrait{Names: []placement.Trait{hyperthreading}, Origin: extraSpecOrigin + cpuThreadPolicy})
	case "isolate":
		g.Forbidden = append(g.Forbidden, candidates.Trait{Name: hyperthreading, Origin: extraSpecOrigin + cpuThreadPolicy})
	default:
		return d.fault(cpuThreadPolicy, threads, "must be prefer, isolate or require")
	}
	return nil
}

// dedicatedCPUs returns how many of the flavor's CPUs a mask names: some, but not
// all.
//
// Source: nova/virt/hardware.py, get_dedicated_cpu_constraint.
func (d *draft) dedicatedCPUs(mask string) (int64, error) {
	vcpus := d.spec.Flavor.VCPUs
	if mask == "" {
		return 0, d.fault(cpuPolicy, "mixed", "needs "+cpuDedicatedMask)
	}
	if strings.HasPrefix(strings.TrimSpace(mask), "^") {
		mask = fmt.Sprintf("0-%d,%s", vcpus-1, mask)
	}
	in, out, bad := parseCPUs(mask)
	if bad != "" {
		return 0, d.fault(cpuDedicatedMask, bad, "is no CPU, no range a-b, and none of these after ^")
	}
	named := countCPUs(in, out)
	switch within := named - countCPUs(in, append(out, cpuRange{0, vcpus - 1})); {
	case within != named:
		return 0, d.fault(cpuDedicatedMask, d.spec.Flavor.ExtraSpecs[cpuDedicatedMask], fmt.Sprintf("names CPUs that the flavor has not: its last is %d", vcpus-1))
	case named == 0 || named == vcpus:
		return 0, d.fault(cpuDedicatedMask, d.spec.Flavor.ExtraSpecs[cpuDedicatedMask], "must name some CPUs of the flavor, but not all")
	}
	return named, nil
}

// cpuRange is CPUs from one number to another, both included.
type cpuRange struct{ from, to int64 }

// parseCPUs reads a list of CPUs such as "0-3,^2,7": what it names, what it takes
// out again, and the first word that is wrong.
//
// Source: nova/virt/hardware.py, parse_cpu_spec.
func parseCPUs(list string) (in, out []cpuRange, bad string) {
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		text, excluded := strings.CutPrefix(word, "^")
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseInt(strings.TrimSpace(first), 10, 32)
		to, err2 := strconv.ParseInt(strings.TrimSpace(last), 10, 32)
		if err != nil || err2 != nil || from < 0 || from > to || isRange && excluded {
			return nil, nil, word
		}
		if excluded {
			out = append(out, cpuRange{from, to})
		} else {
			in = append(in, cpuRange{from, to})
		}
	}
	return in, out, ""
}

// countCPUs returns how many CPUs are in some range of in and in none of out. It
// never holds the CPUs one by one: a range may have billions.
func countCPUs(in, out []cpuRange) int64 {
	var bounds []int64
	for _, r := range slices.Concat(in, out) {
		bounds = append(bounds, r.from, r.to+1)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	covers := func(list []cpuRange, cpu int64) bool {
		return slices.ContainsFunc(list, func(r cpuRange) bool { return r.from <= cpu && cpu <= r.to })
	}
	var n int64
	for i := 1; i < len(bounds); i++ {
		if cpu := bounds[i-1]; covers(in, cpu) && !covers(out, cpu) {
			n += bounds[i] - cpu
		}
	}
	return n
}

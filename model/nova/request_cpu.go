package nova

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// hyperthreading is the trait that the CPU thread policy is about.
const hyperthreading placement.Trait = "HW_CPU_HYPERTHREADING"

// The CPU policies and those of threads.
const (
	cpusShared     = "shared"
	cpusDedicated  = "dedicated"
	cpusMixed      = "mixed"
	threadsPrefer  = "prefer"
	threadsIsolate = "isolate"
	threadsRequire = "require"
)

// pinCPUs asks for dedicated CPUs if flavor or image want them, and for hosts with or
// without hyperthreading.
//
// Source: nova/scheduler/utils.py, ResourceRequest._translate_pinning_policies;
// nova/virt/hardware.py, get_cpu_policy_constraint and get_cpu_thread_policy_constraint.
func (d *draft) pinCPUs() {
	policy := d.cpuPolicy(cpuPolicy, "hw_cpu_policy", func(flavor, image string) bool {
		return flavor == cpusMixed && image == cpusDedicated || flavor == cpusShared && image != cpusShared
	})
	threads := d.cpuPolicy(cpuThreadPolicy, "hw_cpu_thread_policy", func(flavor, image string) bool {
		return flavor != threadsPrefer && image != flavor
	})
	dedicated := int64(0)
	switch policy.text {
	case cpusDedicated:
		dedicated = d.spec.Flavor.VCPUs
	case cpusMixed:
		dedicated = d.dedicatedCPUs(policy)
	}
	if d.spec.Unpinned {
		return
	}
	g := d.group("")
	if dedicated > 0 {
		d.pinned = true
		origin := fmt.Sprintf("flavor %s: vcpus, %s", d.spec.Flavor.Name, pinOrigin(policy))
		if policy.text == cpusMixed {
			g.set(placement.VCPU, d.spec.Flavor.VCPUs-dedicated, origin)
		}
		if d.spec.Flavor.IsolatesEmulator() {
			dedicated++
			origin += ", " + emulatorThreads + "=isolate"
		}
		g.set(placement.PCPU, dedicated, origin)
	}
	switch threads.text {
	case threadsRequire:
		g.require(hyperthreading, threads.origin)
	case threadsIsolate:
		g.Forbidden = append(g.Forbidden, candidates.Trait{Name: hyperthreading, Origin: threads.origin})
	}
}

// IsolatesEmulator reports whether an instance of the flavor has a CPU for the threads of its
// emulator, if its CPUs are pinned.
func (f *Flavor) IsolatesEmulator() bool { return f.ExtraSpecs[emulatorThreads] == threadsIsolate }

// pinOrigin returns the origin of CPUs that come from the policy.
func pinOrigin(policy value) string {
	if key, ok := strings.CutPrefix(policy.origin, extraSpecOrigin); ok {
		return key + "=" + policy.text
	}
	return policy.origin
}

// cpuPolicy returns a policy of the flavor or, if it has none, of the image. The request is
// refused if both have one and they conflict.
func (d *draft) cpuPolicy(key, property string, conflict func(flavor, image string) bool) value {
	flavor, image := d.spec.Flavor.ExtraSpecs[key], d.spec.Image[property]
	switch {
	case flavor == "":
		return value{image, "image " + property + "=" + image}
	case image != "" && conflict(flavor, image):
		d.refuse(d.conflict(key, property))
	}
	return value{flavor, extraSpecOrigin + key}
}

// dedicatedCPUs returns how many CPUs are dedicated with the policy mixed: those of the
// flavor's mask or, without one, the real-time ones, of which the image's mask takes
// precedence.
//
// Source: nova/virt/hardware.py, get_dedicated_cpu_constraint and
// get_realtime_cpu_constraint.
func (d *draft) dedicatedCPUs(policy value) int64 {
	f := d.spec.Flavor
	key, mask := cpuDedicatedMask, f.ExtraSpecs[cpuDedicatedMask]
	fault := func(word, why string) { d.refuse(d.fault(key, word, why)) }
	switch realtime := isTrue(f.ExtraSpecs[cpuRealtime]); {
	case mask != "":
	case !realtime:
		d.refuse(d.faultAt(policy, "needs "+cpuDedicatedMask+" or "+cpuRealtime+" with "+cpuRealtimeMask))
		return 0
	case d.spec.Image[cpuRealtimeProperty] != "":
		key, mask = cpuRealtimeMask, d.spec.Image[cpuRealtimeProperty]
		fault = func(_, why string) { d.refuse(d.imageFault(cpuRealtimeProperty, why)) }
	case f.ExtraSpecs[cpuRealtimeMask] == "":
		return f.VCPUs
	default:
		key, mask = cpuRealtimeMask, f.ExtraSpecs[cpuRealtimeMask]
	}
	set, bad := parseMask(mask, f.VCPUs)
	switch {
	case bad != "":
		fault(bad, bad+" must be a CPU, a range a-b, or ^ and one of these")
	case set.last() >= f.VCPUs:
		fault(mask, fmt.Sprintf("names CPUs that the flavor does not have: its last one is %d", f.VCPUs-1))
	case len(set) == 0 || key == cpuDedicatedMask && set.count() == f.VCPUs:
		fault(mask, "must name some CPUs of the flavor, but not all")
	}
	return set.count()
}

// cpuRealtimeProperty is the image property for cpuRealtimeMask.
const cpuRealtimeProperty = "hw_cpu_realtime_mask"

// faultAt is fault for a value of the flavor or the image.
func (d *draft) faultAt(v value, why string) error {
	if key, ok := strings.CutPrefix(v.origin, extraSpecOrigin); ok {
		return d.fault(key, d.spec.Flavor.ExtraSpecs[key], why)
	}
	return &placement.InvalidError{Field: v.origin, Why: why}
}

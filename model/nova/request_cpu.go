package nova

import (
	"fmt"
	"strconv"
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

// cpuWish is what flavor and image ask for about CPUs.
type cpuWish struct {
	policy, threads     value
	emulator            string
	dedicated, realtime cpuSet // nil if no mask names any
}

// pinCPUs asks for dedicated CPUs if flavor or image want them, and refuses what Nova's
// API refuses to boot.
//
// Source: nova/scheduler/utils.py, ResourceRequest._translate_pinning_policies;
// nova/virt/hardware.py, numa_get_constraints, which the API asks first.
func (d *draft) pinCPUs() {
	w := d.cpuWish()
	if d.refused == nil {
		d.checkCPUs(w)
	}
	if d.spec.Unpinned {
		return
	}
	f := d.spec.Flavor
	origin := fmt.Sprintf("flavor %s: vcpus, %s", f.Name, pinOrigin(w.policy))
	dedicated := f.VCPUs
	switch w.policy.text {
	case cpusDedicated:
	case cpusMixed:
		if dedicated = w.dedicated.count(); dedicated == 0 {
			dedicated = w.realtime.count()
		}
		d.group("").set(placement.VCPU, f.VCPUs-dedicated, origin)
	default:
		dedicated = 0
	}
	if dedicated > 0 {
		d.pinned = true
		if w.emulator == threadsIsolate {
			dedicated++
			origin += ", " + emulatorThreads + "=isolate"
		}
		d.group("").set(placement.PCPU, dedicated, origin)
	}
	g := d.group("")
	switch w.threads.text {
	case threadsRequire:
		g.require(hyperthreading, w.threads.origin)
	case threadsIsolate:
		g.Forbidden = append(g.Forbidden, candidates.Trait{Name: hyperthreading, Origin: w.threads.origin})
	}
}

// pinOrigin returns the origin of CPUs that come from the policy.
func pinOrigin(policy value) string {
	if key, ok := strings.CutPrefix(policy.origin, extraSpecOrigin); ok {
		return key + "=" + policy.text
	}
	return policy.origin
}

// cpuWish reads what flavor and image ask for about CPUs. If the two conflict, or a mask
// is not valid, the request is refused.
//
// Source: nova/virt/hardware.py, get_cpu_policy_constraint,
// get_cpu_thread_policy_constraint, get_realtime_cpu_constraint,
// get_dedicated_cpu_constraint and get_emulator_thread_policy_constraint.
func (d *draft) cpuWish() cpuWish {
	specs, image := d.spec.Flavor.ExtraSpecs, d.spec.Image
	both := func(key, property string) (flavor, of string, says value) {
		flavor, of = specs[key], image[property]
		if says = (value{flavor, extraSpecOrigin + key}); flavor == "" {
			says = value{of, "image " + property + "=" + of}
		}
		return flavor, of, says
	}
	w := cpuWish{emulator: specs[emulatorThreads]}
	conflict := func(key, property string) {
		d.refuse(d.fault(key, specs[key], fmt.Sprintf("conflicts with the image, which has %s=%s", property, image[property])))
	}
	policy, ofImage, says := both(cpuPolicy, "hw_cpu_policy")
	if policy == cpusMixed && ofImage == cpusDedicated || policy == cpusShared && (ofImage == cpusMixed || ofImage == cpusDedicated) {
		conflict(cpuPolicy, "hw_cpu_policy")
	}
	w.policy = says
	threads, ofImage, says := both(cpuThreadPolicy, "hw_cpu_thread_policy")
	if threads != "" && threads != threadsPrefer && ofImage != "" && ofImage != threads {
		conflict(cpuThreadPolicy, "hw_cpu_thread_policy")
	}
	w.threads = says
	w.dedicated = d.dedicatedCPUs()
	w.realtime = d.realtimeCPUs()
	return w
}

// dedicatedCPUs returns the CPUs that a mask of the flavor names, which must be some, but
// not all.
func (d *draft) dedicatedCPUs() cpuSet {
	f := d.spec.Flavor
	mask := f.ExtraSpecs[cpuDedicatedMask]
	if mask == "" {
		return nil
	}
	set, bad := parseMask(mask, f.VCPUs)
	switch {
	case bad != "":
		d.refuse(d.fault(cpuDedicatedMask, bad, "must be a CPU, a range a-b, or ^ and one of these"))
	case set.last() >= f.VCPUs:
		d.refuse(d.fault(cpuDedicatedMask, mask, fmt.Sprintf("names CPUs that the flavor does not have: its last one is %d", f.VCPUs-1)))
	case len(set) == 0 || set.count() == f.VCPUs:
		d.refuse(d.fault(cpuDedicatedMask, mask, "must name some CPUs of the flavor, but not all"))
	default:
		return set
	}
	return nil
}

// realtimeCPUs returns the CPUs that are to be real-time, nil if there are none.
func (d *draft) realtimeCPUs() cpuSet {
	f := d.spec.Flavor
	if !isTrue(f.ExtraSpecs[cpuRealtime]) {
		return nil
	}
	mask := f.ExtraSpecs[cpuRealtimeMask]
	fault := func(why string) { d.refuse(d.fault(cpuRealtimeMask, mask, why)) }
	if own := d.spec.Image["hw_cpu_realtime_mask"]; own != "" { // the image takes precedence
		mask = own
		fault = func(why string) { d.refuse(d.imageFault("hw_cpu_realtime_mask", why)) }
	}
	set, bad := cpuSet{{0, f.VCPUs - 1}}, ""
	if mask != "" {
		set, bad = parseMask(mask, f.VCPUs)
	}
	switch {
	case bad != "":
		fault(bad + " must be a CPU, a range a-b, or ^ and one of these")
	case len(set) == 0:
		fault("must name a CPU of the flavor")
	case set.last() >= f.VCPUs:
		fault(fmt.Sprintf("names CPUs that the flavor does not have: its last one is %d", f.VCPUs-1))
	case set.count() == f.VCPUs && f.ExtraSpecs[emulatorThreads] == "":
		fault("must leave one CPU that is not real-time, unless " + emulatorThreads + " is set")
	default:
		return set
	}
	return nil
}

// checkCPUs refuses combinations that are not allowed.
//
// Source: nova/virt/hardware.py, numa_get_constraints.
func (d *draft) checkCPUs(w cpuWish) {
	f := d.spec.Flavor
	refuse := func(key, why string) { d.refuse(d.fault(key, f.ExtraSpecs[key], why)) }
	vcpu, vcpuKey := d.explicit(placement.VCPU)
	pcpu, pcpuKey := d.explicit(placement.PCPU)
	isolated := w.emulator == threadsIsolate
	policy := w.policy.text
	switch {
	case policy != "" && vcpu > 0:
		refuse(vcpuKey, "conflicts with "+w.policy.where()+": use one or the other")
	case policy != "" && pcpu > 0:
		refuse(pcpuKey, "conflicts with "+w.policy.where()+": use one or the other")
	case vcpu > 0 && pcpu > 0:
		refuse(pcpuKey, "conflicts with "+vcpuKey+": use one or the other")
	case pcpu > 0 && isolated && pcpu != f.VCPUs+1:
		refuse(pcpuKey, fmt.Sprintf("must be %d: the flavor's vcpus and one more for %s=isolate", f.VCPUs+1, emulatorThreads))
	case pcpu > 0 && !isolated && pcpu != f.VCPUs:
		refuse(pcpuKey, fmt.Sprintf("must be %d, the flavor's vcpus", f.VCPUs))
	case pcpu > 0:
		policy = cpusDedicated
	case vcpu > 0:
		policy = cpusShared
	}
	threads, trait := w.threads, d.hyperthreadingTrait()
	switch {
	case threads.text != "" && trait.text != "":
		d.refuse(d.faultAt(threads, "conflicts with "+trait.where()+": use one or the other"))
	case trait.text == "forbidden" || trait.text == "required":
		threads = trait
	}
	if policy != cpusMixed && len(w.dedicated) > 0 {
		refuse(cpuDedicatedMask, "needs "+cpuPolicy+"=mixed")
	}
	switch policy {
	case "", cpusShared:
		switch {
		case threads.text != "":
			d.refuse(d.faultAt(threads, "needs dedicated CPUs: "+cpuPolicy+"=dedicated or mixed"))
		case isolated:
			refuse(emulatorThreads, "needs "+cpuPolicy+"=dedicated or mixed")
		case len(w.realtime) > 0:
			refuse(cpuRealtime, "needs "+cpuPolicy+"=dedicated or mixed")
		}
	case cpusMixed:
		switch {
		case len(w.realtime) > 0 && len(w.dedicated) > 0:
			refuse(cpuDedicatedMask, "conflicts with "+cpuRealtime+": only one mask can say which CPUs are dedicated")
		case len(w.realtime) == 0 && len(w.dedicated) == 0:
			d.refuse(d.faultAt(w.policy, "needs "+cpuDedicatedMask+" or "+cpuRealtime+" with "+cpuRealtimeMask))
		}
	}
	d.checkNUMA(policy)
}

// where says where a value comes from.
func (v value) where() string {
	if key, ok := strings.CutPrefix(v.origin, extraSpecOrigin); ok {
		return key + "=" + v.text
	}
	return v.origin
}

// faultAt is fault for a value of the flavor or the image.
func (d *draft) faultAt(v value, why string) error {
	if key, ok := strings.CutPrefix(v.origin, extraSpecOrigin); ok {
		return d.fault(key, d.spec.Flavor.ExtraSpecs[key], why)
	}
	return &placement.InvalidError{Field: v.origin, Why: why}
}

// explicit returns how many units of a class the flavor's un-suffixed and numbered groups
// ask for, and one key that does so. Groups with other suffixes are ignored, as upstream.
//
// Source: nova/virt/hardware.py, _get_vcpu_pcpu_resources.
func (d *draft) explicit(class placement.ResourceClass) (amount int64, by string) {
	for _, key := range sortedKeys(d.spec.Flavor.ExtraSpecs) {
		k, ok := parseSpecKey(key)
		if !ok || k.trait || k.name != string(class) || !numbered(k.suffix) {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(d.spec.Flavor.ExtraSpecs[key]), 10, 64); err == nil && n > 0 {
			amount, by = amount+min(n, placement.MaxInt), key
		}
	}
	return amount, by
}

// numbered reports whether a suffix is empty, or a number as in microversion 1.25.
func numbered(suffix string) bool {
	return strings.Trim(suffix, "0123456789") == "" && !strings.HasPrefix(suffix, "0")
}

// hyperthreadingTrait returns what flavor or image say about the trait, "" if nothing.
//
// Source: nova/virt/hardware.py, _get_hyperthreading_trait.
func (d *draft) hyperthreadingTrait() value {
	for _, key := range sortedKeys(d.spec.Flavor.ExtraSpecs) {
		if k, ok := parseSpecKey(key); ok && k.trait && k.name == string(hyperthreading) && numbered(k.suffix) {
			return value{d.spec.Flavor.ExtraSpecs[key], extraSpecOrigin + key}
		}
	}
	for _, t := range d.imageTraits() {
		if t == hyperthreading {
			return value{"required", imageTraitOrigin(t)}
		}
	}
	return value{}
}

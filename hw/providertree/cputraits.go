package providertree

import (
	"slices"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// cpuFlag is a kernel flag with its traits.
type cpuFlag struct {
	flag   string
	traits []placement.Trait
}

// cpuFlags maps the kernel's flags in /proc/cpuinfo to traits. Nova's table uses
// libvirt's names of the same features, which differ in places: the kernel's pni is sse3,
// sse4_1 is sse4.1, sha_ni is sha-ni, pclmulqdq is pclmuldq, avx512_vnni is avx512vnni.
//
// Source: nova/virt/libvirt/utils.py, CPU_TRAITS_MAPPING; Linux,
// arch/x86/include/asm/cpufeatures.h.
func cpuFlags() []cpuFlag {
	one := func(flag string, traits ...placement.Trait) cpuFlag { return cpuFlag{flag, traits} }
	return []cpuFlag{
		one("3dnow", "HW_CPU_X86_3DNOW"),
		one("abm", "HW_CPU_X86_ABM"),
		one("aes", "HW_CPU_X86_AESNI"),
		one("avx", "HW_CPU_X86_AVX"),
		one("avx2", "HW_CPU_X86_AVX2"),
		one("avx512_bitalg", "HW_CPU_X86_AVX512BITALG"),
		one("avx512_vbmi2", "HW_CPU_X86_AVX512VBMI2"),
		one("avx512_vnni", "HW_CPU_X86_AVX512VNNI"),
		one("avx512_vpopcntdq", "HW_CPU_X86_AVX512VPOPCNTDQ"),
		one("avx512bw", "HW_CPU_X86_AVX512BW"),
		one("avx512cd", "HW_CPU_X86_AVX512CD"),
		one("avx512dq", "HW_CPU_X86_AVX512DQ"),
		one("avx512er", "HW_CPU_X86_AVX512ER"),
		one("avx512f", "HW_CPU_X86_AVX512F"),
		one("avx512ifma", "HW_CPU_X86_AVX512IFMA"),
		one("avx512pf", "HW_CPU_X86_AVX512PF"),
		one("avx512vbmi", "HW_CPU_X86_AVX512VBMI"),
		one("avx512vl", "HW_CPU_X86_AVX512VL"),
		one("bmi1", "HW_CPU_X86_BMI"),
		one("bmi2", "HW_CPU_X86_BMI2"),
		one("f16c", "HW_CPU_X86_F16C"),
		one("fma", "HW_CPU_X86_FMA3"),
		one("fma4", "HW_CPU_X86_FMA4"),
		one("gfni", "HW_CPU_X86_AVX512GFNI"),
		one("mmx", "HW_CPU_X86_MMX"),
		one("mpx", "HW_CPU_X86_MPX"),
		one("pclmulqdq", "HW_CPU_X86_CLMUL"),
		one("pni", "HW_CPU_X86_SSE3"),
		one("sha_ni", "HW_CPU_X86_SHA"),
		one("sse", "HW_CPU_X86_SSE"),
		one("sse2", "HW_CPU_X86_SSE2"),
		one("sse4_1", "HW_CPU_X86_SSE41"),
		one("sse4_2", "HW_CPU_X86_SSE42"),
		one("sse4a", "HW_CPU_X86_SSE4A"),
		one("ssse3", "HW_CPU_X86_SSSE3"),
		// These two keep their generic traits for flavors that require them.
		one("svm", "HW_CPU_X86_SVM", "HW_CPU_X86_AMD_SVM"),
		one("tbm", "HW_CPU_X86_TBM"),
		one("vaes", "HW_CPU_X86_AVX512VAES"),
		one("vmx", "HW_CPU_X86_VMX", "HW_CPU_X86_INTEL_VMX"),
		one("vpclmulqdq", "HW_CPU_X86_AVX512VPCLMULQDQ"),
		one("xop", "HW_CPU_X86_XOP"),
	}
}

// archTraits maps uname -m to traits.
//
// Source: os-traits, os_traits/hw/arch.py.
func archTraits() map[string]placement.Trait {
	return map[string]placement.Trait{
		"aarch64": "HW_ARCH_AARCH64",
		"armv6l":  "HW_ARCH_ARMV6",
		"armv7l":  "HW_ARCH_ARMV7",
		"i686":    "HW_ARCH_I686",
		"mips64":  "HW_ARCH_MIPS64",
		"ppc64":   "HW_ARCH_PPC64",
		"ppc64le": "HW_ARCH_PPC64LE",
		"s390x":   "HW_ARCH_S390X",
		"x86_64":  "HW_ARCH_X86_64",
	}
}

const hyperthreading placement.Trait = "HW_CPU_HYPERTHREADING"

// isX86 reports whether the processors of a machine are Intel's or alike, by its makers
// where the kernel is too old to name the architecture.
func isX86(h hw.Host) bool {
	if h.Arch.Known() {
		return h.Arch.Value == "x86_64" || h.Arch.Value == "i686"
	}
	return slices.Contains([]string{"GenuineIntel", "AuthenticAMD", "HygonGenuine", "CentaurHauls", "Shanghai"}, h.CPU.Vendor.Value)
}

// cpuTraits returns the traits that the processors have, and those in our tables that
// they lack. What the probe could not read is in neither.
//
// Source: nova/virt/libvirt/driver.py, _get_cpu_traits; nova/virt/libvirt/host.py,
// has_hyperthreading.
func cpuTraits(h hw.Host) (has []tracker.Trait, without []placement.Trait) {
	if flags := h.CPU.Flags; flags.Known() {
		x86 := isX86(h)
		for _, f := range cpuFlags() {
			_, ok := slices.BinarySearch(flags.Value, f.flag)
			ok = ok && x86 // ARM, too, calls something "aes"
			for _, t := range f.traits {
				if ok {
					has = append(has, tracker.Trait{Name: t, Source: "flag " + f.flag + ", " + flags.Source})
				} else {
					without = append(without, t)
				}
			}
		}
	}
	threads := 0
	for _, c := range h.CPU.Topology.CPUs {
		threads = max(threads, len(c.Siblings))
	}
	source := h.CPU.Topology.Path + "/cpu*/topology/core_cpus_list"
	switch {
	case threads > 1:
		has = append(has, tracker.Trait{Name: hyperthreading, Source: source})
	case threads == 1:
		without = append(without, hyperthreading)
	}
	if t, ok := archTraits()[h.Arch.Value]; ok {
		has = append(has, tracker.Trait{Name: t, Source: h.Arch.Source})
	}
	return has, without
}

package providertree

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// cpuFlags are the kernel's flags in /proc/cpuinfo, each with its traits without HW_CPU_X86_.
// Nova's table uses libvirt's names of the same features, which differ in places: the kernel's
// pni is sse3, sse4_1 is sse4.1, sha_ni is sha-ni, pclmulqdq is pclmuldq, avx512_vnni is
// avx512vnni. Svm and vmx keep their generic traits for flavors that require them.
//
// Source: nova/virt/libvirt/utils.py, CPU_TRAITS_MAPPING; Linux,
// arch/x86/include/asm/cpufeatures.h.
const cpuFlags = `
3dnow            3DNOW
abm              ABM
aes              AESNI
avx              AVX
avx2             AVX2
avx512_bitalg    AVX512BITALG
avx512_vbmi2     AVX512VBMI2
avx512_vnni      AVX512VNNI
avx512_vpopcntdq AVX512VPOPCNTDQ
avx512bw         AVX512BW
avx512cd         AVX512CD
avx512dq         AVX512DQ
avx512er         AVX512ER
avx512f          AVX512F
avx512ifma       AVX512IFMA
avx512pf         AVX512PF
avx512vbmi       AVX512VBMI
avx512vl         AVX512VL
bmi1             BMI
bmi2             BMI2
f16c             F16C
fma              FMA3
fma4             FMA4
gfni             AVX512GFNI
mmx              MMX
mpx              MPX
pclmulqdq        CLMUL
pni              SSE3
sha_ni           SHA
sse              SSE
sse2             SSE2
sse4_1           SSE41
sse4_2           SSE42
sse4a            SSE4A
ssse3            SSSE3
svm              SVM AMD_SVM
tbm              TBM
vaes             AVX512VAES
vmx              VMX INTEL_VMX
vpclmulqdq       AVX512VPCLMULQDQ
xop              XOP
`

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
		for line := range strings.Lines(strings.TrimSpace(cpuFlags)) {
			words := strings.Fields(line)
			_, ok := slices.BinarySearch(flags.Value, words[0])
			for _, word := range words[1:] {
				t := placement.Trait("HW_CPU_X86_" + word)
				if ok && x86 { // ARM, too, calls something "aes"
					has = append(has, tracker.Trait{Name: t, Source: "flag " + words[0] + ", " + flags.Source})
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

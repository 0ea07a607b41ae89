package nova_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// pairs returns a map of properties given as "key=value".
func pairs(list ...string) map[string]string {
	out := map[string]string{}
	for _, s := range list {
		key, value, _ := strings.Cut(s, "=")
		out[key] = value
	}
	return out
}

// Specs of flavor and image become what Nova asks for.
func TestSpecsInRequest(t *testing.T) {
	t.Parallel()
	const uefi = "hw_firmware_type=uefi"
	for _, tt := range []struct {
		name        string
		specs       []string
		image       []string
		asked, root string // in addition to VCPU:2,MEMORY_MB:4096,DISK_GB:20
	}{
		{name: "nothing"},
		{name: "a TPM", specs: []string{"hw:tpm_version=1.2"}, asked: "&required=COMPUTE_SECURITY_TPM_1_2,COMPUTE_SECURITY_TPM_TIS", root: "COMPUTE_SECURITY_TPM_SECRET_SECURITY_USER"},
		{name: "a TPM of the image", image: []string{"hw_tpm_version=2.0", "hw_tpm_model=tpm-crb"}, asked: "&required=COMPUTE_SECURITY_TPM_2_0,COMPUTE_SECURITY_TPM_CRB", root: "COMPUTE_SECURITY_TPM_SECRET_SECURITY_USER"},
		{name: "a model of no TPM", specs: []string{"hw:tpm_model=tpm-crb", "hw:tpm_secret_security=host"}},
		{name: "the secret of a TPM", specs: []string{"hw:tpm_version=2.0", "hw:tpm_secret_security=deployment"}, asked: "&required=COMPUTE_SECURITY_TPM_2_0,COMPUTE_SECURITY_TPM_TIS", root: "COMPUTE_SECURITY_TPM_SECRET_SECURITY_DEPLOYMENT"},
		{name: "secure boot", specs: []string{"os:secure_boot=required"}, asked: "&required=COMPUTE_SECURITY_UEFI_SECURE_BOOT"},
		{name: "secure boot of the image, as it may", image: []string{"os_secure_boot=optional"}},
		{name: "firmware alone", image: []string{uefi}},
		{name: "stateless firmware", image: []string{uefi, "hw_firmware_stateless=true"}, asked: "&required=COMPUTE_SECURITY_STATELESS_FIRMWARE"},
		{name: "PCI on the socket", specs: []string{"hw:pci_numa_affinity_policy=socket"}, asked: "&required=COMPUTE_SOCKET_PCI_NUMA_AFFINITY"},
		{name: "PCI wherever", specs: []string{"hw:pci_numa_affinity_policy=preferred"}},
		{name: "addresses", specs: []string{"hw:maxphysaddr_mode=emulate"}, asked: "&required=COMPUTE_ADDRESS_SPACE_EMULATED"},
		{name: "encrypted memory", specs: []string{"hw:mem_encryption=yes", "hw:mem_encryption_model=amd-sev-es"}, image: []string{uefi}, asked: ",MEM_ENCRYPTION_CONTEXT:1&required=HW_CPU_X86_AMD_SEV_ES"},
		{name: "encrypted memory, of the model that is the default", image: []string{uefi, "hw_mem_encryption=true"}, asked: ",MEM_ENCRYPTION_CONTEXT:1&required=HW_CPU_X86_AMD_SEV"},
		{name: "encrypted memory with stateless firmware", specs: []string{"hw:mem_encryption=yes", "hw:mem_encryption_model=amd-sev-snp"}, image: []string{uefi, "hw_firmware_stateless=true"}, asked: ",MEM_ENCRYPTION_CONTEXT:1&required=HW_CPU_X86_AMD_SEV_SNP,COMPUTE_SECURITY_STATELESS_FIRMWARE"},
		{name: "encrypted memory, Intel's", specs: []string{"hw:mem_encryption=yes"}, image: []string{uefi, "hw_mem_encryption_model=intel-tdx", "hw_firmware_stateless=true", "hw_video_model=none"}, asked: ",MEM_ENCRYPTION_CONTEXT:1&required=HW_CPU_X86_INTEL_TDX,COMPUTE_SECURITY_STATELESS_FIRMWARE"},
		{name: "a model of no encrypted memory", specs: []string{"hw:mem_encryption_model=amd-sev-snp"}},
		{name: "persistent memory", specs: []string{"hw:pmem=4gb,4gb,big"}, asked: ",CUSTOM_PMEM_NAMESPACE_4GB:2,CUSTOM_PMEM_NAMESPACE_BIG:1"},
		{name: "a packed ring", specs: []string{"hw:virtio_packed_ring=true"}, root: "COMPUTE_NET_VIRTIO_PACKED"},
		{name: "no packed ring", specs: []string{"hw:virtio_packed_ring=no"}},
		{name: "encrypted disks", specs: []string{"hw:ephemeral_encryption=1"}, image: []string{"hw_ephemeral_encryption_format=luksv2"}, root: "COMPUTE_EPHEMERAL_ENCRYPTION_LUKSV2,COMPUTE_EPHEMERAL_ENCRYPTION"},
		{name: "a format of nothing", specs: []string{"hw:ephemeral_encryption_format=luks"}},
		{name: "sound", image: []string{"hw_sound_model=virtio"}, root: "COMPUTE_SOUND_MODEL_VIRTIO"},
		{name: "sound that all have", specs: []string{"hw:sound_model=ich6"}},
		{name: "traits of the image", image: []string{"trait:HW_CPU_X86_AVX=required", "trait:HW_CPU_X86_AVX2=forbidden"}, asked: "&required=HW_CPU_X86_AVX"},
		{name: "threads of the image's policy", specs: []string{"hw:cpu_policy=dedicated"}, image: []string{"hw_cpu_thread_policy=require"}, asked: "PCPU&required=HW_CPU_HYPERTHREADING"},
		{name: "pinned by the image", image: []string{"hw_cpu_policy=dedicated"}, asked: "PCPU"},
		{name: "pinned, and none asked for", specs: []string{"hw:cpu_policy=dedicated", "resources:PCPU=0", "resources:VCPU=0"}, asked: "PCPU"},
		{name: "threads without policy", specs: []string{"resources:PCPU=2", "hw:cpu_thread_policy=isolate"}, asked: "PCPU&required=!HW_CPU_HYPERTHREADING"},
		{name: "mixed by real-time CPUs", specs: []string{"hw:cpu_policy=mixed", "hw:cpu_realtime=true"}, image: []string{"hw_cpu_realtime_mask=^0"}, asked: "MIXED"},
		{name: "devices of the image, not looked at", image: []string{"hw_disk_bus=scsi", "disk_format=qcow2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spec := nova.RequestSpec{Flavor: flavor("m1", tt.specs...), Limit: -1}
			if len(tt.image) > 0 {
				spec.Image = pairs(tt.image...)
			}
			r := ask(t, nova.Empty(), spec, nova.AskOptions{Switch: map[string]bool{nova.FilterStatus: false, nova.FilterOwner: false}})
			want := "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20" + tt.asked
			for short, amounts := range map[string]string{"PCPU": "PCPU:2", "MIXED": "VCPU:1,PCPU:1"} {
				if rest, ok := strings.CutPrefix(tt.asked, short); ok {
					want = "resources=" + amounts + ",MEMORY_MB:4096,DISK_GB:20" + rest
				}
			}
			if tt.root != "" {
				want += "&root_required=" + tt.root
			}
			must.Match(t, want, r.Query.URL())
			if len(r.Warnings) > 0 {
				t.Errorf("warnings %q", r.Warnings)
			}
		})
	}
}

// Pre-filters that are off by default ask for what the image wants once they are on.
func TestOptionalPrefilters(t *testing.T) {
	t.Parallel()
	image := pairs("hw_disk_bus=scsi", "hw_cdrom_bus=ide", "hw_vif_model=e1000", "hw_video_model=qxl", "disk_format=qcow2")
	var on nova.Config
	on.SwitchPrefilters([]string{nova.FilterImageType, nova.FilterImageMetadata, nova.FilterStatus}, []string{nova.FilterOwner})
	must.Match(t, nova.Config{Off: []string{nova.FilterOwner}, On: []string{nova.FilterImageType, nova.FilterImageMetadata}}, on)
	s := upgraded(t, &on)
	for _, tt := range []struct {
		name  string
		spec  nova.RequestSpec
		image string // what the image adds to root_required
		state nova.PrefilterState
	}{
		{"all", nova.RequestSpec{Image: image}, "COMPUTE_NET_VIF_MODEL_E1000,COMPUTE_GRAPHICS_MODEL_QXL,COMPUTE_STORAGE_BUS_SCSI,COMPUTE_STORAGE_BUS_IDE,COMPUTE_IMAGE_TYPE_QCOW2,", nova.Applied},
		{"a volume has no format", nova.RequestSpec{Image: pairs("disk_format=qcow2"), BootFromVolume: true}, "", nova.Skipped},
		{"one that is no trait takes the others with it", nova.RequestSpec{Image: pairs("hw_disk_bus=scsi", "hw_architecture=armv7l")}, "", nova.Skipped},
		{"nothing is known of the image", nova.RequestSpec{}, "", nova.Skipped},
	} {
		tt.spec.Flavor = flavor("m1")
		r := ask(t, s, tt.spec, nova.AskOptions{})
		if got, want := r.Query.URL(), "&root_required="+tt.image+"!COMPUTE_STATUS_DISABLED&limit=1000"; !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", tt.name, got, want)
		}
		for _, p := range r.Prefilters {
			if of := strings.Contains(p.Name, "image"); of && (p.State != tt.state || p.Why == "" || tt.spec.Image == nil) {
				t.Errorf("%s: %+v", tt.name, p)
			}
		}
	}
	off := ask(t, upgraded(t), nova.RequestSpec{Flavor: flavor("m1"), Image: image}, nova.AskOptions{})
	if p := prefilterOf(t, off, nova.FilterImageMetadata); p.State != nova.Off || strings.Contains(off.Query.URL(), "COMPUTE_STORAGE") {
		t.Errorf("%+v of %s", p, off.Query.URL())
	}
}

// Values that conflict, or that are not valid, are not asked for. A flavor with the former
// may still be made, with a warning.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		specs, image []string
		why          string
		made         bool
	}{
		{[]string{"hw:cpu_policy=shared"}, []string{"hw_cpu_policy=dedicated"}, "conflicts with the image, which has hw_cpu_policy=dedicated", true},
		{[]string{"hw:cpu_policy=mixed", "hw:cpu_dedicated_mask=0"}, []string{"hw_cpu_policy=dedicated"}, "conflicts with the image", true},
		{[]string{"hw:cpu_policy=dedicated", "hw:cpu_thread_policy=require"}, []string{"hw_cpu_thread_policy=isolate"}, "conflicts with the image", true},
		{[]string{"hw:cpu_policy=mixed", "hw:cpu_dedicated_mask=0-2"}, nil, "its last one is 1", true},
		{[]string{"hw:cpu_policy=mixed", "hw:cpu_realtime=true"}, []string{"hw_cpu_realtime_mask=a"}, "a must be a CPU", true},
		{[]string{"hw:cpu_policy=mixed"}, nil, "needs hw:cpu_dedicated_mask or hw:cpu_realtime", true},
		{[]string{"hw:tpm_version=1.2"}, []string{"hw_tpm_version=2.0"}, "conflicts with the image, which has hw_tpm_version=2.0", true},
		{[]string{"hw:ephemeral_encryption=false"}, []string{"hw_ephemeral_encryption=true"}, "conflicts with the image", true},
		{nil, []string{"hw_tpm_version=3"}, "must be 1.2 or 2.0", true},
		{[]string{"os:secure_boot=maybe"}, nil, "must be disabled", false},
		{[]string{"hw:tpm_version=3"}, nil, "must be 1.2 or 2.0", false},
		{[]string{"hw:sound_model=loud"}, nil, "must be ac97", false},
	} {
		f := flavor("m1", tt.specs...)
		spec := nova.RequestSpec{Flavor: f}
		if tt.image != nil {
			spec.Image = pairs(tt.image...)
		}
		_, err := nova.Empty().Ask(spec, nova.AskOptions{})
		if !errors.Is(err, placement.ErrInvalid) || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%v %v: %v, want %s", tt.specs, tt.image, err, tt.why)
		}
		if err := f.CheckExtraSpecs(nil); (err == nil) != tt.made {
			t.Errorf("making a flavor with %v: %v", tt.specs, err)
		}
		told := slices.ContainsFunc(nova.Empty().Remarks(f), func(w nova.Warning) bool { return strings.HasPrefix(w.Text, "No instance can be booted") })
		if needs := tt.made && tt.image == nil; needs && !told {
			t.Errorf("nothing is said of a flavor with %v: %v", tt.specs, nova.Empty().Remarks(f))
		}
	}
}

// Specs that only the scheduler's filters check give a warning; what changes no request is
// not looked at.
func TestUnknownSpecs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		specs, image []string
		want         []string
		made         bool
	}{
		{[]string{"hw:virtio_packed_ring=maybe"}, nil, []string{"Validation failed; 'maybe' must be true or false."}, false},
		{[]string{"mine:own=1", "own=2", "quota:cpu_shares=many", "hw:cpu_sockets=1", "hw:boot_menu=maybe", "hw:no_such=1"}, nil, nil, true},
		{
			[]string{"hw:numa_nodes=2", "hw:mem_page_size=large", "capabilities:cpu_info=x"},
			nil,
			[]string{
				"capabilities:cpu_info=x is not requested from Placement: where ComputeCapabilitiesFilter is enabled it may reject hosts listed here.",
				"hw:mem_page_size=large, hw:numa_nodes=2 are not requested from Placement: where NUMATopologyFilter is enabled it may reject hosts listed here.",
			},
			true,
		},
		{nil, []string{"hw_colour=red", "img_hv_type=kvm", "own=1"}, []string{
			"img_hv_type=kvm is not requested from Placement: where ImagePropertiesFilter is enabled it may reject hosts listed here.",
		}, true},
		{nil, []string{"hw_firmware_stateless=true"}, []string{"The image property 'hw_firmware_stateless' has no effect without hw_firmware_type=uefi."}, true},
	} {
		f := flavor("m1", tt.specs...)
		spec := nova.RequestSpec{Flavor: f}
		if tt.image != nil {
			spec.Image = pairs(tt.image...)
		}
		var got []string
		for _, w := range ask(t, upgraded(t), spec, nova.AskOptions{}).Warnings {
			got = append(got, w.Text)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%v %v (-want +got):\n%s", tt.specs, tt.image, d)
		}
		if err := f.CheckExtraSpecs(nil); (err == nil) != tt.made {
			t.Errorf("making a flavor with %v: %v", tt.specs, err)
		}
		if told := nova.Empty().Remarks(f); tt.made && len(told) > 0 {
			t.Errorf("it is said of a flavor with %v: %v", tt.specs, told)
		}
	}
}

// An image with a value that Nova's object does not accept, where it changes a request,
// cannot be booted; other spellings, as in older images, are understood.
func TestImageValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ property, bad, good string }{
		{"hw_vif_model=", "zorro,E100,", "virtio,VirtualE1000,IGB"},
		{"hw_video_model=", "zorro,QXL", "qxl,none"},
		{"hw_disk_bus=", "nvme,SCSI", "scsi,uml"},
		{"hw_cdrom_bus=", "nvme", "sata"},
		{"hw_sound_model=", "loud", "ich9"},
		{"os_secure_boot=", "yes", "optional,disabled"},
		{"hw_architecture=", "", "z80,AMD64"}, // there are too many of them
		{"hw_boot_menu=", "", "maybe,no"},     // it changes no request
	} {
		for kind, list := range map[bool]string{false: tt.bad, true: tt.good} {
			for value := range strings.SplitSeq(list, ",") {
				if value == "" && (kind || !strings.Contains(list, ",")) {
					continue
				}
				_, err := nova.Empty().Ask(nova.RequestSpec{Flavor: flavor("m1"), Image: pairs(tt.property + value)}, nova.AskOptions{})
				if (err == nil) != kind || err != nil && !strings.Contains(err.Error(), "must be") {
					t.Errorf("%s%s: %v", tt.property, value, err)
				}
			}
		}
	}
	on := nova.AskOptions{Switch: map[string]bool{nova.FilterImageMetadata: true}}
	r := ask(t, nova.Empty(), nova.RequestSpec{Flavor: flavor("m1"), Image: pairs("architecture=AMD64", "hw_vif_model=VirtualE1000")}, on)
	if q := r.Query.URL(); !strings.Contains(q, "HW_ARCH_X86_64") || !strings.Contains(q, "COMPUTE_NET_VIF_MODEL_E1000,") {
		t.Errorf("query %s", q)
	}
}

// A flavor whose own groups are several, one of which asks for nothing, needs a policy once a
// device profile adds another group.
func TestPolicyBesideAProfile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		specs []string
		made  bool
	}{
		{[]string{"resources1:VCPU=0", "resources2:VCPU=1"}, true},
		{[]string{"resources1:VCPU=0", "resources2:VCPU=1", "accel:device_profile=dp"}, false},
		{[]string{"resources1:VCPU=0", "resources2:VCPU=1", "accel:device_profile=dp", "group_policy=none"}, true},
		{[]string{"resources2:VCPU=1", "accel:device_profile=dp"}, true},
	} {
		if err := flavor("m1", tt.specs...).CheckExtraSpecs(nil); (err == nil) != tt.made {
			t.Errorf("making a flavor with %v: %v", tt.specs, err)
		}
	}
}

// A flavor with a value that Nova's API does not accept cannot be made.
//
// Source: nova/api/validation/extra_specs.
func TestExtraSpecValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, bad, good string }{
		{"hw:mem_encryption", "=maybe", "=yes"},
		{"hw:tpm_secret_security", "=all", "=host"},
		{"group_policy", "=some", "=isolate"},
		{"trait:CUSTOM_A", "=wanted", "=forbidden"},
	} {
		if err := flavor("m1", tt.key+tt.bad).CheckExtraSpecs(nil); !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%s%s: %v", tt.key, tt.bad, err)
		}
		if err := flavor("m1", tt.key+tt.good).CheckExtraSpecs(nil); err != nil {
			t.Errorf("%s%s: %v", tt.key, tt.good, err)
		}
	}
}

// The origin of a term that the image asks for is the image.
func TestOriginOfImage(t *testing.T) {
	t.Parallel()
	spec := nova.RequestSpec{Flavor: flavor("m1"), Image: pairs("hw_tpm_version=2.0", "hw_virtio_packed_ring=yes", "hw_disk_bus=scsi", "hw_ephemeral_encryption=true")}
	r := ask(t, nova.Empty(), spec, nova.AskOptions{Switch: map[string]bool{nova.FilterImageMetadata: true, nova.FilterStatus: false}})
	var got []string
	for _, t := range r.Query.Groups[0].Required {
		got = append(got, t.Origin)
	}
	for _, t := range r.Query.Root.Required {
		got = append(got, t.Origin)
	}
	slices.Sort(got)
	if d := cmp.Diff([]string{
		"image hw_tpm_version=2.0",
		"image hw_tpm_version=2.0, tpm-tis by default",
		"pre-filter ephemeral_encryption_filter, image hw_ephemeral_encryption=true",
		"pre-filter packed_virtqueue_filter, image hw_virtio_packed_ring=yes",
		"pre-filter tpm_secret_security_filter, image hw_tpm_version=2.0, user by default",
		"pre-filter transform_image_metadata, image hw_disk_bus=scsi",
	}, got); d != "" {
		t.Errorf("origins (-want +got):\n%s", d)
	}
}

package cloud_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// update writes the records of new versions. Existing ones are never rewritten: users'
// files contain such records.
var update = flag.Bool("update", false, "write what testdata/records lacks")

// keeping is held while a file of records is read or written.
var keeping sync.Mutex

// kept returns what is kept of a kind, in testdata/records: under the names of versions,
// 1.0.cbor (in hexadecimal) and 1.0.json are a record as that version wrote it (1.0-NAME
// are further ones), 1.0.shape the fields of its struct.
func kept(t *testing.T, kind versioned.Kind) *txtar.Archive {
	t.Helper()
	keeping.Lock()
	defer keeping.Unlock()
	b, err := os.ReadFile(recordsOf(kind))
	if errors.Is(err, fs.ErrNotExist) && *update {
		return new(txtar.Archive)
	}
	must.Succeed(t, err)
	return txtar.Parse(b)
}

func recordsOf(kind versioned.Kind) string {
	return filepath.Join("testdata", "records", string(kind)+".txtar")
}

// section returns what is kept under a name.
func section(of *txtar.Archive, name string) ([]byte, bool) {
	for _, f := range of.Files {
		if f.Name == name {
			return f.Data, true
		}
	}
	return nil, false
}

// samples returns records of every kind in the current version: one with all fields set,
// and one with as few as possible.
func samples() map[versioned.Kind]map[string]versioned.Record {
	provider, parent, consumer := modeltest.ProviderID("compute1"), modeltest.ProviderID("rack1"), modeltest.ConsumerID("vm1")
	const created, updated = 1767323045000, 1767323046789
	type named = map[string]versioned.Record
	samples := map[versioned.Kind]named{
		placement.KindClass: {"": &placement.ClassRecord{ID: 10000, Name: "CUSTOM_FPGA_X1"}},
		placement.KindTrait: {"": &placement.TraitRecord{ID: 10000, Name: "CUSTOM_RACK_1"}},
		placement.KindProvider: {
			"": &placement.ProviderRecord{
				UUID: provider, Name: "compute1.example.org", Parent: &parent, Generation: 7, Created: created, Updated: updated,
				Inventories: modeltest.Inventories{
					placement.VCPU:   {Total: 64, Reserved: 2, MinUnit: 1, MaxUnit: 32, StepSize: 2, AllocationRatio: 1.5},
					"CUSTOM_FPGA_X1": placement.NewInventory(4),
				},
				Aggregates: []placement.AggregateID{modeltest.AggregateID("zone1"), modeltest.AggregateID("zone2")},
			},
			"minimal": &placement.ProviderRecord{UUID: provider, Name: "p"},
		},
		placement.KindProviderTraits: {"": &placement.ProviderTraitsRecord{
			Provider: provider, Traits: []placement.Trait{"COMPUTE_NODE", "CUSTOM_RACK_1", "OWNER_NOVA"},
		}},
		placement.KindConsumer: {
			"": &placement.ConsumerRecord{
				UUID: consumer, Type: placement.InstanceConsumer, Project: "12ab", User: "34cd", Generation: 3, Created: created, Updated: updated,
				Allocations: placement.Amounts{
					provider: {placement.VCPU: 4, placement.MemoryMB: 8192}, parent: {placement.DiskGB: placement.MaxInt},
				},
			},
			"minimal": &placement.ConsumerRecord{
				UUID: consumer, Project: "p", User: "u", Generation: 1,
				Allocations: placement.Amounts{provider: {placement.VCPU: 1}},
			},
		},
		nova.KindInstance: {
			"": &nova.Instance{
				UUID: consumer, Name: "web 1", Project: "12ab", User: "34cd", Host: "compute1.example.org", Flavor: "m1.vgpu",
				VMState: nova.Resized, Created: created, TaskState: nova.ResizeFinish, OldFlavor: "m1.vgpu", NewFlavor: "m2.vgpu#2",
				BootFromVolume: true, ImageTraits: []placement.Trait{"HW_CPU_X86_AVX2"}, Zone: "az-1", Deleted: updated, Hidden: true,
				Fault: "no valid host", Mappings: map[string][]placement.ProviderID{"": {provider}, "1": {parent}},
				Updated: updated, ForcedHost: "compute1.example.org", Tried: []string{"compute2"},
				Requested: &nova.Destination{Allocations: placement.Amounts{provider: {placement.VCPU: 2}}},
				Kept:      `{"version":"2.8","data":{"key_name":"k1"}}`,
				PCIRequests: []nova.PCIRequest{{
					ID: uuid.NewSHA1(uuid.NameSpaceDNS, []byte("request")), Flavor: "m1.vgpu", Alias: "qat", Count: 2,
					Specs: []pci.Spec{{"vendor_id": "8086", "product_id": "37c8"}}, NUMAPolicy: "legacy",
				}},
			},
			"minimal": &nova.Instance{UUID: consumer, Name: "i"},
		},
		nova.KindMigration: {
			"": &nova.Migration{
				UUID: modeltest.ConsumerID("m1"), Instance: consumer, Type: nova.Resize, Status: nova.Finished,
				Source: "compute1", Dest: "compute2", Created: created, OldFlavor: "m1.vgpu", NewFlavor: "m2.vgpu#2", Updated: updated,
				Fault: "device busy", OldState: nova.Stopped, Deadline: updated,
				Mappings: map[string][]placement.ProviderID{"": {provider}}, RevertAfter: 3_600_000,
				Requested: &nova.Destination{Host: "compute2", SameHost: true, Allocations: placement.Amounts{provider: {placement.VCPU: 2}}},
				Kept:      `{"version":"1.8","data":{"memory_total":7}}`,
			},
			"minimal": &nova.Migration{UUID: modeltest.ConsumerID("m1"), Instance: consumer},
		},
	}
	maps.Copy(samples, computeSamples())
	maps.Copy(samples, cyborgSamples())
	maps.Copy(samples, operatorSamples())
	return samples
}

// computeSamples returns samples of Nova's records other than instances and migrations.
func computeSamples() map[versioned.Kind]map[string]versioned.Record {
	node, numa := modeltest.ProviderID("compute1"), int64(1)
	type named = map[string]versioned.Record
	return map[versioned.Kind]named{
		nova.KindConfig: {
			"": &nova.Config{
				OwnerFilter: nova.OwnerOnRoot, Off: []string{"compute_status_filter"}, ResizeToSameHost: true,
				PCIAliases: []string{`{"name": "qat", "resource_class": "qat"}`}, PCIInPlacement: true,
				TenantNeedsAggregate: true, NoVCPUFallback: true, Live: "prod", Given: []string{"owner_filter"},
				Unread: map[string]string{"servers": "403 Forbidden"}, Read: 1767323046789, Moving: []placement.ConsumerID{modeltest.ConsumerID("vm1")},
				Projects: map[string]string{"12ab": "shop"}, Users: map[string]string{"34cd": "ann"},
			},
			"minimal": &nova.Config{},
		},
		nova.KindCell: {"": &nova.Cell{Name: "cell1", Down: true}},
		nova.KindService: {
			"": &nova.Service{
				Host: "compute1", Binary: nova.Compute, Cell: "cell1", Version: 73, Disabled: true, DisabledReason: "fans",
				ForcedDown: true, LastSeenUp: 1767323046789, ReportCount: 12, Created: 1767323045000, ReportInterval: 300000,
				Told: nova.ServiceUp, Judged: true, UUID: uuid.UUID{15: 7}, Kept: `{"version":"1.22","data":{"topic":"compute"}}`,
			},
			"minimal": &nova.Service{Host: "compute1", Binary: nova.Compute},
		},
		nova.KindAggregate: {"": &nova.HostAggregate{
			UUID: modeltest.AggregateID("zone1"), Name: "zone 1", Hosts: []string{"compute1"}, Metadata: map[string]string{"availability_zone": "az-1"}, Number: 7,
		}},
		nova.KindFlavor: {
			"": &nova.Flavor{
				Name: "m1.vgpu", Revision: 1, FlavorID: "42", VCPUs: 2, MemoryMB: 4096, RootGB: 20, EphemeralGB: 5, SwapMB: 512,
				Disabled: true, Private: true, Deleted: true, Description: "one card", ExtraSpecs: map[string]string{"resources1:VGPU": "1"}, Created: 1767323045000,
				Kept: `{"version":"1.2","data":{"vcpu_weight":3}}`,
			},
			"minimal": &nova.Flavor{Name: "m1", FlavorID: "1", VCPUs: 1, MemoryMB: 1},
		},
		nova.KindComputeNode: {
			"": &nova.ComputeNode{
				UUID: node, Host: "compute1", Hostname: "compute1.example.org", Type: "QEMU", Version: 7002000,
				VCPUs: 16, PCPUs: 8, MemoryMB: 65536, LocalGB: 500, VCPUsUsed: 4, MemoryMBUsed: 8192, LocalGBUsed: 40, RunningVMs: 2,
				CPURatio: 4, RAMRatio: 1, DiskRatio: 1.5, ReservedCPUs: 1, ReservedMemoryMB: 512, ReservedDiskMB: 1000,
				SharedStorage: true, Capabilities: []placement.Trait{"COMPUTE_ACCELERATORS"},
				GPUs:     []nova.GPU{{Address: "0000:84:00.0", Type: "nvidia-222", Total: 4, Class: "CUSTOM_VGPU_BIG"}},
				PCIStats: "[]", ObjectVersion: "1.10", Updated: 1767323046789,
				Kept: `{"version":"1.19","data":{"mapped":1}}`,
			},
			"minimal": &nova.ComputeNode{UUID: node, Host: "compute1", Hostname: "compute1"},
		},
		nova.KindPciDevice: {
			"": &nova.PciDevice{
				ComputeNode: node, Address: "0000:af:00.1", VendorID: "10de", ProductID: "1eb8", DevType: "type-VF", Status: "allocated",
				Instance: modeltest.ConsumerID("vm1"), NUMANode: &numa, Parent: "0000:af:00.0", Tags: map[string]string{"physical_network": "net1"},
				RequestID: "9f0e5a3c-2f0b-5a51-8d9d-6a7b1c2d3e4f",
			},
			"minimal": &nova.PciDevice{ComputeNode: node, Address: "0000:af:00.0"},
		},
	}
}

// cyborgSamples returns samples of Cyborg's records.
func cyborgSamples() map[versioned.Kind]map[string]versioned.Record {
	n := func(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(name)) }
	type named = map[string]versioned.Record
	return map[versioned.Kind]named{
		cyborg.KindDevice: {
			"": &cyborg.Device{
				UUID: n("device"), Type: cyborg.GPU, Vendor: "10de", Model: "T4", Hostname: "compute1", Status: cyborg.Maintaining,
				StdBoardInfo: "{}", VendorBoardInfo: "{}", Created: 1767323045000,
			},
			"minimal": &cyborg.Device{UUID: n("device"), Hostname: "compute1"},
		},
		cyborg.KindControlPath: {"": &cyborg.ControlPath{
			UUID: n("path"), Device: n("device"), Type: "PCI", Info: `{"bus": "af", "device": "00", "domain": "0000", "function": "0"}`,
		}},
		cyborg.KindDeployable: {
			"": &cyborg.Deployable{
				UUID: n("deployable"), Device: n("device"), Parent: n("up"), Root: n("top"), Name: "compute1_0000:af:00.0", Accelerators: 4,
				Driver: "NVIDIAGPUDriver", Provider: modeltest.ProviderID("card"), Bitstream: "b1",
			},
			"minimal": &cyborg.Deployable{UUID: n("deployable"), Name: "x"},
		},
		cyborg.KindAttribute: {"": &cyborg.Attribute{UUID: n("attribute"), Deployable: n("deployable"), Key: "rc", Value: "VGPU"}},
		cyborg.KindAttachHandle: {"": &cyborg.AttachHandle{
			UUID: n("handle"), Deployable: n("deployable"), ControlPath: n("path"), Type: cyborg.AttachMdev, Info: `{"bus": "af"}`, InUse: true,
		}},
		cyborg.KindDeviceProfile: {
			"": &cyborg.DeviceProfile{
				UUID: n("profile"), Name: "dp-vgpu", Groups: []map[string]string{{"resources:VGPU": "1", "trait:OWNER_CYBORG": "required"}},
				Description: "one T4", Created: 1767323045000,
			},
		},
		cyborg.KindARQ: {
			"": &cyborg.ARQ{
				UUID: n("arq"), State: cyborg.ARQBound, Profile: "dp-vgpu", Group: 1, Hostname: "compute1", Provider: modeltest.ProviderID("card"),
				Instance: modeltest.ConsumerID("vm1"), AttachHandle: n("handle"), Project: "12ab", Created: 1767323045000, Fault: "no handle", BindStart: 1767323046789,
			},
			"minimal": &cyborg.ARQ{UUID: n("arq"), State: cyborg.ARQInitial},
		},
	}
}

// operatorSamples returns samples of operators' records.
func operatorSamples() map[versioned.Kind]map[string]versioned.Record {
	return map[versioned.Kind]map[string]versioned.Record{
		operator.KindAcknowledgement: {
			"": &operator.Acknowledgement{
				Rule: "a02", Subject: "provider=9f4d3a1e-6c0f-5d0a-8a53-0d2a6f1c2b3d class=VGPU", Note: "card comes on Monday", By: "ann",
				At: 1767323045000, Until: 1767323046789, Name: "compute1", Severity: "critical", Size: 1, Text: "9 of 8 VGPU used",
			},
			"minimal": &operator.Acknowledgement{Rule: "a02", Subject: "class=VGPU", Note: "known", By: "ann"},
		},
		operator.KindMute: {
			"":        &operator.Mute{Rule: "u01", Note: "by design", By: "ann", At: 1767323045000, Until: 1767323046789},
			"minimal": &operator.Mute{Rule: "u01", By: "ann"},
		},
		operator.KindJournalLimits: {
			"":        &operator.JournalLimits{Revisions: 1000, Days: 30},
			"minimal": &operator.JournalLimits{},
		},
	}
}

// Records of every version ever written can be read.
func TestOldRecordsAreRead(t *testing.T) {
	t.Parallel()
	codec := cloud.NewCodec()
	for _, sc := range cloud.Schemas() {
		all := kept(t, sc.Kind)
		for _, note := range sc.History {
			if _, ok := section(all, recordName(note.Version, "", "cbor")); !ok && !*update {
				t.Errorf("%s: no record of version %s is kept (run with -update while it is new)", sc.Kind, note.Version)
			}
		}
		for _, f := range all.Files {
			stem, ok := strings.CutSuffix(f.Name, ".cbor")
			if !ok {
				continue
			}
			fromCBOR, err := codec.Decode(sc.Kind, must.Get(hex.DecodeString(strings.TrimSpace(string(f.Data))))(t))
			if err != nil {
				t.Errorf("%s %s: %v", sc.Kind, f.Name, err)
				continue
			}
			line, _ := section(all, stem+".json")
			fromJSON, err := codec.DecodeJSON(bytes.TrimSpace(line))
			if d := cmp.Diff(fromCBOR, fromJSON); d != "" || err != nil {
				t.Errorf("%s %s: %v (-CBOR +JSON):\n%s", sc.Kind, f.Name, err, d)
			}
			if fromCBOR.RecordKind() != sc.Kind {
				t.Errorf("%s %s: is a %s", sc.Kind, f.Name, fromCBOR.RecordKind())
			}
		}
	}
}

// Records of the current versions are written exactly as before.
func TestRecordsAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	codec := cloud.NewCodec()
	for _, sc := range cloud.Schemas() {
		if len(samples()[sc.Kind]) == 0 {
			t.Errorf("%s has no sample", sc.Kind)
		}
		for name, r := range samples()[sc.Kind] {
			packed := must.Get(codec.Encode(r))(t)
			line := must.Get(codec.EncodeJSON(r))(t)
			same(t, sc.Kind, recordName(sc.Version, name, "cbor"), hex.AppendEncode(nil, packed))
			same(t, sc.Kind, recordName(sc.Version, name, "json"), line)
			got, err := codec.Decode(sc.Kind, packed)
			if d := cmp.Diff(r, got); d != "" || err != nil {
				t.Errorf("%s: %v (-sample +decoded):\n%s", sc.Kind, err, d)
			}
		}
	}
}

// A changed struct needs a new version.
func TestShapesAreThoseOfTheirVersions(t *testing.T) {
	t.Parallel()
	for _, sc := range cloud.Schemas() {
		var b strings.Builder
		describe(&b, reflect.TypeOf(sc.New()).Elem(), "")
		same(t, sc.Kind, recordName(sc.Version, "", "shape"), []byte(b.String()))
		last := sc.History[len(sc.History)-1]
		if last.Version != sc.Version {
			t.Errorf("%s is at %s, its history ends at %s", sc.Kind, sc.Version, last.Version)
		}
		for i, note := range sc.History {
			if _, err := time.Parse(time.DateOnly, note.Date); err != nil || note.Why == "" {
				t.Errorf("%s %s: date %q, reason %q", sc.Kind, note.Version, note.Date, note.Why)
			}
			if i > 0 && !newer(note.Version, sc.History[i-1].Version) {
				t.Errorf("%s: %s follows %s", sc.Kind, note.Version, sc.History[i-1].Version)
			}
		}
		for major := uint16(1); major < sc.Version.Major; major++ {
			if !slices.ContainsFunc(sc.Steps, func(s versioned.Step) bool { return s.Major == major }) {
				t.Errorf("%s: no step up from version %d", sc.Kind, major)
			}
		}
	}
}

func newer(a, b versioned.Version) bool {
	return a.Major > b.Major || a.Major == b.Major && a.Minor > b.Minor
}

func recordName(v versioned.Version, name, ext string) string {
	if name != "" {
		name = "-" + name
	}
	return v.String() + name + "." + ext
}

// same fails unless want is kept under a name. With -update it adds what is not, and never
// changes what is.
func same(t *testing.T, kind versioned.Kind, name string, want []byte) {
	t.Helper()
	want = append(bytes.TrimSpace(want), '\n')
	all := kept(t, kind)
	got, ok := section(all, name)
	if !ok && *update {
		keeping.Lock()
		defer keeping.Unlock()
		all.Files = append(all.Files, txtar.File{Name: name, Data: want})
		must.Succeed(t, os.WriteFile(recordsOf(kind), txtar.Format(all), 0o644))
		return
	}
	if !ok {
		t.Fatalf("%s %s is not kept (run with -update while the version is new)", kind, name)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s %s: the record changed; give its Schema a new version with a note, and leave those of old versions alone\n"+
			"-version +now:\n%s", kind, name, cmp.Diff(string(got), string(want)))
	}
}

// describe writes what a decoder must know about a type: fields with their tags and
// types.
func describe(b *strings.Builder, t reflect.Type, indent string) {
	switch t.Kind() {
	case reflect.Pointer:
		b.WriteString("optional ")
		describe(b, t.Elem(), indent)
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(b, "%s of ", t.Kind())
		if t.Kind() == reflect.Array {
			fmt.Fprintf(b, "%d ", t.Len())
		}
		describe(b, t.Elem(), indent)
	case reflect.Map:
		b.WriteString("map by ")
		describe(b, t.Key(), indent)
		b.WriteString(indent + "to ")
		describe(b, t.Elem(), indent)
	case reflect.Struct:
		b.WriteString("struct\n")
		for f := range t.Fields() {
			fmt.Fprintf(b, "%s  %s `%s` ", indent, f.Name, f.Tag)
			describe(b, f.Type, indent+"  ")
		}
	default:
		b.WriteString(t.Kind().String() + "\n")
	}
}

// Each record is read as it was written. With a bit flipped it is refused, or is another that
// can be written again.
func TestDecode(t *testing.T) {
	t.Parallel()
	codec := cloud.NewCodec()
	for _, kind := range codec.Kinds() {
		for _, r := range samples()[kind] {
			b := must.Get(codec.Encode(r))(t)
			if got, err := codec.Decode(kind, b); err != nil || cmp.Diff(r, got, cmpopts.EquateEmpty()) != "" {
				t.Errorf("%+v is read as %+v, %v", r, got, err)
			}
			for i := 9 * 8; i < min(len(b), 150)*8; i++ {
				b[i/8] ^= 1 << (i % 8)
				if other, err := codec.Decode(kind, modeltest.Resum(b)); err == nil {
					must.Get(codec.Encode(other))(t)
				}
				b[i/8] ^= 1 << (i % 8)
			}
		}
	}
}

// What a consumer's record may look like that another program wrote.
func TestDecodeForms(t *testing.T) {
	t.Parallel()
	codec := cloud.NewCodec()
	id := func(n byte) []byte { return append([]byte{0x50, n}, make([]byte, 15)...) } // 16 bytes
	join := func(parts ...any) []byte {
		var out []byte
		for _, p := range parts {
			switch p := p.(type) {
			case int:
				out = append(out, byte(p))
			case string:
				out = append(append(out, 0x60+byte(len(p))), p...)
			case []byte:
				out = append(out, p...)
			}
		}
		return out
	}
	vcpu := join(0xa1, "VCPU", 2)
	for _, tt := range []struct {
		name    string
		data    []byte
		refused bool
	}{
		{name: "as written", data: join(0xa5, 1, id(1), 3, "p", 4, "u", 5, 1, 6, 0xa1, id(2), vcpu)},
		{name: "fields in another order", data: join(0xa5, 3, "p", 1, id(1), 4, "u", 5, 1, 6, 0xa1, id(2), vcpu)},
		{name: "a field that is not known", data: join(0xa2, 3, "p", 9, 1)},
		{name: "a key that is a text", data: join(0xa2, 3, "p", "4", 1)},
		{name: "a long head", data: join(0xa1, 5, 0x18, 1)},
		{name: "the highest number", data: join(0xa1, 5, 0x1b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)},
		{name: "the lowest number", data: join(0xa1, 5, 0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)},
		{name: "null for a text", data: join(0xa1, 3, 0xf6)},
		{name: "null for a map", data: join(0xa1, 6, 0xf6)},
		{name: "providers in any order", data: join(0xa1, 6, 0xa2, id(3), vcpu, id(2), vcpu)},
		{name: "no field", data: join(0xa0)},
		{name: "a field twice", data: join(0xa2, 3, "p", 3, "q"), refused: true},
		{name: "a number beyond", data: join(0xa1, 5, 0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0), refused: true},
		{name: "a number below", data: join(0xa1, 5, 0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0), refused: true},
		{name: "bytes for a text", data: join(0xa1, 3, 0x41, 0x61), refused: true},
		{name: "a text for bytes", data: join(0xa1, 1, "0123456789abcdef"), refused: true},
		{name: "a text that is not valid UTF-8", data: join(0xa1, 3, 0x61, 0xff), refused: true},
		{name: "a map without end", data: join(0xbf, 5, 1, 0xff), refused: true},
		{name: "a text in pieces", data: join(0xa1, 3, 0x7f, 0x61, 0x61, 0xff), refused: true},
		{name: "a map that is too long", data: join(0xa2, 5, 1), refused: true},
		{name: "a map of very many", data: join(0xa1, 6, 0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), refused: true},
		{name: "a text of very many", data: join(0xa1, 3, 0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), refused: true},
		{name: "a head cut off", data: join(0xa1, 5, 0x19, 1), refused: true},
		{name: "a reserved head", data: join(0xa1, 5, 0x1c), refused: true},
		{name: "something behind", data: join(0xa1, 5, 1, 0), refused: true},
		{name: "a provider twice", data: join(0xa1, 6, 0xa2, id(2), vcpu, id(2), vcpu), refused: true},
		{name: "a class twice", data: join(0xa1, 6, 0xa1, id(2), 0xa2, "VCPU", 1, "VCPU", 2), refused: true},
		{name: "a tag", data: join(0xa1, 5, 0xc2, 0x41, 1), refused: true},
		{name: "an array", data: join(0x80), refused: true},
		{name: "nothing", refused: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := modeltest.Resum(append([]byte{1, 0, 1, 0, 0, 0, 0, 0, 0}, tt.data...))
			if r, err := codec.Decode(placement.KindConsumer, b); (err != nil) != tt.refused {
				t.Errorf("read as %+v, %v", r, err)
			}
		})
	}
}

// Whatever can be decoded encodes to something that decodes to the same, for every kind, and
// is the same as one of many.
func FuzzDecode(f *testing.F) {
	codec := cloud.NewCodec()
	kinds := codec.Kinds()
	for i, kind := range kinds {
		for _, r := range samples()[kind] {
			b := must.Get(codec.Encode(r))(f)
			f.Add(i, b)
		}
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		if i < 0 || i >= len(kinds) {
			return
		}
		r, err := codec.Decode(kinds[i], modeltest.Resum(b))
		if err != nil {
			return
		}
		again := must.Get(codec.Encode(r))(t)
		twin, err := codec.Decode(kinds[i], again)
		if d := cmp.Diff(r, twin, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" || err != nil {
			t.Errorf("%v (-first +second):\n%s", err, d)
		}
	})
}

// The same for a line of an export.
func FuzzDecodeJSON(f *testing.F) {
	codec := cloud.NewCodec()
	for _, kind := range codec.Kinds() {
		for _, r := range samples()[kind] {
			b := must.Get(codec.EncodeJSON(r))(f)
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := codec.DecodeJSON(b)
		if err != nil {
			return
		}
		again := must.Get(codec.EncodeJSON(r))(t)
		twin, err := codec.DecodeJSON(again)
		if d := cmp.Diff(r, twin, cmpopts.EquateEmpty()); d != "" || err != nil {
			t.Errorf("%v (-first +second):\n%s", err, d)
		}
	})
}

// Whatever can be decoded may be refused by Load, but never crashes it.
func FuzzLoad(f *testing.F) {
	codec := cloud.NewCodec()
	ofPlacement, ofNova := modeltest.Size{Hosts: 1, Traits: 3, Cards: 1, Servers: 1}.Records()
	var lines []byte
	for _, r := range append(ofPlacement, ofNova...) {
		b := must.Get(codec.EncodeJSON(r))(f)
		lines = append(append(lines, b...), '\n')
	}
	f.Add(lines)
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := cloud.Load(1, time.Time{}, func(yield func(versioned.Record, error) bool) {
			for line := range bytes.Lines(b) {
				if r, err := codec.DecodeJSON(line); err == nil && !yield(r, nil) {
					return
				}
			}
		})
		if err != nil {
			return
		}
		for _, err := range s.Check() {
			t.Errorf("check: %v", err)
		}
	})
}

package object_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/versioned"
)

// values are those of an object's fields, by name, as JSON has them.
type values = map[string]any

// envelope returns an envelope as JSON has it.
func envelope(class, version string, data values) values {
	return values{"nova_object.name": class, "nova_object.namespace": "nova", "nova_object.version": version, "nova_object.data": data}
}

// decode reads an envelope.
func decode(t testing.TB, p values) *object.Object {
	t.Helper()
	return must.Get(object.Decode(must.Get(json.Marshal(p))(t)))(t)
}

// encode returns an object in its envelope, for a reader of the given version; nil for
// its own.
func encode(t testing.TB, s *nova.Snapshot, o *object.Object, knows *versioned.Version) values {
	t.Helper()
	var p values
	must.Succeed(t, json.Unmarshal([]byte(must.Get(object.Encode(s, o, knows))(t)), &p))
	return p
}

func data(p any) values { return p.(values)["nova_object.data"].(values) }

// edited returns an object with some fields set to values.
func edited(t testing.TB, o *object.Object, edit values, unset ...string) *object.Object {
	t.Helper()
	p := encode(t, nil, o, nil)
	maps.Copy(data(p), edit)
	for _, field := range unset {
		delete(data(p), field)
	}
	return decode(t, p)
}

func newest(class string) string {
	major, minor := object.Newest(class)
	return versioned.Version{Major: major, Minor: minor}.String()
}

// drawn returns an envelope of a class with every field set to any value that its type
// has, but for those given.
func drawn(r *rapid.T, class string, depth int, given values) values {
	out := values{}
	fields := object.FieldsOf(class)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if v, ok := given[name]; ok {
			out[name] = v
			continue
		}
		out[name] = draw(r, class+"."+name, fields[name], depth)
	}
	return envelope(class, newest(class), out)
}

// draw returns a value of a type, as JSON has it.
func draw(r *rapid.T, where, kind string, depth int) any {
	pick := func(of ...any) any { return rapid.SampledFrom(of).Draw(r, where) }
	kind, null := strings.CutSuffix(kind, "?")
	if null && pick(true, false) == true {
		return nil
	}
	switch kind {
	case "uuid":
		return pick("8e4b5a7e-02a7-4a4a-a0ee-3d5d9d4a1c11", "b3c1c4e2-7d5b-4d06-9d5e-6a0f8f1f2c22")
	case "time":
		return pick("2015-06-30T12:00:00Z", "2031-01-01T00:00:59Z")
	case "addr":
		return pick("10.0.0.9", "fd00::9")
	case "json": // an object of a class that is not known here
		return pick(nil, envelope("KeyPairList", "1.3", values{"objects": []any{envelope("KeyPair", "1.4", values{"name": "k", "id": 1})}}))
	case "text":
		return pick("", "x", "resize", "<é&\"\x7f")
	case "int":
		return pick(0, 1, 7, 1<<31)
	case "float":
		return pick(0, 0.5, 2.25)
	case "bool":
		return pick(true, false)
	case "{text?}":
		return pick(values{}, values{"k": "v", "n": nil})
	case "{text}":
		return pick(values{}, values{"k": "v", "<": "é"})
	}
	of, isList := strings.CutPrefix(kind, "[")
	if !isList {
		return drawn(r, kind, depth-1, nil)
	}
	list := []any{}
	for n := range rapid.IntRange(0, 2).Draw(r, where) {
		list = append(list, draw(r, fmt.Sprint(where, n), strings.TrimSuffix(of, "]"), depth))
	}
	return list
}

// An object of every class comes out as it went in.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		class := rapid.SampledFrom(append(object.Classes(), "PciDevicePool", "PciDevicePoolList", "HVSpec")).Draw(r, "class")
		text := must.Get(json.Marshal(drawn(r, class, 2, nil)))(r)
		o := must.Get(object.Decode(text))(r)
		must.Be(r, o.Class, class)
		must.Be(r, must.Get(object.Encode(nil, o, nil))(r), string(text))
	})
}

// lacks returns, by class and minor version, the fields that lower versions lack.
func lacks() map[string]map[int][]string {
	return map[string]map[int][]string{
		"ComputeNode": {
			17: {"mapped"}, 16: {"disk_allocation_ratio"}, 15: {"uuid"}, 14: {"ram_allocation_ratio", "cpu_allocation_ratio"},
			9: {"pci_device_pools"}, 7: {"host"}, 6: {"supported_hv_specs"}, 5: {"numa_topology"}, 4: {"host_ip"}, 3: {"stats"}, 19: {},
		},
		"Instance": {
			8: {"compute_id"}, 7: {"resources"}, 6: {"hidden"}, 4: {"trusted_certs"}, 3: {"device_metadata"}, 2: {"keypairs"},
			1: {"services"},
		},
		"Migration": {
			8: {"dest_compute_id"}, 7: {"user_id", "project_id"}, 6: {"cross_cell_move"}, 5: {"uuid"},
			4: {"memory_total", "memory_processed", "memory_remaining", "disk_total", "disk_processed", "disk_remaining"},
			2: {"migration_type", "hidden"},
		},
		"Flavor":        {2: {"description"}},
		"Service":       {21: {"uuid"}, 16: {"version"}, 14: {"forced_down"}, 13: {"last_seen_up"}, 22: {}},
		"PciDevicePool": {1: {"numa_node"}},
		"HVSpec":        {2: {}},
		"Inventory":     {2: {}}, "Allocation": {2: {}}, "ResourceProvider": {3: {}}, "PciDevicePoolList": {1: {}},
	}
}

// Each class is lowered to each older version, which lacks what came later.
//
// Source: VERSION and obj_make_compatible of each class in nova/objects.
func TestEveryOlderVersion(t *testing.T) {
	t.Parallel()
	for class, table := range lacks() {
		major, last := object.Newest(class)
		if want := slices.Max(slices.Collect(maps.Keys(table))); int(last) != want {
			t.Errorf("the newest version of %s is %d.%d, want %d.%d", class, major, last, major, want)
		}
		drawing := rapid.Custom(func(r *rapid.T) values { return drawn(r, class, 2, values{"resource_class": "VCPU"}) })
		o := decode(t, drawing.Example(int(last)))
		for n := range last + 1 {
			want := map[string]bool{}
			for field := range object.FieldsOf(class) {
				want[field] = true
			}
			for since, fields := range table {
				for _, field := range fields {
					if int(n) < since {
						delete(want, field)
					}
				}
			}
			v := versioned.Version{Major: major, Minor: n}
			p := encode(t, nil, o, &v)
			back := decode(t, p)
			must.Be(t, back.Version, v)
			must.Match(t, p, encode(t, nil, back, nil))
			must.Match(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(data(p))))
		}
	}
}

// An object of a version to come is refused; the third number of a version, which a stable
// branch increments, is of no account.
func TestNewerIsRefused(t *testing.T) {
	t.Parallel()
	for _, class := range append(object.Classes(), "PciDevicePool", "PciDevicePoolList", "HVSpec") {
		major, minor := object.Newest(class)
		for _, version := range []string{fmt.Sprintf("%d.%d", major, minor+1), fmt.Sprintf("%d.0", major+1)} {
			_, err := object.Decode(must.Get(json.Marshal(envelope(class, version, values{})))(t))
			var newer *object.IncompatibleVersionError
			if !errors.As(err, &newer) || newer.Class != class || !errors.Is(err, versioned.ErrNewer) {
				t.Errorf("%s %s: %v", class, version, err)
			}
		}
		o := decode(t, envelope(class, fmt.Sprintf("%d.0.7", major), values{}))
		must.Be(t, o.Version, versioned.Version{Major: major})
		knows := versioned.Version{Major: major, Minor: minor + 1}
		if _, err := object.Encode(nil, o, &knows); err == nil {
			t.Errorf("%s was lowered to a version to come", class)
		}
	}
}

// What is wrong with an envelope is told by class and field.
func TestWrongEnvelopes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{`5`, "an envelope is required"},
		{`{}`, "the envelope has no nova_object.name"},
		{`{"nova_object.name":"Flavor","nova_object.namespace":"cinder","nova_object.version":"1.0","nova_object.data":{}}`, "unsupported object type cinder.Flavor"},
		{`{"nova_object.name":"Flavor","nova_object.namespace":"nova","nova_object.version":"one","nova_object.data":{}}`, "Flavor: version"},
		{`{"nova_object.name":"Flavor","nova_object.namespace":"nova","nova_object.version":"1.0"}`, "Flavor has no data"},
		{`{"nova_object.name":"Flavor","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{"vcpus":null}}`, "Flavor.vcpus: cannot be null"},
		{`{"nova_object.name":"Flavor","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{"vcpus":"many"}}`, "Flavor.vcpus: cannot be a string"},
		{`{"nova_object.name":"Flavor","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{"vcpus":1.5}}`, "Flavor.vcpus: cannot be a number 1.5"},
		{`{"nova_object.name":"Instance","nova_object.namespace":"nova","nova_object.version":"2.0","nova_object.data":{"uuid":"i"}}`, "Instance.uuid: "},
		{`{"nova_object.name":"Instance","nova_object.namespace":"nova","nova_object.version":"2.0","nova_object.data":{"flavor":5}}`, "Instance.flavor: "},
		{`{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{"objects":[null]}}`, "PciDevicePoolList.objects: "},
		{`{"nova_object.name":"ComputeNode","nova_object.namespace":"nova","nova_object.version":"1.19","nova_object.data":{"supported_hv_specs":[null]}}`, "ComputeNode.supported_hv_specs: "},
		{`{"nova_object.name":"Flavor","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{}} {}`, "more after"},
	} {
		_, err := object.Decode([]byte(tt.text))
		if !errors.Is(err, versioned.ErrMalformed) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// The objects in a compute node have the versions that go with its own, for a reader of
// which only that is known.
func TestNestedVersions(t *testing.T) {
	t.Parallel()
	pool := envelope("PciDevicePool", "1.1", values{"numa_node": 1})
	node := decode(t, envelope("ComputeNode", "1.19", values{
		"supported_hv_specs": []any{envelope("HVSpec", "1.2", values{"hv_type": "vz"})},
		"pci_device_pools":   envelope("PciDevicePoolList", "1.1", values{"objects": []any{pool}}),
	}))
	for n := range uint16(20) {
		p := data(encode(t, nil, node, &versioned.Version{Major: 1, Minor: n}))
		version := func(v any) any { return v.(values)["nova_object.version"] }
		if n >= 9 {
			want := map[bool]string{true: "1.1", false: "1.0"}[n >= 11]
			list := p["pci_device_pools"]
			pool := data(list)["objects"].([]any)[0]
			if _, has := data(pool)["numa_node"]; version(list) != want || version(pool) != want || has != (n >= 11) {
				t.Errorf("ComputeNode 1.%d holds pools %v, want version %s", n, list, want)
			}
		}
		if n >= 6 {
			want := map[bool]string{true: "1.1", false: "1.0"}[n >= 12]
			if n == 19 {
				want = "1.2" // nothing is lowered
			}
			spec := p["supported_hv_specs"].([]any)[0]
			if old := data(spec)["hv_type"] == "parallels"; version(spec) != want || old != (n < 12) {
				t.Errorf("ComputeNode 1.%d holds HVSpec %v, want %s", n, spec, want)
			}
		}
	}
}

// Readers before 1.13 get a service id in any case; those of a service before 1.10 the
// compute node of its host.
func TestWhatOlderReadersDemand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		data  values
		minor uint16
		want  any
	}{
		{values{"service_id": nil}, 12, -1.}, {values{}, 6, -1.}, {values{"service_id": 8}, 12, 8.}, {values{"service_id": nil}, 13, nil},
	} {
		p := encode(t, nil, decode(t, envelope("ComputeNode", "1.19", tt.data)), &versioned.Version{Major: 1, Minor: tt.minor})
		must.Be(t, data(p)["service_id"], tt.want)
	}
	s, _ := cloud(t)
	svc, _ := s.Service("h", nova.Compute)
	for n := range uint16(23) {
		p := data(encode(t, s, must.Get(object.Of(s, svc))(t), &versioned.Version{Major: 1, Minor: n}))
		node, has := p["compute_node"]
		if has != (n < 10) || has && n == 9 && node.(values)["nova_object.version"] != "1.10" {
			t.Errorf("Service 1.%d: compute node %v", n, node)
		}
	}
}

// Before 1.1 an inventory or allocation could only be of a class that Nova had.
func TestClassesOfOldReaders(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]bool{"VCPU": true, "PCI_DEVICE": true, "VGPU": false, "CUSTOM_A": false} {
		for _, of := range []string{"Inventory", "Allocation"} {
			_, err := object.Encode(nil, decode(t, envelope(of, "1.2", values{"resource_class": class})), &versioned.Version{Major: 1})
			var refused *object.NotExpressibleError
			if errors.As(err, &refused) == want {
				t.Errorf("%s of %s: %v", of, class, err)
			}
		}
	}
}

// TestFingerprints fails if the fields of a class change but its version does not: older
// readers would not know. A field that is removed, renamed or retyped needs a new major
// version.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]string{
		"Allocation":        "1.2 5 fields ec14450b",
		"ComputeNode":       "1.19 33 fields 479fa37a",
		"Flavor":            "1.2 19 fields 593b7c8d",
		"HVSpec":            "1.2 3 fields 61a44ac4",
		"Instance":          "2.8 73 fields fb4628e2",
		"Inventory":         "1.2 9 fields e4afee87",
		"Migration":         "1.8 27 fields 7f36874c",
		"PciDevicePool":     "1.1 5 fields 146b5f84",
		"PciDevicePoolList": "1.1 1 fields 161ba75a",
		"ResourceProvider":  "1.3 4 fields 5b40400c",
		"Service":           "1.22 17 fields 6004155b",
	} {
		var fields []string
		for name, of := range object.FieldsOf(class) {
			fields = append(fields, name+" "+of)
		}
		slices.Sort(fields)
		if got := fmt.Sprintf("%s %d fields %.8s", newest(class), len(fields), uuid.NewSHA1(uuid.Nil, []byte(strings.Join(fields, "\n")))); got != want {
			t.Errorf("%q: %q", class, got)
		}
	}
}

// FuzzDecode shows that any bytes are either an error or an object, which can be lowered
// as far as its values allow.
func FuzzDecode(f *testing.F) {
	s, all := cloud(f)
	for _, row := range all {
		f.Add([]byte(must.Get(object.Encode(s, must.Get(object.Of(s, row))(f), nil))(f)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := object.Decode(b)
		if err != nil {
			return
		}
		v := o.Version
		for n := range v.Minor + 1 {
			v.Minor = n
			if _, err := object.Encode(s, o, &v); err != nil && !errors.As(err, new(*object.NotExpressibleError)) {
				t.Error(err)
			}
		}
	})
}

// The workload of a host counts its instances by state, task, operating system and
// project, except for those that have given up their place there.
func TestWorkload(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Record(&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1})
	for n, i := range []nova.Instance{
		{Host: "cmp1", Project: "p", VMState: nova.Active, Image: map[string]string{"os_type": "linux"}},
		{Host: "cmp1", Project: "p", VMState: nova.Active, Image: map[string]string{"os_type": "linux"}, TaskState: "image_snapshot"},
		{Host: "cmp1", Project: "q", VMState: nova.Building, Image: map[string]string{"os_type": "windows"}, TaskState: nova.Spawning},
		{Host: "cmp1", VMState: nova.Stopped},
		{Host: "cmp1", Project: "q", VMState: nova.Active, Image: map[string]string{"os_type": "linux"}, TaskState: nova.Deleting},
		{Host: "cmp1", Project: "q", VMState: nova.ShelvedOffloaded},
		{Host: "cmp1", Project: "q", VMState: nova.Deleted},
		{Host: "cmp2", Project: "p", VMState: nova.Active, Image: map[string]string{"os_type": "linux"}, TaskState: nova.ResizePrep},
		{Project: "p", VMState: nova.Building, TaskState: nova.Scheduling},
	} {
		i.UUID, i.Name, i.Flavor = modeltest.ConsumerID(fmt.Sprint(n)), fmt.Sprint(n), "f"
		w.Record(&i)
	}
	for _, tt := range []struct {
		host  string
		tasks int64
		want  map[string]string
	}{
		{"cmp1", 3, map[string]string{
			"num_instances": "5", "num_vm_active": "3", "num_vm_building": "1", "num_vm_stopped": "1",
			"num_task_None": "2", "num_task_image_snapshot": "1", "num_task_spawning": "1", "num_task_deleting": "1",
			"num_os_type_linux": "3", "num_os_type_windows": "1", "num_os_type_None": "1",
			"num_proj_p": "2", "num_proj_q": "2", "num_proj_None": "1", "io_workload": "2", "failed_builds": "0",
		}},
		{"cmp2", 1, map[string]string{
			"num_instances": "1", "num_vm_active": "1", "num_task_resize_prep": "1", "num_os_type_linux": "1", "num_proj_p": "1",
			"io_workload": "1", "failed_builds": "0",
		}},
		{"cmp3", 0, map[string]string{"failed_builds": "0"}},
		{"", 0, map[string]string{"failed_builds": "0"}},
	} {
		load := object.Workload(w.Nova(), tt.host)
		got := map[string]string{}
		for key, n := range load["stats"].(values) {
			got[key] = n.(string)
		}
		must.Match(t, tt.want, got)
		must.Be(t, load["current_workload"], any(json.Number(fmt.Sprint(tt.tasks))))
	}
}

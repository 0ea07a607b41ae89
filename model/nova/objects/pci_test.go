package objects_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPoolDicts(t *testing.T) {
	t.Parallel()
	dict := map[string]any{
		"product_id": "1eb8", "vendor_id": "10de", "count": json.Number("2"), "dev_type": "type-PCI",
		"physical_network": nil, "vlan": json.Number("7"), "trusted": true,
	}
	pool := must.Get(objects.PciDevicePoolFromDict(dict))(t)
	want := map[string]any{
		"product_id": "1eb8", "vendor_id": "10de", "count": int64(2), "numa_node": nil, "dev_type": "type-PCI",
		"physical_network": nil, "vlan": "7", "trusted": "True",
	}
	must.Match(t, want, pool.ToDict())
	must.Match(t, []string{"count", "numa_node", "product_id", "tags", "vendor_id"}, pool.WhatChanged())
	if len(dict) != 7 {
		t.Error("the dict was emptied")
	}
	for name, bad := range map[string]map[string]any{
		"no product":  {"vendor_id": "10de", "count": 1},
		"no count":    {"vendor_id": "10de", "product_id": "1eb8"},
		"null count":  {"vendor_id": "10de", "product_id": "1eb8", "count": nil},
		"a list of a": {"vendor_id": "10de", "product_id": "1eb8", "count": 1, "tag": []any{"a"}},
	} {
		var wrong *object.ValueError
		if _, err := objects.PciDevicePoolFromDict(bad); !errors.As(err, &wrong) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// TestStoredStats reads every form that the pci_stats column ever had.
func TestStoredStats(t *testing.T) {
	t.Parallel()
	const (
		v10 = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{"objects":[
			{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":
			{"product_id":"1520","vendor_id":"8086","count":5,"tags":{"key1":"value1"}}}]}}`
		v11 = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.1","nova_object.data":{"objects":[
			{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.1","nova_object.data":
			{"product_id":"1520","vendor_id":"8086","numa_node":1,"count":5,"tags":{"key1":"value1"}}}]}}`
		dict = `{"product_id":"1520","vendor_id":"8086","numa_node":1,"count":5,"key1":"value1"}`
	)
	without := map[string]any{"product_id": "1520", "vendor_id": "8086", "count": int64(5), "key1": "value1"}
	with := map[string]any{"product_id": "1520", "vendor_id": "8086", "numa_node": int64(1), "count": int64(5), "key1": "value1"}
	none := []map[string]any{}
	for name, c := range map[string]struct {
		stats any
		want  []map[string]any
	}{
		"envelope 1.0":         {v10, []map[string]any{without}},
		"envelope 1.1":         {v11, []map[string]any{with}},
		"bytes":                {[]byte(v11), []map[string]any{with}},
		"list of dicts":        {"[" + dict + "," + dict + "]", []map[string]any{with, with}},
		"one dict":             {dict, []map[string]any{with}},
		"a value":              {map[string]any{"product_id": "1520", "vendor_id": "8086", "numa_node": 1, "count": "5", "key1": "value1"}, []map[string]any{with}},
		"a list of values":     {[]map[string]any{with}, []map[string]any{with}},
		"null":                 {nil, none},
		"null as text":         {"null", none},
		"an empty list":        {"[]", none},
		"an empty dict":        {"{}", none},
		"no JSON":              {"(dp0", none},
		"a word":               {`"[]"`, none},
		"a number":             {"5", none},
		"a list of numbers":    {"[5]", none},
		"a dict that lacks":    {`{"vendor_id":"8086"}`, none},
		"an envelope of other": {`{"nova_object.name":"HVSpec","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{}}`, none},
	} {
		list := pools(t, c.stats)
		if diff := cmp.Diff(c.want, flat(list)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		stored := must.Get(list.PCIStats(objects.NewComputeNode()))(t)
		if diff := cmp.Diff(c.want, flat(pools(t, stored))); diff != "" {
			t.Errorf("%s, stored and read again: %s", name, diff)
		}
	}
}

func flat(list *objects.PciDevicePoolList) []map[string]any {
	pools := []map[string]any{}
	for _, p := range list.All() {
		pools = append(pools, p.ToDict())
	}
	return pools
}

// pools reads what a column holds.
func pools(t testing.TB, stats any) *objects.PciDevicePoolList {
	t.Helper()
	list := must.Get(objects.FromPCIStats(stats))(t)
	return list
}

// What a newer release stored is refused, and not taken for empty: a program that knows
// it can lower it to the versions known here.
func TestStoredStatsOfAReleaseToCome(t *testing.T) {
	t.Parallel()
	const pool = `{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.%d","nova_object.data":
		{"product_id":"1eb8","vendor_id":"10de","count":3,"tags":{}}}`
	const list = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":%q,"nova_object.data":{"objects":[%s]}}`
	for _, stats := range []string{fmt.Sprintf(list, "1.9", ""), fmt.Sprintf(list, "2.0", ""), fmt.Sprintf(list, "1.1", fmt.Sprintf(pool, 9))} {
		got, err := objects.FromPCIStats(stats)
		if newer := (*object.IncompatibleObjectVersionError)(nil); !errors.As(err, &newer) || !errors.Is(err, versioned.ErrNewer) || got != nil {
			t.Errorf("%s: %v, %v, want it refused", stats, got, err)
		}
	}
	if got := flat(pools(t, fmt.Sprintf(list, "1.1", fmt.Sprintf(pool, 1)))); len(got) != 1 {
		t.Errorf("what is known is read as %v", got)
	}
}

// FuzzStoredStats shows that any bytes, except those of a future release, give pools that
// are the same after they are stored and read back.
func FuzzStoredStats(f *testing.F) {
	text := must.Get(pools(f, `[{"product_id":"1520","vendor_id":"8086","count":5,"a":null}]`).PCIStats(objects.NewComputeNode()))(f)
	for _, seed := range []string{text, "null", `{"product_id":1,"vendor_id":1.5,"count":"5","numa_node":0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := objects.FromPCIStats(b)
		if errors.Is(err, versioned.ErrNewer) {
			return
		}
		must.Succeed(t, err)
		stored := must.Get(list.PCIStats(objects.NewComputeNode()))(t)
		must.Match(t, flat(list), flat(pools(t, stored)))
	})
}

// FuzzDecode shows that any bytes are either an error or an object, which can be lowered
// as far as its values allow.
func FuzzDecode(f *testing.F) {
	r := registry()
	for _, name := range []string{"ComputeNode", "Instance", "Service", "MigrationList"} {
		text := must.Get(r.EncodeJSON(sample(f, r, name)))(f)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := r.DecodeJSON(b)
		if err != nil {
			return
		}
		own := must.Get(r.Version(o))(t)
		for n := range own.Minor + 1 {
			own.Minor = n
			_, err := r.EncodeFor(o, object.Target{Version: own, Manifest: r.Manifest(o.ObjectHeader().ClassName())})
			var refused *object.NotExpressibleError
			if err != nil && !errors.As(err, &refused) {
				t.Error(err)
			}
		}
	})
}

func device(t testing.TB, values object.Values) *objects.PciDevice {
	t.Helper()
	d := objects.NewPciDevice()
	must.Succeed(t, object.Fill(d, object.Values{
		"id": 1, "compute_node_id": 1, "vendor_id": "8086", "product_id": "1520", "dev_type": "type-PCI", "status": "available",
		"address": "0000:04:10.0", "numa_node": nil,
	}))
	must.Succeed(t, object.Fill(d, values))
	return d
}

func devices(t testing.TB, list ...*objects.PciDevice) *objects.PciDeviceList {
	t.Helper()
	l := objects.NewPciDeviceList()
	must.Succeed(t, l.Append(list...))
	return l
}

func TestPools(t *testing.T) {
	t.Parallel()
	list := devices(t,
		device(t, object.Values{"numa_node": 1}),
		device(t, object.Values{"numa_node": 1}),
		device(t, object.Values{"numa_node": 0}),
		device(t, object.Values{}),
		device(t, object.Values{"dev_type": "type-PF", "numa_node": 1}),
		device(t, object.Values{"product_id": "0001", "label": "net1"}),
		device(t, object.Values{"product_id": "0001", "label": "net2"}),
		device(t, object.Values{"numa_node": 1, "status": "allocated"}),
		device(t, object.Values{"numa_node": 1, "status": "unclaimable"}),
	)
	pools, err := list.Pools(func(d *objects.PciDevice) map[string]string {
		if network, ok := d.Label.Lookup(); ok {
			return map[string]string{"physical_network": network}
		}
		return nil
	})
	must.Succeed(t, err)
	pool := func(product string, numa any, count int, tags ...string) map[string]any {
		p := map[string]any{"vendor_id": "8086", "product_id": product, "numa_node": numa, "count": int64(count), "dev_type": "type-PCI"}
		for i := 0; i < len(tags); i += 2 {
			p[tags[i]] = tags[i+1]
		}
		return p
	}
	want := []map[string]any{
		pool("0001", nil, 1, "physical_network", "net1"),
		pool("0001", nil, 1, "physical_network", "net2"),
		pool("1520", nil, 1),
		pool("1520", int64(0), 1),
		pool("1520", int64(1), 2),
		pool("1520", int64(1), 1, "dev_type", "type-PF"),
	}
	must.Match(t, want, flat(pools))
	if _, err := list.Pools(func(*objects.PciDevice) map[string]string { return map[string]string{"count": "9"} }); err == nil {
		t.Error("a tag took the place of the count")
	}
}

func TestCountForInstance(t *testing.T) {
	t.Parallel()
	list := devices(t,
		device(t, object.Values{"status": "allocated", "instance_uuid": aUUID}),
		device(t, object.Values{"status": "allocated", "instance_uuid": aUUID}),
		device(t, object.Values{"status": "allocated", "instance_uuid": bUUID}),
		device(t, object.Values{"status": "claimed", "instance_uuid": aUUID}),
		device(t, object.Values{"status": "allocated", "instance_uuid": aUUID, "dev_type": "type-VF"}),
		device(t, object.Values{"status": "allocated", "instance_uuid": aUUID, "dev_type": "type-PF"}),
	)
	must.Be(t, list.CountForInstance(aUUID), 2)
}

// TestDevicesThatOldReadersDoNotKnow is about values, and about parent_addr, which is
// elsewhere before 1.4.
func TestDevicesThatOldReadersDoNotKnow(t *testing.T) {
	t.Parallel()
	r := registry()
	var refused *object.NotExpressibleError
	for name, c := range map[string]struct {
		values object.Values
		target int
	}{
		"vdpa":        {object.Values{"dev_type": "vdpa"}, 6},
		"unclaimable": {object.Values{"status": "unclaimable"}, 4},
		"unavailable": {object.Values{"status": "unavailable"}, 2},
	} {
		d := device(t, c.values)
		if _, err := r.EncodeFor(d, object.Target{Version: minor(1, c.target)}); !errors.As(err, &refused) {
			t.Errorf("%s for 1.%d: error is %v", name, c.target, err)
		}
		if _, err := r.EncodeFor(d, object.Target{Version: minor(1, c.target+1)}); name != "unavailable" && err != nil {
			t.Errorf("%s for 1.%d: error is %v", name, c.target+1, err)
		}
	}
	for _, info := range []object.Values{{"parent_addr": "0000:04:00.0"}, {"parent_addr": "0000:04:00.0", "extra_info": map[string]string{}}} {
		p := lowered(t, r, device(t, info), object.Target{Version: minor(1, 3)})
		extra, _ := data(p)["extra_info"].(map[string]any)
		if extra["phys_function"] != "0000:04:00.0" || data(p)["parent_addr"] != nil {
			t.Errorf("1.3 gets %v", data(p))
		}
	}
}

// TestOSPCI checks what the os-pci API shows of a device.
func TestOSPCI(t *testing.T) {
	t.Parallel()
	one := device(t, object.Values{
		"dev_type": "type-VF", "dev_id": "pci_0000_04_10_0", "label": "label_8086_1520", "instance_uuid": "69ba1044-0766-4ec0-b60d-09595de034a1",
		"extra_info": map[string]string{"key1": "value1", "key2": "value2"},
	})
	for name, body := range map[string]any{
		"pci-show":      objects.OSPCIShowOf(one),
		"pci-show-bare": objects.OSPCIShowOf(device(t, object.Values{"id": 2, "address": "0000:04:10.1"})),
	} {
		got := must.Get(json.MarshalIndent(body, "", "    "))(t)
		got = append(got, '\n')
		file := filepath.Join("testdata", "os-pci", name+".json")
		if *update {
			must.Succeed(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must.Succeed(t, os.WriteFile(file, got, 0o644))
		}
		want := must.Get(os.ReadFile(file))(t)
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

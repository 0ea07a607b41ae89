package object_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/versioned"
)

// poolsIn reads what a column holds.
func poolsIn(t testing.TB, stats string) []values {
	t.Helper()
	pools, _, err := object.ReadPools(stats)
	must.Succeed(t, err)
	return flat(pools)
}

func flat(pools []*object.PciDevicePool) []values {
	var out []values
	for _, p := range pools {
		out = append(out, p.Flat())
	}
	return out
}

// Every form that the pci_stats column ever had is read.
func TestStoredPools(t *testing.T) {
	t.Parallel()
	const (
		v10 = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{"objects":[
			{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":
			{"product_id":"1520","vendor_id":"8086","count":5,"tags":{"key1":"value1"}}}]}}`
		v11 = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.1","nova_object.data":{"objects":[
			{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.1","nova_object.changes":["count"],"nova_object.data":
			{"product_id":"1520","vendor_id":"8086","numa_node":1,"count":5,"tags":{"key1":"value1"}}}]}}`
		dict = `{"product_id":"1520","vendor_id":"8086","numa_node":1,"count":5,"key1":"value1"}`
	)
	without := values{"product_id": "1520", "vendor_id": "8086", "numa_node": nil, "count": int64(5), "key1": "value1"}
	with := values{"product_id": "1520", "vendor_id": "8086", "numa_node": int64(1), "count": int64(5), "key1": "value1"}
	// Each value of a tag becomes text, where null stays.
	tags := values{
		"product_id": "1eb8", "vendor_id": "10de", "count": int64(2), "numa_node": nil, "dev_type": "type-PCI",
		"physical_network": nil, "vlan": "7", "trusted": "True",
	}
	for name, c := range map[string]struct {
		stats string
		want  []values
	}{
		"envelope 1.0":         {v10, []values{without}},
		"envelope 1.1":         {v11, []values{with}},
		"list of dicts":        {"[" + dict + "," + dict + "]", []values{with, with}},
		"one dict":             {dict, []values{with}},
		"a count as text":      {`{"product_id":"1520","vendor_id":"8086","numa_node":1,"count":"5","key1":"value1"}`, []values{with}},
		"tags of other types":  {`{"product_id":"1eb8","vendor_id":"10de","count":2,"dev_type":"type-PCI","physical_network":null,"vlan":7,"trusted":true}`, []values{tags}},
		"null":                 {"null", nil},
		"an empty list":        {"[]", nil},
		"an empty dict":        {"{}", nil},
		"no JSON":              {"(dp0", nil},
		"a word":               {`"[]"`, nil},
		"a number":             {"5", nil},
		"a list of numbers":    {"[5]", nil},
		"a dict that lacks":    {`{"vendor_id":"8086"}`, nil},
		"a null count":         {`{"product_id":"1520","vendor_id":"8086","count":null}`, nil},
		"a list as a tag":      {`{"product_id":"1520","vendor_id":"8086","count":1,"tag":["a"]}`, nil},
		"an envelope of other": {`{"nova_object.name":"HVSpec","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{}}`, nil},
	} {
		pools, _, err := object.ReadPools(c.stats)
		must.Succeed(t, err)
		if diff := cmp.Diff(c.want, flat(pools)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		stored := must.Get(object.PoolsColumn(pools, object.ComputeNodeVersion()))(t)
		if diff := cmp.Diff(c.want, poolsIn(t, stored)); diff != "" {
			t.Errorf("%s, stored and read again: %s", name, diff)
		}
	}
}

// What a newer release stored is refused, and not taken for empty: a program that knows
// it can lower it to the versions known here.
func TestStoredPoolsOfAReleaseToCome(t *testing.T) {
	t.Parallel()
	const pool = `{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.%d","nova_object.data":
		{"product_id":"1eb8","vendor_id":"10de","count":3,"tags":{}}}`
	const list = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":%q,"nova_object.data":{"objects":[%s]}}`
	for _, stats := range []string{fmt.Sprintf(list, "1.9", ""), fmt.Sprintf(list, "2.0", ""), fmt.Sprintf(list, "1.1", fmt.Sprintf(pool, 9))} {
		got, _, err := object.ReadPools(stats)
		if !errors.Is(err, versioned.ErrNewer) || got != nil {
			t.Errorf("%s: %v, %v, want it refused", stats, got, err)
		}
	}
	if got := poolsIn(t, fmt.Sprintf(list, "1.1", fmt.Sprintf(pool, 1))); len(got) != 1 {
		t.Errorf("what is known is read as %v", got)
	}
}

// FuzzStoredPools shows that any text, except that of a future release, gives pools that
// are the same after they are stored and read back.
func FuzzStoredPools(f *testing.F) {
	for _, seed := range []string{"null", `{"product_id":1,"vendor_id":1.5,"count":"5","numa_node":0}`, `[{"product_id":"1520","vendor_id":"8086","count":5,"a":null}]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stats string) {
		pools, _, err := object.ReadPools(stats)
		if errors.Is(err, versioned.ErrNewer) {
			return
		}
		must.Succeed(t, err)
		must.Match(t, flat(pools), poolsIn(t, must.Get(object.PoolsColumn(pools, object.ComputeNodeVersion()))(t)))
	})
}

// Free devices that are alike are counted together.
func TestCountPools(t *testing.T) {
	t.Parallel()
	device := func(edit func(*nova.PciDevice)) *nova.PciDevice {
		d := &nova.PciDevice{VendorID: "8086", ProductID: "1520", DevType: nova.TypePCI, Status: nova.DeviceAvailable}
		edit(d)
		return d
	}
	on := func(n int64) func(*nova.PciDevice) { return func(d *nova.PciDevice) { d.NUMANode = &n } }
	net := func(name string) func(*nova.PciDevice) {
		return func(d *nova.PciDevice) { d.ProductID, d.Tags = "0001", map[string]string{"physical_network": name} }
	}
	is := func(status string) func(*nova.PciDevice) {
		return func(d *nova.PciDevice) { on(1)(d); d.Status = status }
	}
	pools := must.Get(object.CountPools(slices.Values([]*nova.PciDevice{
		device(on(1)), device(on(1)), device(on(0)), device(func(*nova.PciDevice) {}),
		device(func(d *nova.PciDevice) { on(1)(d); d.DevType = nova.TypePF }),
		device(net("net1")), device(net("net2")), device(is(nova.DeviceAllocated)), device(is(nova.DeviceUnclaimable)),
	})))(t)
	pool := func(product string, numa any, count int64, kind string) values {
		return values{"vendor_id": "8086", "product_id": product, "numa_node": numa, "count": count, "dev_type": kind}
	}
	one, two := pool("0001", nil, 1, nova.TypePCI), pool("0001", nil, 1, nova.TypePCI)
	one["physical_network"], two["physical_network"] = "net1", "net2"
	must.Match(t, []values{
		one, two, pool("1520", nil, 1, nova.TypePCI), pool("1520", int64(0), 1, nova.TypePCI),
		pool("1520", int64(1), 2, nova.TypePCI), pool("1520", int64(1), 1, nova.TypePF),
	}, flat(pools))
	tagged := device(func(d *nova.PciDevice) { d.Tags = map[string]string{"count": "9"} })
	if _, err := object.CountPools(slices.Values([]*nova.PciDevice{tagged})); !errors.Is(err, versioned.ErrMalformed) {
		t.Errorf("a tag took the place of the count: %v", err)
	}
}

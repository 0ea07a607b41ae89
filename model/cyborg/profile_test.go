package cyborg_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func TestParseDeviceProfile(t *testing.T) {
	t.Parallel()
	p, err := cyborg.ParseDeviceProfile([]byte(`[{"name": "dp-vgpu", "description": "one T4-2B", "groups": [
		{"resources: VGPU ": " 1", "trait: CUSTOM_NVIDIA_1EB8_T4_2B": "required", "trait:OWNER_CYBORG": "required", "accel:bitstream_id": "x"},
		{"resources:CUSTOM_QAT": 2, "trait:CUSTOM_OLD": "forbidden"}]}]`))
	want := &cyborg.DeviceProfile{
		Name: "dp-vgpu", Description: "one T4-2B",
		Groups: []map[string]string{
			{"resources:VGPU": "1", "trait:CUSTOM_NVIDIA_1EB8_T4_2B": "required", "trait:OWNER_CYBORG": "required", "accel:bitstream_id": "x"},
			{"resources:CUSTOM_QAT": "2", "trait:CUSTOM_OLD": "forbidden"},
		},
	}
	if diff := cmp.Diff(want, p); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// One case for each rule for profiles: what is wrong, and the message.
func TestParseDeviceProfileRefuses(t *testing.T) {
	t.Parallel()
	group := func(g string) string { return `[{"name": "a", "groups": [` + g + `]}]` }
	for name, tc := range map[string]struct{ body, want string }{
		"no JSON":                  {`{`, `body: is not JSON: unexpected end of JSON input`},
		"nothing":                  {``, `body: is not JSON: unexpected end of JSON input`},
		"bad JSON":                 {`[}`, `body: is not JSON: invalid character '}' looking for beginning of value`},
		"no list":                  {`"a"`, `device profile: must be an object`},
		"empty list":               {`[]`, `body: must be a list of exactly one device profile, not of 0`},
		"two profiles":             {`[{"name": "a"}, {"name": "b"}]`, `body: must be a list of exactly one device profile, not of 2`},
		"more after the list":      {`[{}] []`, `body: is not JSON: invalid character '[' after top-level value`},
		"a list in the list":       {`[[]]`, `device profile: must be an object`},
		"two names":                {`[{"name": "a", "name": "b"}]`, `device profile "name": is given twice`},
		"a field too many":         {`[{"names": "a"}]`, `device profile "names": is not a field of a device profile; the fields are name, description and groups`},
		"a name that is not text":  {`[{"name": 7}]`, `name: must be text`},
		"no name":                  {`[{"groups": [{"resources:VGPU": "1"}]}]`, `name: a device profile needs a name`},
		"bad name":                 {`[{"name": "dp vgpu"}]`, `name "dp vgpu": may only contain letters, digits, - and _, not ' '`},
		"long name":                {`[{"name": "` + strings.Repeat("n", 256) + `"}]`, `name "nnnnnnnnnnnnnnnnnnnn...": is longer than 255 characters`},
		"no groups":                {`[{"name": "a"}]`, `groups: a device profile needs at least one group`},
		"groups not in a list":     {`[{"name": "a", "groups": {}}]`, `groups: must be a list of objects`},
		"a group that is text":     {group(`"x"`), `group 0: must be an object`},
		"empty group":              {group(`{}`), `group 0: asks for nothing; it needs a key such as resources:VGPU`},
		"a group of traits":        {group(`{"resources:VGPU": "1"}, {"trait:CUSTOM_A": "required"}`), `group 1: asks for nothing; it needs a key such as resources:VGPU`},
		"bad key":                  {group(`{"resource:VGPU": "1"}`), `group 0 "resource:VGPU": must begin with resources:, trait: or accel:`},
		"a key twice":              {group(`{"resources:VGPU": "1", "resources:VGPU": "2"}`), `group 0 "resources:VGPU": is given twice`},
		"a key twice by spaces":    {group(`{"resources:VGPU": "1", "resources: VGPU": "2"}`), `group 0 "resources:VGPU": is given twice`},
		"bad class":                {group(`{"resources:VCPU": "1"}`), `group 0 "VCPU": is not an accelerator class: use FPGA, GPU, VGPU, PGPU or a custom one`},
		"amount is not an integer": {group(`{"resources:VGPU": "one"}`), `group 0 resources:VGPU: amount "one": must be an integer from 1 to 2147483647`},
		"amount is zero":           {group(`{"resources:VGPU": "0"}`), `group 0 resources:VGPU: amount "0": must be an integer from 1 to 2147483647`},
		"amount is a fraction":     {group(`{"resources:VGPU": 1.5}`), `group 0 resources:VGPU: amount "1.5": must be an integer from 1 to 2147483647`},
		"amount is a list":         {group(`{"resources:VGPU": [1]}`), `group 0 resources:VGPU: must be text or a number`},
		"amounts without end":      {group(`{"resources:VGPU": "1000"}, {"resources:FPGA": "25"}`), `device profile "a": asks for more than 1024 accelerators`},
		"an amount that is null":   {group(`{"resources:VGPU": null}`), `group 0 resources:VGPU: must be text or a number`},
		"bad trait":                {group(`{"resources:VGPU": "1", "trait:HW_GPU_API_VULKAN": "required"}`), `group 0 "HW_GPU_API_VULKAN": must start with CUSTOM_, or be OWNER_CYBORG`},
		"the other owner":          {group(`{"resources:VGPU": "1", "trait:OWNER_NOVA": "required"}`), `group 0 "OWNER_NOVA": must start with CUSTOM_, or be OWNER_CYBORG`},
		"no device of Cyborg's":    {group(`{"resources:VGPU": "1", "trait:OWNER_CYBORG": "forbidden"}`), `group 0 trait:OWNER_CYBORG "forbidden": must be required or left out: a device profile asks for Cyborg's devices`},
		"bad value of a trait":     {group(`{"resources:VGPU": "1", "trait:CUSTOM_A": "yes"}`), `group 0 trait:CUSTOM_A "yes": must be required or forbidden`},
		"empty accel key":          {group(`{"resources:VGPU": "1", "accel:": "x"}`), `group 0 "accel:": has nothing after accel:`},
		"nested without end":       {strings.Repeat("[", 100_000), `body: is not JSON: invalid character '[' exceeded max depth`},
	} {
		_, err := cyborg.ParseDeviceProfile([]byte(tc.body))
		if err == nil || err.Error() != tc.want || !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

func FuzzParseDeviceProfile(f *testing.F) {
	for _, body := range []string{oneVGPU, twoVGPU, `[{"name": "a", "groups": [{"resources: VGPU": 1, "trait:OWNER_CYBORG": "required"}]}]`, `[{`, `[]`, `null`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := cyborg.ParseDeviceProfile(body)
		if err != nil {
			must.Fail(t, err, placement.ErrInvalid)
			return
		}
		s := apply(t, cyborg.Empty(), cyborg.CreateDeviceProfile{Profile: p})
		groups, err := p.RequestGroups()
		if err != nil || len(groups) != len(p.Groups) {
			t.Errorf("%d groups, %v, want %d", len(groups), err, len(p.Groups))
		}
		if err := s.Allows(cyborg.CreateARQs{Profile: p.Name, Owner: consumer("i")}); err != nil {
			t.Error(err)
		}
	})
}

func TestCreateAndDeleteDeviceProfile(t *testing.T) {
	t.Parallel()
	s := withProfile(t, cyborg.Empty(), oneVGPU)
	p, ok := s.DeviceProfile("dp-vgpu")
	if !ok || p.Created != at.UnixMilli() {
		t.Fatalf("the profile is %+v", p)
	}
	refused(t, s.Allows(cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "dp-vgpu", Groups: p.Groups}}), placement.ErrExists, "dp-vgpu")
	refused(t, s.Allows(cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{UUID: p.UUID, Name: "dp-other", Groups: p.Groups}}), placement.ErrExists, p.UUID.String())
	refused(t, s.Allows(cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "dp-bad"}}), placement.ErrInvalid, "groups")

	used, ids := create(t, s, "i")
	refused(t, used.Allows(cyborg.DeleteDeviceProfile{Profile: "dp-vgpu"}), placement.ErrInUse, ids[0].String())
	refused(t, s.Allows(cyborg.DeleteDeviceProfile{Profile: "dp-none"}), placement.ErrNotFound, "dp-none")
	for _, by := range []string{"dp-vgpu", p.UUID.String()} {
		if _, ok := apply(t, s, cyborg.DeleteDeviceProfile{Profile: by}).DeviceProfile("dp-vgpu"); ok {
			t.Errorf("deleted by %s it is still there", by)
		}
	}
}

// Cyborg accepts classes and traits that no driver reports yet; a remark names those that
// nothing has.
func TestProfileRemarks(t *testing.T) {
	t.Parallel()
	p := &cyborg.DeviceProfile{Name: "dp", Groups: []map[string]string{
		{"resources:VGPU": "1", "trait:OWNER_CYBORG": "required"}, {"resources:CUSTOM_QTA": "1", "trait:CUSTOM_T5": "required"},
	}}
	got := p.Remarks(placement.Empty())
	want := []string{"group 1: there is no resource class CUSTOM_QTA", "group 1: there is no trait CUSTOM_T5"}
	if diff := cmp.Diff(want, got); diff != "" || p.Check() != nil {
		t.Error(diff, p.Check())
	}
}

func TestRequestGroups(t *testing.T) {
	t.Parallel()
	p, err := cyborg.ParseDeviceProfile([]byte(`[{"name": "dp", "groups": [
		{"resources:VGPU": "1", "trait:CUSTOM_T4": "required", "trait:CUSTOM_OLD": "forbidden", "accel:key": "x"},
		{"resources:FPGA": "2"}, {"resources:PGPU": "1", "trait:OWNER_CYBORG": "required"}]}]`))
	must.Succeed(t, err)
	groups := must.Get(p.RequestGroups())(t)
	const zero, one, two = "device profile dp group 0", "device profile dp group 1", "device profile dp group 2"
	required := func(t placement.Trait, origin string) candidates.AnyTrait {
		return candidates.AnyTrait{Names: []placement.Trait{t}, Origin: origin}
	}
	want := []candidates.Group{
		{
			Suffix: "device_profile_0", Resources: []candidates.Resource{{Class: placement.VGPU, Amount: 1, Origin: zero}},
			Required: []candidates.AnyTrait{required("CUSTOM_T4", zero)}, Forbidden: []candidates.Trait{{Name: "CUSTOM_OLD", Origin: zero}},
		},
		{Suffix: "device_profile_1", Resources: []candidates.Resource{{Class: placement.FPGA, Amount: 2, Origin: one}}},
		{
			Suffix: "device_profile_2", Resources: []candidates.Resource{{Class: placement.PGPU, Amount: 1, Origin: two}},
			Required: []candidates.AnyTrait{required(placement.OwnerCyborg, two)},
		},
	}
	must.Match(t, want, groups)
	if units, err := p.Units(); err != nil || !slices.Equal(units, []int64{1, 2, 1}) {
		t.Errorf("units are %v, %v", units, err)
	}
	url := candidates.Query{Groups: groups[:1]}.URL()
	if want := "resourcesdevice_profile_0=VGPU:1&requireddevice_profile_0=CUSTOM_T4,!CUSTOM_OLD"; url != want {
		t.Errorf("as a query: %s", url)
	}
	bad := &cyborg.DeviceProfile{Name: "dp", Groups: []map[string]string{{"resources:VGPU": "many"}}}
	_, err = bad.RequestGroups()
	refused(t, err, placement.ErrInvalid, "device profile dp group 0")
}

// A device profile is read from what the API and its client print of it, too.
func TestParseDeviceProfileOfAnAnswer(t *testing.T) {
	t.Parallel()
	const profile = `{"uuid": "4a5a4d1e-6b0f-4c5e-9b1c-1d2e3f4a5b6c", "name": "fpga", "description": null, "groups": [{"resources:FPGA": "1"}],
		"created_at": "2026-10-01T12:00:00+00:00", "updated_at": null, "links": [{"href": "x", "rel": "self"}]}`
	for _, body := range []string{profile, "[" + profile + "]", `{"device_profile": ` + profile + "}", `{"device_profiles": [` + profile + "]}"} {
		p, err := cyborg.ParseDeviceProfile([]byte(body))
		must.Succeed(t, err)
		if p.Name != "fpga" || len(p.Groups) != 1 || p.UUID != uuid.Nil {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

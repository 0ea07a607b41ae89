package ops_test

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// export returns s as Export writes it.
func export(tb testing.TB, s *cloud.Snapshot) string {
	tb.Helper()
	var b bytes.Buffer
	must.Succeed(tb, ops.Export(&b, s))
	return b.String()
}

// imported returns s with the records of an export, and the Import.
func imported(tb testing.TB, s *cloud.Snapshot, text string) (*cloud.Snapshot, ops.Import) {
	tb.Helper()
	read := must.Get(ops.ReadExport(strings.NewReader(text)))(tb)
	im := must.Get(ops.PlanImport(s, read.Records))(tb)
	next, _, err := s.Apply(im.Change)
	must.Succeed(tb, err)
	for _, err := range next.Check() {
		tb.Error(err)
	}
	return next, im
}

func demoCloud(tb testing.TB) *cloud.Snapshot {
	tb.Helper()
	return demotest.Snapshot(tb, demo.Options{Seed: 5, Now: time.Unix(1_800_000_000, 0)})
}

func TestExportAndImport(t *testing.T) {
	t.Parallel()
	s := demoCloud(t)
	text := export(t, s)
	twin, im := imported(t, cloud.Empty(), text)
	must.Match(t, text, export(t, twin))
	if len(im.Same) > 0 || im.New[placement.KindProvider] != s.Placement().ProviderCount() {
		t.Errorf("new %v, same %v", im.New, im.Same)
	}
	again, im := imported(t, twin, text)
	if len(im.New) > 0 || again != twin {
		t.Errorf("a second import writes %v", im.New)
	}
}

func TestExportOfTheEmptyCloud(t *testing.T) {
	t.Parallel()
	must.Be(t, export(t, cloud.Empty()), `{"placetop_export":1,"records":0}`+"\n")
	imported(t, cloud.Empty(), export(t, cloud.Empty()))
}

func TestExportReportsTheWriter(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	must.Succeed(t, r.Close())
	must.Fail(t, ops.Export(w, demoCloud(t)), io.ErrClosedPipe)
}

const instanceLine = `{"kind":"instance","version":"1.0","data":{"uuid":"11111111-1111-4111-8111-111111111111","display_name":"i","project_id":"p","user_id":"u","flavor":"f","vm_state":"active"}}`

func TestReadExportRefuses(t *testing.T) {
	t.Parallel()
	head := func(n string) string { return `{"placetop_export":1,"records":` + n + "}\n" }
	for _, tc := range []struct {
		name, in string
		kind     error
		line     int
	}{
		{"nothing", "", ops.ErrNotExport, 1},
		{"blank lines", "\n\n", ops.ErrNotExport, 1},
		{"another file", "hello\n", ops.ErrNotExport, 1},
		{"a list of a client's", "[\n  {\"uuid\": \"x\"}\n]\n", ops.ErrPartOfCloud, 1},
		{"an answer of the API", `{"resource_providers": []}`, ops.ErrPartOfCloud, 1},
		{"other JSON", `{"kind":"instance"}`, ops.ErrNotExport, 1},
		{"a record first", instanceLine, ops.ErrNotExport, 1},
		{"a newer export", `{"placetop_export":2,"records":0}`, versioned.ErrNewer, 1},
		{"a negative count", head("-1"), ops.ErrNotExport, 1},
		{"a huge count", head("99999999999"), ops.ErrNotExport, 1},
		{"cut off", head("2") + instanceLine, ops.ErrNotExport, 2},
		{"cut off in a line", head("1") + instanceLine[:40], versioned.ErrMalformed, 2},
		{"more than promised", head("1") + instanceLine + "\n\n" + instanceLine, ops.ErrNotExport, 4},
		{"twice the same", head("2") + instanceLine + "\n" + instanceLine, versioned.ErrMalformed, 3},
		{"an unknown kind", head("1") + strings.Replace(instanceLine, "instance", "flavour", 1), versioned.ErrNewer, 2},
		{"a newer record", head("1") + strings.Replace(instanceLine, "1.0", "2.0", 1), versioned.ErrNewer, 2},
		{"a year that JSON cannot say", head("1") + strings.Replace(instanceLine, `"flavor"`, `"created_at_ms":253402300800000,"flavor"`, 1), versioned.ErrMalformed, 2},
		{"a generation near its end", head("1") + `{"kind":"resource_provider","version":"1.0","data":{"uuid":"11111111-1111-4111-8111-111111111111","name":"a","generation":9223372036854775807}}`, versioned.ErrMalformed, 2},
		{"an unknown field", head("1") + strings.Replace(instanceLine, `"flavor"`, `"mood":"good","flavor"`, 1), versioned.ErrMalformed, 2},
		{"a field twice", head("1") + strings.Replace(instanceLine, `"flavor"`, `"display_name":"j","flavor"`, 1), versioned.ErrMalformed, 2},
		{"text that is not valid UTF-8", head("1") + strings.Replace(instanceLine, `"i"`, "\"i\xff\"", 1), versioned.ErrMalformed, 2},
		{"a bad uuid", head("1") + strings.Replace(instanceLine, "1111-4111", "1111-411", 1), versioned.ErrMalformed, 2},
	} {
		_, err := ops.ReadExport(strings.NewReader(tc.in))
		var at *ops.ExportError
		if !errors.Is(err, tc.kind) || !errors.As(err, &at) || at.Line != tc.line {
			t.Errorf("%s: %v, want %v in line %d", tc.name, err, tc.kind, tc.line)
		}
	}
	broken := errors.New("cable pulled")
	must.Fail(t, must.Err(ops.ReadExport(iotest.ErrReader(broken))), broken)
}

func TestReadExportTakesANewerMinorVersion(t *testing.T) {
	t.Parallel()
	in := `{"placetop_export":1,"records":1,"by":"placetop 9"}` + "\n" +
		strings.Replace(strings.Replace(instanceLine, "1.0", "1.7", 1), `"flavor"`, `"mood":"good","flavor"`, 1)
	read, err := ops.ReadExport(strings.NewReader(in))
	if err != nil || len(read.Records) != 1 {
		t.Errorf("%d records, %v", len(read.Records), err)
	}
	want := []string{
		"the first line has fields that this placetop does not know; left out: by",
		"1 record: instance of version 1.7, and this placetop knows 1.2; left out: mood (1 record)",
	}
	must.Match(t, want, read.Newer)
}

func TestImportMerges(t *testing.T) {
	t.Parallel()
	// Both clouds have numbered their own names from the same number.
	here := newWorld(t).Provider("h", "", resources{"CUSTOM_HERE": 1, "CUSTOM_BOTH": 1}, "CUSTOM_T_HERE", "CUSTOM_T_BOTH")
	there := newWorld(t).Provider("k", "", resources{"CUSTOM_BOTH": 2}, "CUSTOM_T_BOTH").
		Provider("l", "k", resources{"CUSTOM_THERE": 3}, "CUSTOM_T_THERE", "CUSTOM_T_MORE").
		Claim("i", "", map[string]resources{"l": {"CUSTOM_THERE": 2}}).Instance("i", nova.Active)
	merged, _ := imported(t, here.Snapshot, export(t, there.Snapshot))
	p := merged.Placement()
	for name, total := range map[string]map[placement.ResourceClass]int64{
		"h": {"CUSTOM_HERE": 1, "CUSTOM_BOTH": 1}, "k": {"CUSTOM_BOTH": 2}, "l": {"CUSTOM_THERE": 3},
	} {
		rp, ok := p.ProviderByName(name)
		if !ok {
			t.Fatalf("no provider %s", name)
		}
		got := map[placement.ResourceClass]int64{}
		for _, iu := range rp.Inventories() {
			got[p.ClassName(iu.Class)] = iu.Total
		}
		if d := cmp.Diff(total, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	l, _ := p.ProviderByName("l")
	must.Match(t, []placement.Trait{"CUSTOM_T_MORE", "CUSTOM_T_THERE"}, p.TraitsOf(l))
	if merged.Nova().InstanceCount() != 1 || p.ConsumerCount() != 1 {
		t.Error("the instance or its claim is missing")
	}
}

// What would be refused if someone created it is a warning of an import, by record.
func TestImportWarns(t *testing.T) {
	t.Parallel()
	there := newWorld(t).
		Record(&nova.Flavor{Name: "fine", FlavorID: "1", VCPUs: 1, MemoryMB: 1}).
		Record(&nova.Flavor{Name: "odd", FlavorID: "2", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources:": "1"}}).
		Record(&cyborg.DeviceProfile{UUID: modeltest.WorldUUID("dp"), Name: "dp", Groups: []map[string]string{{"resources:VCPU": "1", "trait:CUSTOM_T5": "required"}}})
	read := must.Get(ops.ReadExport(strings.NewReader(export(t, there.Snapshot))))(t)
	im := must.Get(ops.PlanImport(cloud.Empty(), read.Records))(t)
	all := strings.Join(im.Warnings, "\n")
	must.Say(t, all, "flavor odd: resources:=1: Validation failed", `device profile dp: group 0 "VCPU": is not an accelerator class`, "there is no trait CUSTOM_T5")
	if len(im.Warnings) != 3 {
		t.Errorf("warnings\n%s", all)
	}
	if again, err := ops.PlanImport(there.Snapshot, read.Records); err != nil || len(again.Warnings) > 0 {
		t.Errorf("what is there already: %v, %q", err, again.Warnings)
	}
}

func TestImportNamesCollisions(t *testing.T) {
	t.Parallel()
	there := newWorld(t).Provider("h", "", resources{placement.VCPU: 4}, placement.OwnerNova).
		Claim("i", "", map[string]resources{"h": {placement.VCPU: 1}}).
		Instance("i", nova.Active).Migration(nova.Finished)
	text := export(t, there.Snapshot)
	for _, tc := range []struct {
		name string
		here *world
		want []string
	}{
		{"a provider", newWorld(t).Provider("h", "", nil), []string{"resource provider h", "traits of resource provider h"}},
		{"a name", newWorld(t).Do(placement.CreateProvider{ID: rp("x"), Name: "h"}), []string{"resource provider name h"}},
		{"an instance", newWorld(t).Instance("i", nova.Deleted), []string{"instance i"}},
		{"a migration", newWorld(t).Migration(nova.Confirmed), []string{"migration " + vm("m").String()}},
		{"a consumer", newWorld(t).Provider("z", "", resources{placement.VCPU: 1}).
			Claim("i", "", map[string]resources{"z": {placement.VCPU: 1}}), []string{"consumer " + vm("i").String()}},
	} {
		read, err := ops.ReadExport(strings.NewReader(text))
		must.Succeed(t, err)
		_, err = ops.PlanImport(tc.here.Snapshot, read.Records)
		var clash *ops.CollisionError
		if !errors.Is(err, placement.ErrExists) || !errors.As(err, &clash) || len(clash.Collisions) != len(tc.want) {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		for i, want := range tc.want {
			if !strings.HasPrefix(clash.Collisions[i], want) {
				t.Errorf("%s: %q, want %q", tc.name, clash.Collisions[i], want)
			}
		}
	}
}

func TestImportCountsCollisions(t *testing.T) {
	t.Parallel()
	here, there := newWorld(t), newWorld(t)
	for i := range 13 {
		name := "h" + strconv.Itoa(i)
		here.Provider(name, "", nil)
		there.Provider(name, "", resources{placement.VCPU: 1})
	}
	read, err := ops.ReadExport(strings.NewReader(export(t, there.Snapshot)))
	must.Succeed(t, err)
	var clash *ops.CollisionError
	if _, err = ops.PlanImport(here.Snapshot, read.Records); !errors.As(err, &clash) || len(clash.Collisions) != 10 || clash.More != 3 {
		t.Errorf("%v", err)
	}
}

func FuzzReadExport(f *testing.F) {
	small := must.Get(demotest.Fresh(demo.Options{Hosts: 1, Now: time.Unix(1_800_000_000, 0)}))(f)
	f.Add(export(f, small))
	f.Add(`{"placetop_export":1,"records":1}` + "\n" + instanceLine)
	f.Add(`{"placetop_export":1,"records":1}` + "\n" + `{"kind":"trait","version":"1.0","data":{"id":2147483647,"name":"CUSTOM_A"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		read, err := ops.ReadExport(strings.NewReader(text))
		if err != nil {
			return
		}
		im, err := ops.PlanImport(cloud.Empty(), read.Records)
		if err != nil {
			return
		}
		s, _, err := cloud.Empty().Apply(im.Change)
		if err != nil {
			return
		}
		for _, err := range s.Check() {
			t.Error(err)
		}
		first := export(t, s)
		twin, _ := imported(t, cloud.Empty(), first)
		must.Match(t, first, export(t, twin))
	})
}

// Operators' records survive an export and import.
func TestRemarksAreExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t).OverFull()
	rule, _ := audit.RuleByID(audit.RuleLeftovers)
	ann := audit.Remark{Note: "known", By: "ann", At: modeltest.Noon()}
	known := must.Get(audit.PlanAcknowledge(w.Snapshot, audit.Find(w.Snapshot), ann))(t)
	muted := must.Get(audit.PlanMute(w.Change(known.Change).Snapshot, rule, ann))(t)
	w.Change(muted.Change)
	again, _ := imported(t, cloud.Empty(), export(t, w.Snapshot))
	opt := audit.InspectOptions{Now: modeltest.Noon()}
	must.Match(t, audit.Inspect(w.Snapshot, opt), audit.Inspect(again, opt))
}

package filter_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/modeltest/must"
)

// fields returns the values of the test's rows, by field.
type fields map[string]func(row int) filter.Value

func (f fields) Field(name string) func(row int) filter.Value { return f[name] }
func (f fields) Names() []string                              { return slices.Collect(maps.Keys(f)) }

// filterRows are the rows that the filters below pick from.
func filterRows() ([]string, fields) {
	type row struct {
		name, owner string
		free        float64
		memMB       float64
		age         float64
		traits      []string
	}
	data := []row{
		{"cmp-014/pci_0000_41_00_0 gpu.a100.2", "nova", -1, 65536, 240, []string{"HW_GPU_API_VULKAN", "OWNER_NOVA"}},
		{"cmp-015/pci_0000_42_00_0 gpu.a100.4", "cyborg", 3, 1024, 2 * 86400, []string{"OWNER_CYBORG"}},
		{"cmp-077/pci_0000_81_00_0 gpu.l40s.1", "both", 3, 131072, 3600, []string{"OWNER_NOVA", "OWNER_CYBORG"}},
		{"cmp-078 host_0000:af:00.0 Rack (12) a|b", "none", 32, 0, 31 * 86400, nil},
	}
	var keys []string
	for _, r := range data {
		keys = append(keys, strings.ToLower(r.name))
	}
	return keys, fields{
		"owner": func(i int) filter.Value { return filter.Text(data[i].owner) },
		"free":  func(i int) filter.Value { return filter.Number(data[i].free, filter.Count) },
		"mem":   func(i int) filter.Value { return filter.Number(data[i].memMB, filter.MB) },
		"age":   func(i int) filter.Value { return filter.Number(data[i].age, filter.Seconds) },
		"trait": func(i int) filter.Value { return filter.List(data[i].traits...) },
		"used%": func(i int) filter.Value { return filter.Number(90-data[i].free, filter.Count) },
	}
}

func TestFilterPicksRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr string
		want []int32
	}{
		{"", []int32{0, 1, 2, 3}},
		{"   ", []int32{0, 1, 2, 3}},
		{"A100", []int32{0, 1}},
		{"a100 42", []int32{1}},
		{"gpu.a100.2", []int32{0}},
		{"!a100", []int32{2, 3}},
		{"!!a100", []int32{0, 1}},
		{"gpu.*[24]$", []int32{0, 1}},
		{"GPU.*(A100|L40S)", []int32{0, 1, 2}},
		{"a100|l40s", []int32{0, 1, 2}},
		{"/00_0 gpu/", []int32{0, 1, 2}},
		{`/014\/pci/`, []int32{0}},
		{`\d{3}\s`, []int32{3}},
		{`"rack (12)"`, []int32{3}},
		{`"a|b"`, []int32{3}},
		{"-f c14a2", []int32{0}},
		{"-f gp40 cmp", []int32{2}},
		{"!-f a100", []int32{2, 3}},
		{"af:", []int32{3}},
		{"AF:00.0", []int32{3}},
		{"host_0000:af:00 !ae:00", []int32{3}},
		{"owner=cyborg", []int32{1}},
		{"owner=CYBORG", []int32{1}},
		{"OWNER=cyborg", []int32{1}},
		{"owner!=nova", []int32{1, 2, 3}},
		{"owner=nova|both", []int32{0, 2}},
		{"owner=*o*", []int32{0, 1, 2, 3}},
		{"owner=n?ne", []int32{3}},
		{"owner:yb", []int32{1}},
		{"owner~^(nova|none)$", []int32{0, 3}},
		{"free>2", []int32{1, 2, 3}},
		{"free>=3 free<32", []int32{1, 2}},
		{"free=3", []int32{1, 2}},
		{"free!=3", []int32{0, 3}},
		{"free<0", []int32{0}},
		{"free>-2", []int32{0, 1, 2, 3}},
		{"mem>=64G", []int32{0, 2}},
		{"mem=1G", []int32{1}},
		{"age<1d", []int32{0, 2}},
		{"age>=2d", []int32{1, 3}},
		{"used%>86", []int32{0, 1, 2}},
		{"trait:vulkan", []int32{0}},
		{"trait:HW_GPU*", []int32{0}},
		{"trait=owner_nova", []int32{0, 2}},
		{"trait!=owner_nova", []int32{1, 3}},
		{"trait=owner_nova trait=owner_cyborg", []int32{2}},
		{"(owner=both | owner=none) free>4", []int32{3}},
		{"( owner=both ) | a100", []int32{0, 1, 2}},
		{"!(owner=both | owner=none)", []int32{0, 1}},
		{"a100 | l40s", []int32{0, 1, 2}},
		{"a100 & 42", []int32{1}},
		{"l40s | a100 & owner=nova", []int32{0, 2}},
		{`"a|b" & rack`, []int32{3}},
		{"l40s | a100 42", []int32{1, 2}},
		{`owner="nova"`, []int32{0}},
	} {
		t.Run(c.expr, func(t *testing.T) {
			t.Parallel()
			keys, fs := filterRows()
			f := must.Get(filter.Compile(c.expr, fs))(t)
			must.Match(t, c.want, f.Append(nil, keys, 0, len(keys)))
			for i, k := range keys {
				if got := f.Match(i, k); got != slices.Contains(c.want, int32(i)) {
					t.Errorf("row %d: Match is %v", i, got)
				}
			}
		})
	}
}

// TestOtherNames takes the word that another list has for a field.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	keys := []string{"a", "b"}
	f := must.Get(filter.Compile("status=error", fields{"state": func(i int) filter.Value { return filter.Text([]string{"active", "error"}[i]) }}))(t)
	must.Match(t, []int32{1}, f.Append(nil, keys, 0, len(keys)))
}

func TestFilterFaultsSayWhereAndWhat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr string
		col  int
		want string
	}{
		{"gpu onwer=nova", 5, `unknown field "onwer": try owner; the fields are age, free, mem, owner, trait, used%`},
		{"ü onwer=nova", 3, "unknown field"},
		{"pci:af:00.0", 1, "unknown field"},
		{"af=00", 1, "unknown field"},
		{"[a-", 1, "expression"},
		{"a (b", 3, "not closed"},
		{"owner=a)", 8, "has no matching ("},
		{"*gpu", 1, "write .* for anything"},
		{"free>many", 6, `"many" is not a number`},
		{"free>", 6, "is not a number"},
		{"owner~(", 7, "missing closing )"},
		{`a "b`, 3, "quote is not closed"},
		{"/abc", 1, "/ is not closed"},
		{"a !", 3, "nothing follows the !"},
		{"-f", 1, "nothing follows -f"},
		{"a |", 4, "a term is missing"},
		{"| a", 1, "a term is missing"},
		{"& a", 1, "a term is missing"},
		{"a & & b", 5, "a term is missing"},
		{"a &", 4, "a term is missing"},
		{"a ! & b", 3, "nothing follows the !"},
		{"()", 2, "a term is missing"},
		{strings.Repeat("!", 200) + "a", 0, "too deeply nested"},
	} {
		t.Run(c.expr, func(t *testing.T) {
			t.Parallel()
			_, fs := filterRows()
			_, err := filter.Compile(c.expr, fs)
			var fe *filter.Error
			if !errors.As(err, &fe) {
				t.Fatalf("got %v", err)
			}
			if (c.col > 0 && fe.Col != c.col) || !strings.Contains(fe.Error(), c.want) {
				t.Errorf("column %d: %v", fe.Col, fe)
			}
		})
	}
}

func TestValuesAreWrittenAsFiltersReadThem(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]filter.Value{
		"":      {},
		"nova":  filter.Text("nova"),
		"a b":   filter.List("a", "b"),
		"65536": filter.Number(65536, filter.Count),
		"-1":    filter.Number(-1, filter.Count),
		"512M":  filter.Number(512, filter.MB),
		"64G":   filter.Number(65536, filter.MB),
		"1.5T":  filter.Number(1.5*1024*1024, filter.MB),
		"20G":   filter.Number(20, filter.GB),
		"2T":    filter.Number(2048, filter.GB),
		"59s":   filter.Number(59, filter.Seconds),
		"4m":    filter.Number(240, filter.Seconds),
		"1.5h":  filter.Number(5400, filter.Seconds),
		"31d":   filter.Number(31*86400, filter.Seconds),
	} {
		if got := v.String(); got != want {
			t.Errorf("%+v is %q, want %q", v, got, want)
		}
	}
}

func TestFilterWithoutFieldsSaysSo(t *testing.T) {
	t.Parallel()
	_, err := filter.Compile("a=b", nil)
	if err == nil || !strings.Contains(err.Error(), "this list has no fields") {
		t.Errorf("got %v", err)
	}
}

// TestFilterRegexIsThatOfGo compares a filter with Go's own case-insensitive matching of
// the key.
func TestFilterRegexIsThatOfGo(t *testing.T) {
	t.Parallel()
	pieces := []string{"gpu", "A100", ".", "*", "+", "?", "(a|B)", "[a-c]", "[^X]", `\d`, `\S`, `\W`, "{2}", "^", "$", "x{0,2}", "(GPU)+", "É"}
	rapid.Check(t, func(rt *rapid.T) {
		expr := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(rt, "expr"), "")
		want, err := regexp.Compile("(?i)" + expr)
		f, ferr := filter.Compile("/"+expr+"/", nil)
		if (err != nil) != (ferr != nil) {
			rt.Fatalf("%s: %v, %v", expr, err, ferr)
		}
		if err != nil {
			return
		}
		key := rapid.StringOfN(rapid.SampledFrom([]rune("gpua10bcx É-_ é")), 0, 20, -1).Draw(rt, "key")
		key = strings.ToLower(key)
		if got := f.Match(0, key); got != want.MatchString(key) {
			rt.Fatalf("%s on %q: %v", expr, key, got)
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		"gpu.*a100", "!gpu", "-f gp41", "owner=cyborg free>2", "(owner=both | owner=none)", `"a b`,
		"/x/", "trait:HW_GPU*", "((", "a|b", "!", "mem>=64G", `owner~"`,
	} {
		f.Add(s)
	}
	keys, fs := filterRows()
	f.Fuzz(func(t *testing.T, expr string) {
		flt, err := filter.Compile(expr, fs)
		if err != nil {
			var fe *filter.Error
			if !errors.As(err, &fe) || fe.Col < 1 {
				t.Fatalf("no place in the error: %v", err)
			}
			return
		}
		all := flt.Append(nil, keys, 0, len(keys))
		not, err := filter.Compile("!("+expr+" )", fs)
		if err != nil || flt.Empty() {
			return
		}
		if none := not.Append(nil, keys, 0, len(keys)); len(all)+len(none) != len(keys) {
			t.Fatalf("%q passes %v, its inverse %v", expr, all, none)
		}
	})
}

func manyKeys() []string {
	keys := make([]string, 100000)
	for i := range keys {
		keys[i] = fmt.Sprintf("cmp-%05d/pci_0000_%02x_00_0 rack-%02d gpu-a100", i/4, i%256, i%40)
	}
	return keys
}

func BenchmarkFilter(b *testing.B) {
	keys := manyKeys()
	for _, expr := range []string{"24999", "rack-07 c1", "rack-0[37].*a100$", "[0-9]+_c1", "-f c249", "!a100"} {
		b.Run(expr, func(b *testing.B) {
			f := must.Get(filter.Compile(expr, nil))(b)
			dst := make([]int32, 0, len(keys))
			b.ReportAllocs()
			for b.Loop() {
				dst = f.Append(dst[:0], keys, 0, len(keys))
			}
		})
	}
}

// TestNumberedWordsAreAsAList compares words that rows share by number with the same words
// as lists, for all kinds of terms.
func TestNumberedWordsAreAsAList(t *testing.T) {
	t.Parallel()
	known := []string{"OWNER_NOVA", "CUSTOM_A100", "HW_GPU_API_VULKAN", "x y", ""}
	words := &filter.Words{Word: func(n int32) string { return known[n] }}
	rows := [][]int32{{}, {0}, {1, 2}, {4}, {2, 0, 3}, {1}, {3, 4}}
	shared := listOf[[]int32, struct{}]{Rows: rows, Fields: []field[[]int32, struct{}]{{
		Name: "trait", Open: func(struct{}) func([]int32) filter.Value {
			return func(row []int32) filter.Value { return filter.Numbered(words, row...) }
		},
	}}}
	listed := listOf[[]int32, struct{}]{Rows: rows, Fields: []field[[]int32, struct{}]{
		wordsField("trait", func(row []int32, _ struct{}, out []string) []string {
			for _, n := range row {
				out = append(out, known[n])
			}
			return out
		}),
	}}
	for _, expr := range []string{
		"trait=owner_nova", "trait!=owner_nova", "trait:vulkan", "trait=*a100|owner*", `trait=""`, "trait~^(HW|x)", "!trait:o", "trait:custom | trait:nova", "trait>3",
	} {
		a := must.Get(filter.Compile(expr, shared))(t)
		b := must.Get(filter.Compile(expr, listed))(t)
		for range 2 { // the second time, the words are known
			for i := range rows {
				if got, want := a.Match(i, ""), b.Match(i, ""); got != want {
					t.Errorf("%s of %v: %v, want %v", expr, rows[i], got, want)
				}
			}
		}
	}
	if got := filter.Numbered(words, 1, 3).String(); got != "CUSTOM_A100 x y" {
		t.Errorf("for people it is %q", got)
	}
}

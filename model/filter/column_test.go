package filter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/modeltest/must"
)

// columned are fields that remember the values of rows; asked counts how often one was
// read.
type columned struct {
	fields
	columns map[string]*filter.Column
	rows    int
	asked   *int
}

func (c columned) Column(name string) *filter.Column {
	get := c.Field(name)
	if get == nil {
		return nil
	}
	if c.columns[name] == nil {
		c.columns[name] = filter.NewColumn(c.rows)
	}
	c.columns[name].Through(func(row int) filter.Value { *c.asked++; return get(row) })
	return c.columns[name]
}

// TestColumnsAnswerAsTheirFields applies one filter after another to rows with few
// different values, and to some with one each.
func TestColumnsAnswerAsTheirFields(t *testing.T) {
	t.Parallel()
	words := &filter.Words{Word: func(n int32) string { return []string{"HW_GPU", "OWNER_NOVA", "OWNER_CYBORG"}[n] }}
	terms := []string{
		"owner=nova", "owner!=nova", "owner:o", "owner~^n", "free>2", "free<=1", "free!=0", "trait:owner", "trait=hw_gpu", "trait!=owner_nova",
		"tag=a", "tag!=b", "name:row-1", "name=row-7", "free=", "OWNER=Nova|both", "uuid>5",
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 700).Draw(rt, "rows")
		pick := rapid.SliceOfN(rapid.IntRange(0, 5), n, n).Draw(rt, "values")
		var numbers []int32 // of the last row asked for, as in real fields
		var list []string
		fs := fields{
			"owner": func(i int) filter.Value {
				return filter.Text([]string{"nova", "cyborg", "both", "none", "", "Nova"}[pick[i]])
			},
			"free": func(i int) filter.Value {
				if pick[i] == 5 {
					return filter.Value{}
				}
				return filter.Number(float64(pick[i]-1), filter.Count)
			},
			"trait": func(i int) filter.Value {
				numbers = numbers[:0]
				for k := range int32(3) {
					if pick[i]>>k&1 == 1 {
						numbers = append(numbers, k)
					}
				}
				return filter.Numbered(words, numbers...)
			},
			"tag": func(i int) filter.Value {
				list = append(list[:0], []string{"a", "b", "ab", ""}[pick[i]%4], "c")
				return filter.List(list...)
			},
			"name": func(i int) filter.Value { return filter.Text(fmt.Sprintf("row-%d", i)) },
			"uuid": func(i int) filter.Value { return filter.Number(float64(i), filter.Count) },
		}
		asked := 0
		c := columned{fs, map[string]*filter.Column{}, n, &asked}
		keys := make([]string, n)
		for range 4 {
			expr := strings.Join(rapid.SliceOfN(rapid.SampledFrom(terms), 1, 3).Draw(rt, "terms"), " ")
			plain := must.Get(filter.Compile(expr, fs))(rt)
			quick := must.Get(filter.Compile(expr, c))(rt)
			want := plain.Append(nil, keys, 0, n)
			if d := cmp.Diff(want, quick.Append(nil, keys, 0, n)); d != "" {
				rt.Fatalf("%s: %s", expr, d)
			}
			before := asked
			if !slices.Equal(want, quick.Append(nil, keys, 0, n)) {
				rt.Fatalf("%s: the second time it picks others", expr)
			}
			if asked > before && !strings.Contains(expr, "name") && !strings.Contains(expr, "uuid") {
				rt.Fatalf("%s: rows were asked again", expr)
			}
		}
	})
}

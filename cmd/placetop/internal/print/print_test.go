package print

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	textfmt "github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// thing is what the tests print.
type thing struct {
	Name  string            `json:"name"`
	Count int64             `json:"count"`
	Ratio float64           `json:"ratio"`
	Tags  []string          `json:"tags"`
	More  map[string]*thing `json:"more"`
}

func listOf(things []thing) *List {
	list := Columns("name", "item_count").WideColumns("tags")
	for _, t := range things {
		list.Row(t.Name, t.Count, strings.Join(t.Tags, ","))
	}
	return list
}

func plainPrinter(f Format) (*Printer, *bytes.Buffer) {
	var b bytes.Buffer
	return &Printer{W: &b, Format: f, Styles: style.NewPlain(themes.Palette{}, style.Block())}, &b
}

func TestList(t *testing.T) {
	t.Parallel()
	rows := []thing{
		{Name: "cmp-1", Count: 7, Ratio: 1.5, Tags: []string{"a", "b"}},
		{Name: "日本\x1b[31m", Count: 12345},
		{Name: "", Count: -1, Tags: []string{"x"}},
	}
	for _, c := range []struct {
		name   string
		format Format
		rows   []thing
		want   string
	}{
		{"table", Table, rows, "" +
			"NAME       ITEM COUNT\n" +
			"cmp-1               7\n" +
			"日本�[31m       12345\n" +
			"                   -1\n"},
		{"wide has all columns and no space at the end", Wide, rows[:2], "" +
			"NAME       ITEM COUNT  TAGS\n" +
			"cmp-1               7  a,b\n" +
			"日本�[31m       12345\n"},
		{"csv has the columns of wide", CSV, rows[:1], "name,item_count,tags\ncmp-1,7,\"a,b\"\n"},
		{"csv without rows has the head", CSV, nil, "name,item_count,tags\n"},
		{"json of none is a list", JSON, nil, "[]\n"},
		{"yaml of none is a list", YAML, nil, "[]\n"},
		{"a list of one is a list", YAML, rows[2:], "- name: \"\"\n  count: -1\n  ratio: 0\n  tags:\n    - x\n  more: null\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, b := plainPrinter(c.format)
			p.List(c.rows, listOf(c.rows))
			must.Match(t, c.want, b.String())
		})
	}
}

// TestFormatsAgree reads back what was printed: JSON, YAML and CSV have the same values,
// and no control characters that a terminal obeys.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	word := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"", "yes", "No", "null", "~", "1", "1e3", ".inf", "0x1f", "1:30", "2024-01-01", "- a", "a: b", "a:", "#x", "a #b",
			"? a", "=", "<<", "a\nb", "a\r\nb", "\t", " a", "a ", "\x1b[2J", "\u009b31m", "\u202ea", "\ufeff", "'", `"`, `\`, "{", "日本",
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		want := thing{
			Name:  word.Draw(t, "name"),
			Count: rapid.Int64().Draw(t, "count"),
			Ratio: rapid.Float64Range(-1e300, 1e300).Draw(t, "ratio"),
			Tags:  rapid.SliceOfN(word, 0, 3).Draw(t, "tags"),
			More:  map[string]*thing{},
		}
		for _, k := range rapid.SliceOfNDistinct(word, 0, 2, rapid.ID).Draw(t, "keys") {
			want.More[k] = nil
		}
		p, b := plainPrinter(JSON)
		p.Value(want)
		asJSON := b.String()
		var back thing
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		// JSON cannot represent invalid UTF-8.
		want.Name = strings.ToValidUTF8(want.Name, "\ufffd")
		if back.Name != want.Name || back.Count != want.Count || back.Ratio != want.Ratio || !cmp.Equal(back.Tags, want.Tags) {
			t.Fatalf("json: %#v came back as %#v", want, back)
		}

		p, b = plainPrinter(YAML)
		p.Value(want)
		for _, text := range []string{asJSON, b.String()} {
			if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && versioned.Unseen(r) }); i >= 0 {
				t.Fatalf("byte %d of %q acts on terminals", i, text)
			}
		}
		var loose map[string]any
		if err := yaml.Unmarshal(b.Bytes(), &loose); err != nil {
			t.Fatalf("yaml: %v in\n%s", err, b)
		}
		var fromYAML thing
		if text, err := json.Marshal(loose); err != nil || json.Unmarshal(text, &fromYAML) != nil {
			t.Fatalf("yaml: %v in\n%s", err, b)
		}
		if loose["name"] != want.Name {
			t.Fatalf("yaml: name %q came back as %#v from\n%s", want.Name, loose["name"], b)
		}
		for i, tag := range want.Tags {
			if got := loose["tags"].([]any)[i]; got != tag {
				t.Fatalf("yaml: tag %q came back as %#v from\n%s", tag, got, b)
			}
		}
		for k := range want.More {
			if _, ok := loose["more"].(map[string]any)[k]; !ok {
				t.Fatalf("yaml: key %q is missing in\n%s", k, b)
			}
		}

		p, b = plainPrinter(CSV)
		p.List(nil, listOf([]thing{want}))
		records, err := csv.NewReader(b).ReadAll()
		if err != nil || len(records) != 2 {
			t.Fatalf("csv: %d records, %v", len(records), err)
		}
		if got := records[1]; got[0] != textfmt.CSVCell(want.Name) || got[1] != strconv.FormatInt(want.Count, 10) {
			t.Fatalf("csv: %#v came back as %q", want, got)
		}
	})
}

// A spreadsheet takes no cell for a formula, and each number for a number.
func TestCSVHasNoFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "+49 30": "'+49 30", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\uff1d1": "'\uff1d1",
		"-1": "-1", "-0.5": "-0.5", "+5": "+5", "-1.5e+300": "-1.5e+300", "-": "-", "=": "=", "": "", "-Inf": "'-Inf", "-0x1p-2": "'-0x1p-2", "--1": "'--1",
		"a=1": "a=1", "\t=1": "\ufffd=1", "\r=1": "\ufffd=1", "\u200b=1": "\ufffd=1",
	} {
		if got := textfmt.CSVCell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestYAMLOfBadJSON(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{``, `{`, `[1`, `{"a"`, `{"a":1}{"b":2}`, `nul`} {
		if out, err := textfmt.YAML([]byte(doc)); err == nil {
			t.Errorf("%q became %q", doc, out)
		}
	}
}

// TestTableOnTerminal checks that only signals have colours of the palette.
func TestTableOnTerminal(t *testing.T) {
	t.Parallel()
	palette := must.Get(themes.Load(nil, ""))(t)
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	p, b := plainPrinter(Table)
	p.Styles, p.Terminal = style.New(palette, r, style.Block()), true
	list := Columns("name", "owner")
	list.Row("cmp\x1b[31m", Colored("nova", themes.OwnerNova))
	p.List(nil, list)
	want := "\x1b[1mNAME\x1b[0m      \x1b[1mOWNER\x1b[0m\n" + "cmp�[31m  " + p.Styles.Render(themes.OwnerNova, "nova") + "\n"
	must.Match(t, want, b.String())
}

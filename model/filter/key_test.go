package filter_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/modeltest/must"
)

// TestTextsAreLookedForInAllThatARowSays searches for words in columns, and for the
// beginning of an id.
func TestTextsAreLookedForInAllThatARowSays(t *testing.T) {
	t.Parallel()
	key := filter.Key("10289ba8-A100-4c7a-9a41-0c3b6f2a7ee1", "pci_41", "", "ml-train", "Cyborg")
	for expr, want := range map[string]bool{
		"pci": true, "ml-tr": true, "cyborg": true, "CYB": true, "pci ml": true, "!ml-train": false, "ml-trainc": false,
		"1028": true, "10289ba8": true, "102": false, "a100": false, "4c7a": false, "1028 cyb": true,
		"^ml": true, "^cyb": true, "train$": true, "^train": false, "^10": false, "pci.*train": false, "-f mltr": true, "-f 1028": false,
	} {
		f := must.Get(filter.Compile(expr, nil))(t)
		if got := f.Match(0, key); got != want {
			t.Errorf("%s: passes %v, want %v", expr, got, want)
		}
		if rows := f.Append(nil, []string{key}, 0, 1); (len(rows) == 1) != want {
			t.Errorf("%s: rows %v, want %v", expr, rows, want)
		}
		if !f.Texts() {
			t.Errorf("%s does not look at texts", expr)
		}
	}
	fields := listOf[int, int]{Fields: []field[int, int]{textField("a", func(int, int) string { return "x" })}}
	for expr, want := range map[string]bool{"a=x": false, "": false, "a=x | y": true, "!(a=x)": false} {
		if f, err := filter.Compile(expr, fields); err != nil || f.Texts() != want {
			t.Errorf("%q looks at texts: %v, want %v (%v)", expr, f.Texts(), want, err)
		}
	}
}

// TestWordRank puts a whole word before the beginning of one, and that before a part.
func TestWordRank(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, word string
		want      int
	}{
		{"u02\nallocation_ratio ratio", "ratio", 0},
		{"the ratio", "ratio", 0},
		{"ratios", "ratio", 1},
		{"migration of erp", "ratio", 2},
		{"mig-ratio-1", "ratio", 0},
		{"migration, ratio", "ratio", 0},
		{"nothing", "ratio", 3},
		{"nothing", "", 3},
		{"größe", "e", 2},
	} {
		if got := filter.WordRank(tt.key, tt.word); got != tt.want {
			t.Errorf("%q of %q: %d, want %d", tt.word, tt.key, got, tt.want)
		}
	}
}

// TestBest answers a question by whoever has all of its words, or else most of them.
func TestBest(t *testing.T) {
	t.Parallel()
	all := []string{"migration of allocations", "allocation ratio of a host", "a host is gone", "who owns a gpu"}
	for question, want := range map[string]string{
		"ratio": "allocation ratio of a host", "igra": "migration of allocations", "Who has the GPU?": "who owns a gpu",
		"why is my host gone": "a host is gone", "host ratio wrong": "allocation ratio of a host", "host": "allocation ratio of a host a host is gone",
		"fax": "", "": "", "who": "who owns a gpu",
	} {
		if got := strings.Join(filter.Best(all, func(s string) string { return s }, filter.Asked(question)), " "); got != want {
			t.Errorf("%q is answered by %q, want %q", question, got, want)
		}
	}
}

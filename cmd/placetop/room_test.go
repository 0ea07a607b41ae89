package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/tuitest"
)

// checkNothingLost checks that a larger terminal shows every word that a smaller one shows.
// The text of a row that is still listed may be cut, or told in short, as in "raise +2" and
// ">cmp-003": its pane has all of it.
func checkNothingLost(t *testing.T, at, small, large string) {
	t.Helper()
	if lost := lostWords(small, large); len(lost) > 0 {
		t.Errorf("%s lacks %q, which a smaller terminal has:\n%s", at, lost, large)
	}
}

// lostWords returns the words in the body of one frame that another lacks. A cut word is
// not lost if the other has one that it may stand for.
func lostWords(small, large string) []string {
	reach := regexp.MustCompile(`⋮ .*? more\b.*|\d+ more lines?|lines? \d+ to \d+ of \d+|\d+ of \d+|\d+-\d+/\d+|j k scroll`)
	within := strings.ToLower(large)
	lines := strings.Split(strings.TrimRight(small, "\n"), "\n")
	cut := slices.DeleteFunc(panesOf(strings.Split(within, "\n")), func(line string) bool { return !regexp.MustCompile(`…|\+\d| >\w`).MatchString(line) })
	var lost []string
	for _, line := range panesOf(lines[2 : len(lines)-2]) { // without the header and the keys
		if name := strings.ToLower(strings.TrimSuffix(nameIn(line), "…")); slices.ContainsFunc(cut, func(row string) bool { return strings.HasPrefix(nameIn(row), name) }) {
			continue
		}
		for _, word := range strings.FieldsFunc(reach.ReplaceAllString(line, " "), func(r rune) bool {
			return !strings.ContainsRune("…-_.:/+'", r) && (r > 0x2000 || strings.ContainsRune(" │|>,;()[]<`", r))
		}) {
			word = strings.ToLower(strings.Trim(word, ".:/'"))
			first, last, short := strings.Cut(word, "…")
			root, card, path := strings.Cut(word, "/") // of a card without its PCI domain
			switch {
			case !regexp.MustCompile(`^[a-z].*[a-z]`).MatchString(word), // an amount depends on the room
				regexp.MustCompile(`[0-9a-f]{8}-|^[0-9a-f]{8,}`).MatchString(word), // and so does how much of a uuid shows
				word == "fullest", // if not all hosts have their bars
				regexp.MustCompile(`^[a-z]+\.[a-z0-9.]+$`).MatchString(word) && strings.Contains(within, "more flavors"), // the number of listed ones differs
				word == "traits" && strings.Contains(within, "+custom_"),                                                 // named where there is room, else counted
				word == "neither", word == "nor", // of the owners, said in short as a missing owner
				word == "reserved" && strings.Contains(within, " res "), // if it is the heading of a column
				strings.Contains(within, word),
				path && regexp.MustCompile(regexp.QuoteMeta(root)+`/\S*`+regexp.QuoteMeta(card)).MatchString(within),
				short && regexp.MustCompile(regexp.QuoteMeta(first)+".*"+regexp.QuoteMeta(last)).MatchString(within),
				slices.Contains(lost, word):
			default:
				lost = append(lost, word)
			}
		}
	}
	return lost
}

// checkRowsDiffer checks that what a narrow terminal cuts is not what tells rows apart.
func checkRowsDiffer(t *testing.T, at string, d *tuitest.Driver) {
	t.Helper()
	event := regexp.MustCompile(`^[A-Z][a-z]{2} +\d+ `) // of which several may be alike but for their time of day
	seen := map[string]int{}
	for _, line := range d.Lines() {
		row := rowText(line)
		if seen[row]++; seen[row] > 1 && strings.Contains(row, "…") && !event.MatchString(row) && !strings.ContainsAny(row, "├└") { // names in a tree belong to their parents
			t.Errorf("%s has two rows that read %q:\n%s", at, row, d.Text())
		}
	}
}

// rowText returns what tells a row of a frame from others: not the sign of the cursor.
func rowText(line string) string {
	return strings.Join(strings.Fields(strings.Trim(line, ">│ ")), " ")
}

// checkNames checks that rows are known by their whole names. What else is cut is in full in
// the pane or on the page of the row.
func checkNames(t *testing.T, at string, d *tuitest.Driver) {
	t.Helper()
	lines := d.Lines()
	for _, line := range panesOf(lines[2 : len(lines)-2]) { // without the header and the keys
		if name := nameIn(line); strings.Contains(name, "…") && !uuidLike.MatchString(name) {
			t.Errorf("%s cuts the name %q:\n%s", at, name, d.Text())
		}
	}
}

// nameIn returns the first word on a line of a pane, without signs before it.
func nameIn(line string) string {
	for word := range strings.FieldsSeq(line) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			return word
		}
	}
	return ""
}

// uuidLike matches the start of a uuid, by which people know it.
var uuidLike = regexp.MustCompile(`^[0-9a-f]{8}-`)

// panesOf returns the lines of a frame, each of its boxes by itself.
func panesOf(lines []string) []string {
	var out []string
	for _, line := range lines {
		out = append(out, strings.Split(line, "│")...)
	}
	return out
}

// TestTitlesOfPanesAreWhole checks that a title for which the frame of a pane has no room is
// in the pane.
func TestTitlesOfPanesAreWhole(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := visit(t, tuitest.Demo(t, 12), tuitest.Plain(), place.Journal{Filter: "verb=move train-42"}, 160, 48)
		text := strings.Join(strings.Fields(strings.NewReplacer("│", "", "\n", " ").Replace(paneOf(d))), " ")
		if want := "it waits to be confirmed or reverted"; !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, d.Text())
		}
	})
}

// paneOf returns what stands to the right of a list.
func paneOf(d *tuitest.Driver) string {
	var b strings.Builder
	for _, line := range d.Lines() {
		if i := strings.LastIndex(strings.TrimSuffix(strings.TrimSpace(line), "│"), "│"); i > 0 {
			b.WriteString(line[i:] + "\n")
		}
	}
	return b.String()
}

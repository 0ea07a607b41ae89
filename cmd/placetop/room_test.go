package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// TestMoreRoomNeverShowsLess checks that a larger terminal shows every word that a
// smaller one shows: each column title, each fact, each section. Only the number of
// listed rows, and the words about that, may differ.
func TestMoreRoomNeverShowsLess(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, c *screentest.Cloud, name string, at place.Place) {
		var small string
		for i, size := range frameSizes()[1:] { // 40x8 has a layout of its own
			large := frame(visit(t, c, screentest.Plain(), at, size[0], size[1]))
			if i > 0 {
				if lost := lostWords(small, large); len(lost) > 0 {
					t.Errorf("%dx%d lacks %q, which a smaller terminal has:\n%s", size[0], size[1], lost, large)
				}
			}
			small = large
		}
	})
}

// lostWords returns the words in the body of one frame that another lacks. A cut word is
// not lost if the other has one that it may stand for.
func lostWords(small, large string) []string {
	reach := regexp.MustCompile(`⋮ .*? more\b.*|\d+ more lines?|lines? \d+ to \d+ of \d+|\d+ of \d+|\d+-\d+/\d+|j k scroll`)
	within := strings.ToLower(large)
	lines := strings.Split(strings.TrimRight(small, "\n"), "\n")
	var lost []string
	for _, line := range lines[2 : len(lines)-2] { // without the header and the keys
		for _, word := range strings.FieldsFunc(reach.ReplaceAllString(line, " "), func(r rune) bool {
			return !strings.ContainsRune("…-_.:/+'", r) && (r > 0x2000 || strings.ContainsRune(" │|>,;()[]<`", r))
		}) {
			word = strings.ToLower(strings.Trim(word, ".:/'"))
			first, last, cut := strings.Cut(word, "…")
			switch {
			case !regexp.MustCompile(`^[a-z].*[a-z]`).MatchString(word), // an amount depends on the room
				regexp.MustCompile(`[0-9a-f]{8}-|^[0-9a-f]{8,}`).MatchString(word), // and so does how much of a uuid shows
				word == "fullest", // if not all hosts have their bars
				regexp.MustCompile(`^[a-z]+\.[a-z0-9.]+$`).MatchString(word) && strings.Contains(within, "more flavors"), // the number of listed ones differs
				word == "reserved" && strings.Contains(within, " res "),                                                  // if it is the heading of a column
				strings.Contains(within, word),
				cut && regexp.MustCompile(regexp.QuoteMeta(first)+".*"+regexp.QuoteMeta(last)).MatchString(within),
				slices.Contains(lost, word):
			default:
				lost = append(lost, word)
			}
		}
	}
	return lost
}

// TestNothingIsCutOnLargeTerminals checks that boxes give each other the room they do
// not need: on 12 hosts, nothing is cut on a large terminal.
func TestNothingIsCutOnLargeTerminals(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, c *screentest.Cloud, _ string, at place.Place) {
		for _, size := range [][2]int{{160, 48}, {250, 80}} {
			text := frame(visit(t, c, screentest.Plain(), at, size[0], size[1]))
			if cut := cutIn(strings.Split(text, "\n")); cut != "" {
				t.Errorf("%dx%d cuts %q:\n%s", size[0], size[1], cut, text)
			}
		}
	})
}

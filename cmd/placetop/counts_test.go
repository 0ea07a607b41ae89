package main

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestScreensCountAlike reads the same count from each screen that tells it, on the demo
// cloud and on random ones: what stands on one of them is what stands on the others.
func TestScreensCountAlike(t *testing.T) {
	t.Parallel()
	places := map[string]place.Place{
		"pulses": place.Pulses{}, "owners": place.Owners{}, "cards": place.Handover{}, "problems": place.Problems{}, "consumers": place.Consumers{}, "providers": place.Providers{}, "classes": place.Classes{},
	}
	// The sum of what a pattern finds on a screen, 0 if that is nothing.
	facts := map[string]map[string]string{
		"mixed hosts":       {"pulses": `computes  (\d+) mixed`, "owners": `mixed hosts +(\d+) Nova host`},
		"accelerators":      {"pulses": `[⬢⬡⊗◌] [NCB-] (?:nova|cyborg|both|none) [^│]* (\d+) +│`, "owners": `(\d+) cards?(?: \+ (\d+) roots?)?   gate`},
		"cards":             {"owners": `(\d+) cards?(?: \+ \d+ roots?)?   gate`, "cards": `(?:(\d+) of \d+|no host has cards)`},
		"problems":          {"pulses": `PROBLEMS (\d+)`, "problems": `(\d+) problems?  `},
		"critical problems": {"pulses": `PROBLEMS \d+ [^─]*✗(\d+)`, "problems": `\d+ problems? [^\n]*✗(\d+)`},
		"orphans":           {"pulses": `a01 orphan allocation +(\d+)`, "problems": `a01 orphan allocation +(\d+)`},
		"both owners":       {"pulses": `⊗ B both [^│]* (\d+) +│`, "problems": `o01 both owners +(\d+)`},
		"consumers":         {"pulses": `providers?   (\d+) consumers?`, "consumers": `\d+ of (\d+)`},
		"free VGPUs":        {"pulses": `[ ✗!]  ?VGPU +[^\d\n]+ *[\d ]+/[\d ]+? +(\d+) `, "classes": `[ ✗!] VGPU +\d[^\n│]*?[█▏▎▍▌▋▊▉▒░/»] +(\d+) +[⬢⬡⊗◌]`},
		"providers":         {"pulses": `(\d+) providers?   `, "providers": `\d+ of (\d+)`},
	}
	clouds := map[string]func(t *testing.T) *tuitest.Cloud{"demo": func(t *testing.T) *tuitest.Cloud { return tuitest.Demo(t, 12) }}
	for seed := range 6 {
		clouds[fmt.Sprint("random ", seed)] = func(*testing.T) *tuitest.Cloud { return randomCloud(seed) }
	}
	for name, cloudOf := range clouds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				c, shown := cloudOf(t), map[string]string{}
				for name, at := range places {
					shown[name] = frame(visit(t, c, tuitest.Styles(termenv.Ascii, style.Block()), at, 160, 48))
				}
				for fact, on := range facts {
					counts, differ, last := map[string]int{}, false, -1
					for name, pattern := range on {
						counts[name] = sumIn(shown[name], pattern)
						differ = differ || last >= 0 && counts[name] != last
						last = counts[name]
					}
					if name == "demo" && last == 0 {
						t.Errorf("the demo has no %s", fact)
					}
					if !differ {
						continue
					}
					t.Errorf("%s: %v", fact, counts)
					for name := range on {
						t.Logf("%s:\n%s", name, shown[name])
					}
				}
			})
		})
	}
}

// sumIn returns the sum of the numbers that a pattern finds in a text.
func sumIn(text, pattern string) (sum int) {
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		for _, number := range found[1:] {
			n, _ := strconv.Atoi(number) // "" is none
			sum += n
		}
	}
	return sum
}

// randomCloud returns a cloud after random operations, as far as they are possible.
func randomCloud(seed int) *tuitest.Cloud {
	c := tuitest.NewCloud(cloud.Empty())
	for i := range 150 {
		op := modeltest.Op(c.Snapshot().Placement()).Example(1000*seed + i)
		_ = c.Change(cloud.Change{Ops: []cloud.Op{op}}) // many are refused
	}
	return c
}

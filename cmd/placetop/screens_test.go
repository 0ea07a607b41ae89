package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestEveryScreenIsListed checks that each package of screens declares them and is in the
// list, and that each kind of place has one screen.
func TestEveryScreenIsListed(t *testing.T) {
	t.Parallel()
	list := must.Get(os.ReadFile("screens.go"))(t)
	files, err := filepath.Glob("../../tui/screen/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no screens are found", err)
	}
	declares := map[string]bool{"help": false} // the help belongs to the dashboard itself
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		pkg := filepath.Base(filepath.Dir(file))
		if _, known := declares[pkg]; !known || strings.Contains(string(text), "\nfunc Screens() ") {
			declares[pkg] = true
		}
	}
	for pkg, does := range declares {
		if listed := strings.Contains(string(list), "\t"+pkg+".Screens(),\n"); does != listed {
			t.Errorf("package %s declares screens: %v, screens.go has its Screens: %v", pkg, does, listed)
		}
	}
	var places []byte
	for _, file := range []string{"place.go", "provider.go"} {
		text := must.Get(os.ReadFile(filepath.Join("..", "..", "tui", "place", file)))(t)
		places = append(places, text...)
	}
	count := map[string]int{"help": 1, "command": 1} // a command is no screen
	for _, d := range screens() {
		count[place.Kind(d.Of)]++
	}
	kinds := regexp.MustCompile(`(\w+) struct ?\{\s+place\s`).FindAllSubmatch(places, -1)
	for _, kind := range kinds {
		if n := count[strings.ToLower(string(kind[1]))]; n != 1 {
			t.Errorf("%d screens are declared for the place %s, want one", n, kind[1])
		}
	}
	if len(kinds) != len(count) {
		t.Errorf("%d places and %d screens: a kind is given twice", len(kinds), len(count))
	}
}

// TestScreensAreToldApart checks that no key or name leads to two screens, or to
// something else, and that familiar names work.
func TestScreensAreToldApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, d := range screens() {
		kind := place.Kind(d.Of)
		if d.Open == nil || d.Keys != nil && d.Names == nil || d.Names != nil && d.Title == "" {
			t.Errorf("%s lacks what opens it, a name or a title", kind)
		}
		for _, word := range slices.Concat(d.Keys, d.Names) {
			if other, ok := seen[word]; ok {
				t.Errorf("%s leads to %s and to %s", word, other, kind)
			}
			seen[word] = kind
		}
		if _, err := place.Parse(d.Of, ""); d.Names != nil && err != nil {
			t.Errorf("%s has a name and cannot be typed: %v", kind, err)
		}
	}
	for _, want := range strings.Fields(`1:pulses 2:providers 3:consumers 4:whatif 5:owners 6:problems !:problems 7:journal 8:hardware hw:hardware 9:flavors 0:instances
		pulse:pulses ev:journal rp:providers con:consumers cand:whatif what-if:whatif own:owners audit:problems problems:problems mig:migrations dev:devices
		flavor:flavors fl:flavors inst:instances vm:instances svc:services arq:arqs dp:profiles pool:pool unfinished:unfinished recover:unfinished`) {
		if word, kind, _ := strings.Cut(want, ":"); seen[word] != kind {
			t.Errorf("%s leads to %q, want %s", word, seen[word], kind)
		}
	}
	app := tui.New(tui.Config{
		Env:     screen.Env{Styles: tuitest.Plain(), Clock: tuitest.Now},
		OpenMsg: tui.OpenMsg{Cloud: memory.New(memory.Options{Clock: tuitest.Now})}, Screens: screens(), Local: true,
	})
	for _, err := range tuitest.Unsound(app.Actions()) {
		t.Error(err)
	}
}

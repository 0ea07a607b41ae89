package vocabulary_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/vocabulary"
	"github.com/placetop/placetop/tui/tuitest"
)

// press presses keys in a list and returns the page that they lead to.
func press(t *testing.T, s *tuitest.Cloud, list func(screen.Env, *cloud.Snapshot, string) screen.Screen, filter string, keys ...string) (*tuitest.Host, *tuitest.Host) {
	t.Helper()
	from := tuitest.Live(t, s, 80, 24, func(env screen.Env) screen.Screen { return list(env, s.Snapshot(), filter) })
	from.Press(keys...)
	if from.Pushed() == nil {
		return from, nil
	}
	return from, from.Opens()
}

// TestMakesAndDeletesWords creates a class and a trait, tries names that upstream
// refuses, renames the class, and deletes both again.
func TestMakesAndDeletesWords(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(screen.Env, *cloud.Snapshot, string) screen.Screen{"class": vocabulary.NewClasses, "trait": vocabulary.NewTraits} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				s := tuitest.Demo12(t)
				_, r := press(t, s, list, "", "n")
				r.Press("enter")
				r.Wants("all others are standard ones")
				r.Type("gold-")
				r.Press("enter")
				r.Wants("only A-Z, 0-9 and _ are allowed")
				r.Lacks("PREVIEW")
				r.Press("backspace", "enter")
				r.Wants("WILL SEND", "CUSTOM_GOLD")
				_, whole := press(t, s, list, "", "n")
				whole.Type("CUSTOM_GOLD") // after the prefix that is there
				whole.Press("enter")
				whole.Wants("WILL SEND", "CUSTOM_GOLD")
				whole.Lacks("CUSTOM_CUSTOM")
				r.Press("enter")
				r.Wrote(1)
				word := "CUSTOM_GOLD"
				if name == "class" {
					_, r = press(t, s, list, "CUSTOM_GOLD", "e")
					r.Type("EN")
					r.Press("enter", "enter")
					r.Wrote(2)
					word = "CUSTOM_GOLDEN"
				}
				n := s.Writes
				_, r = press(t, s, list, word, "D")
				r.Wants("DELETE /", word)
				r.Press("enter")
				r.Wrote(n + 1)
			})
		})
	}
}

// TestKeepsWordsInUse says why a word cannot be deleted before the user has tried.
func TestKeepsWordsInUse(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo12(t)
		for filter, want := range map[string]string{"name=VCPU": "VCPU is a standard resource class, which stays", "custom=true provs>0": "still with CUSTOM_"} {
			from, page := press(t, s, vocabulary.NewClasses, filter, "D")
			if page != nil || len(from.Said) == 0 || !strings.Contains(from.Said[0].Text, want) {
				t.Errorf("%s: says %v, want %q", filter, from.Said, want)
			}
		}
	})
}

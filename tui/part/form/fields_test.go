package form_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestFieldsCheck(t *testing.T) {
	t.Parallel()
	s := newStore(t, "")
	held := liveInstance(t, s.Snapshot())
	name, _ := s.Snapshot().Nova().Instance(held.ID())
	for _, c := range []struct {
		field int // from the top
		text  string
		want  string
	}{
		{0, "", "a uuid, or the name of an instance"},
		{0, "vm-nobody-knows", "is neither a uuid nor the name of an instance"},
		{0, "00000000-0000-0000-0000-000000000000", "is neither a uuid nor"},
		{0, held.ID().String(), "already: release that first"},
		{0, name.Name, "already: release that first"},
		{1, "", "name a type"},
		{1, "NO SPACES", "only A-Z, 0-9 and _ are allowed"},
		{2, "", "is required"},
		{3, "   ", "is required"},
		{4, "", "name at least one, such as VCPU=2"},
		{4, "VCPU", "VCPU: is not CLASS=AMOUNT"},
		{4, "VCPU=2 VCPUS=1", "no such resource class: VCPUS, did you mean VCPU"},
		{4, "VCPU=2,VCPU=1", "VCPU is given twice"},
		{4, "VCPU=0", "from 1 to 2147483647"},
		{4, "VCPU=2147483648", "from 1 to 2147483647"},
		{4, "VCPU=-1", "from 1 to 2147483647"},
		{4, "MEMORY_MB=4G", "from 1 to 2147483647"},
		{5, "OWNER_NOVA,no_such", "no such trait NO_SUCH"},
		{5, "in:", "traits: "},
		{6, "no-such-zone", "aggregates: "},
		{7, "no-such-host", "no provider has this name or uuid"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := allocate(t, newStore(t, ""), 100, 24)
				r.Press("up", "up")
				for range c.field {
					r.Press("down")
				}
				r.Replace(c.text)
				r.Press("enter")
				r.Wants(c.want)
			})
		})
	}
}

// TestTypingReplacesAGivenText checks that typing replaces the text that a form proposes,
// unless an arrow was pressed first.
func TestTypingReplacesAGivenText(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Press("up", "up", "down") // type: INSTANCE
		r.Type("CUSTOM")
		r.Wants("type       CUSTOM")
		r.Lacks("INSTANCECUSTOM")
		r.Press("up", "down")
		r.Type("_A")
		r.Wants("type       CUSTOM_A")
	})
	tuitest.Run(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Press("up", "up", "down", "end")
		r.Type("S")
		r.Wants("type       INSTANCES")
	})
}

func TestFaultStandsAtTheWord(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 120, 24)
		r.Press("up", "up", "up", "up", "up", "up") // round to resources
		r.Replace("VCPU=2  MEMRY_MB=4096")
		r.Press("enter")
		lines := r.Lines()
		for i, line := range lines {
			if before, _, ok := strings.Cut(line, "MEMRY_MB="); ok {
				if got := strings.Index(lines[i+1], "✗"); len([]rune(lines[i+1][:got])) != len([]rune(before)) {
					t.Errorf("the fault is not below the word:\n%s\n%s", line, lines[i+1])
				}
				return
			}
		}
		t.Errorf("no such line:\n%s", r.Text())
	})
}

// TestFaultIsWholeOnNarrowTerminals checks that no part of an error is cut off if one
// line is too short for it.
func TestFaultIsWholeOnNarrowTerminals(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		for _, h := range []int{10, 24} {
			r := allocate(t, newStore(t, ""), 40, h)
			r.Press("up", "up", "up", "up", "up", "up") // round to resources
			r.Replace("VCPU=2 VCPUS=1")
			r.Press("enter")
			if text := strings.Join(strings.Fields(r.Text()), " "); !strings.Contains(text, "no such resource class: VCPUS, did you mean VCPU") {
				t.Errorf("40x%d cuts the fault:\n%s", h, r.Text())
			}
		}
	})
}

func TestFieldsComplete(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Type("ml-t")
		r.Wants("tab  ml-train")
		r.Press("tab")
		r.Wants("project    ml-train")
		r.Press("tab", "tab")
		r.Type("vcpu=2 mem")
		r.Wants("tab  MEMORY_MB=")
		r.Press("tab")
		r.Type("4096")
		r.Wants("resources  vcpu=2 MEMORY_MB=4096")
		r.Press("tab")
		r.Type("!owner_n")
		r.Wants("tab  !OWNER_NOVA")
		r.Replace("")
		r.Press("tab", "tab")
		r.Type("cmp-00")
		r.Wants("tab  cmp-001")
		r.Press("tab")
		r.Wants("provider   cmp-001")
		r.Press("enter")
		r.Wants("from cmp-001")
	})
}

func TestInstanceByName(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		c := liveInstance(t, s.Snapshot())
		i, _ := s.Snapshot().Nova().Instance(c.ID())
		r := allocate(t, s, 100, 24)
		// Nova still has the instance, but its allocations are lost.
		must.Succeed(t, r.Cloud.Do(placement.DeleteAllocations{Consumer: c.ID()}))
		r.Follow()
		r.Press("up", "up")
		r.Replace(i.Name)
		r.Wants("instance "+i.Name+", active on "+i.Host, "holds nothing")
		r.Press("enter")
		r.Wants("project    "+i.Project, "user       "+i.User)
		r.Press("up", "down", "down", "down", "enter")
		r.Type("VCPU=1")
		r.Press("enter", "enter", "enter", "enter", "enter", "enter")
		r.Wrote(1)
		if _, ok := s.Snapshot().Placement().Consumer(c.ID()); !ok {
			t.Error("the instance has no allocations")
		}
	})
}

// Invisible characters are not taken, and the form says so; the rest of the paste is.
func TestUnseenIsLeftOut(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Paste("ml\u202e-tr\u200bain\u2066")
		r.Wants("project    ml-train", "left out U+202E, U+200B, U+2066: an invisible character")
		r.Paste("\ufeff")
		r.Wants("project    ml-train", "left out U+FEFF")
		r.Press("x")
		r.Wants("project    ml-trainx")
		r.Lacks("left out")
	})
}

// TestNamesOfTheWorld takes names whole whose writing has joiners, and draws them whole: of a
// family of emoji, of Persian and Hindi, of a flag made of letters. After a letter of ASCII
// a joiner is invisible.
func TestNamesOfTheWorld(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		for _, name := range []string{"👩\u200d👩\u200d👧\u200d👦", "می\u200cخواهم", "क्\u200dष-1", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "❤️\u200d🔥", "서울"} {
			r := allocate(t, newStore(t, ""), 100, 24)
			r.Paste(name)
			r.Lacks("left out")
			drawn := component.DirectionMark(name) + name
			r.Wants("project    " + drawn)
			r.Press("enter")
			r.Wants("project    " + drawn)
		}
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Type("می")
		r.Paste("\u200c")
		r.Type("خواهم")
		r.Wants("می\u200cخواهم")
		r.Lacks("left out")
		r.Paste("ad\u200dmin")
		r.Wants("left out U+200D: an invisible character")
	})
}

func TestPaste(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Paste("\x1b[31mml\x1b[0m-train\x1b]0;x\a\n")
		r.Wants("project    ml-train")
		for _, key := range []string{"home", "end", "left", "up", "tab", "enter", "esc", "delete"} { // words as any other
			r.Press("ctrl+u")
			r.Paste(key)
			r.Wants("project    " + key)
		}
		r.Press("ctrl+u")
		r.Type("ml-train")
		r.Press("ctrl+v")
		r.Wants("project    ml-train")
		r.Press("enter", "enter")
		r.Paste("VCPU=2\nMEMORY_MB=4096\n")
		r.Wants("resources  VCPU=2 MEMORY_MB=4096")
		r.Press("enter", "enter", "/")
		r.Paste("cmp-002\n")
		r.Wants("/cmp-002", "cmp-002")
		r.Lacks("cmp-001")
	})
}

// TestSaysWhatItLeavesOut types and pastes more than a field takes: the form says how
// much is missing.
func TestSaysWhatItLeavesOut(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Press("up", "up", "down")
		r.Replace(strings.Repeat("A", 250))
		r.Lacks("left out")
		r.Paste("BCDEFGH")
		r.Wants("cut off 2 at the end: at most 255 characters", "ABCDEF")
		r.Type("X")
		r.Wants("cut off 1 at the end")
		r.Press("backspace")
		r.Lacks("left out")
	})
}

func TestYesNo(t *testing.T) {
	t.Parallel()
	for text, yes := range map[string]bool{"yes": true, "y": true, "no": false, "n": false, "": false} {
		f := form.NewYesNo(tuitest.Plain(), "private", "", true)
		f.Text = text
		if err := f.Check(text); err != nil || f.Yes() != yes {
			t.Errorf("%q is %v, %v", text, f.Yes(), err)
		}
	}
	if form.NewYesNo(tuitest.Plain(), "private", "", true).Check("yeah") == nil {
		t.Error("yeah is accepted")
	}
}

// TestRefusedFormHasOneFocus submits with the focus on one field and the first fault in
// another: only that one has the mark of the focus then.
func TestRefusedFormHasOneFocus(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.Press("down", "down", "ctrl+s")
		r.Wants("is required")
		if n := strings.Count(r.Text(), tuitest.Plain().Glyphs.Vertical); n != 1 {
			t.Errorf("%d fields have the mark of the focus:\n%s", n, r.Text())
		}
	})
}

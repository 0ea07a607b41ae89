package versioned_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/versioned"
)

// wood is a record with a field of every shape.
type wood struct {
	ID    [16]byte
	Name  name
	Count int64
	Notes []string
	Sizes []int64
	Trees map[name][]string
	Main  *branch
	Rest  []branch
	Kept  []byte
}

type name string

type branch struct {
	Label string
	Width *int64
	Marks map[string]string
}

func (*wood) RecordKind() versioned.Kind { return "wood" }
func (w *wood) RecordKey() []byte        { return w.ID[:] }

func aWood() *wood {
	width := int64(3)
	return &wood{
		ID: [16]byte{1}, Name: "oaks", Count: 2, Notes: []string{"old", "dense"}, Sizes: []int64{1, 2}, Trees: map[name][]string{"oak": {"a", "b"}},
		Main: &branch{Label: "main", Width: &width, Marks: map[string]string{"k": "v"}}, Rest: []branch{{Label: "left", Width: &width}, {}}, Kept: []byte("x"),
	}
}

// TestClone changes everything in a copy: the original stays as it is.
func TestClone(t *testing.T) {
	t.Parallel()
	w := aWood()
	own := versioned.Edited(w, func(own *wood) {
		if diff := cmp.Diff(w, own); diff != "" {
			t.Errorf("the copy is another (-record +copy):\n%s", diff)
		}
		own.Name, own.Notes[0], own.Sizes[0], own.Kept[0] = "", "", 0, 0
		own.Trees["oak"][0], own.Trees["elm"] = "", nil
		own.Main.Label, *own.Main.Width, own.Main.Marks["k"] = "", 0, ""
		own.Rest[0].Label, *own.Rest[0].Width = "", 0
	})
	if diff := cmp.Diff(aWood(), w); diff != "" {
		t.Errorf("the record has changed (-before +after):\n%s", diff)
	}
	if own == w || own.Name != "" {
		t.Error("it was not the copy that was edited")
	}
	if none := versioned.Clone(&wood{Notes: []string{}}); none.Notes == nil || none.Sizes != nil || none.Trees != nil || none.Main != nil {
		t.Errorf("what is empty is no longer as it was: %+v", none)
	}
}

// Texts yields every text, including the keys of maps; those that are not keys may be
// changed, and the loop may stop early.
func TestTexts(t *testing.T) {
	t.Parallel()
	w := aWood()
	var met []string
	versioned.Texts(w, func(s *string) bool {
		met = append(met, *s)
		*s += "!"
		return true
	})
	slices.Sort(met)
	if want := []string{"a", "b", "dense", "k", "left", "main", "oak", "oaks", "old", "v"}; !slices.Equal(met, want) {
		t.Errorf("met %q, want %q", met, want)
	}
	if w.Name != "oaks!" || w.Notes[1] != "dense!" || w.Main.Label != "main!" || w.Rest[0].Label != "left!" {
		t.Errorf("texts were not changed in place: %+v", w)
	}
	n := 0
	versioned.Texts(w, func(*string) bool { n++; return n < 3 })
	if n != 3 {
		t.Errorf("went on to %d texts", n)
	}
}

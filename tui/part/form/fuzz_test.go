package form_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestAnyKeys presses any keys on any of the pages while the cloud changes. The page
// always has its size, and whatever is written was on a preview when enter was pressed.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	base := demoCloud(t)
	var known []placement.ConsumerID
	for c := range base.Placement().Consumers() {
		known = append(known, c.ID())
	}
	keys := []string{
		"enter", "enter", "enter", "esc", "tab", "shift+tab", "up", "down", "pgdown", "home", "end", "backspace", "ctrl+u", "ctrl+v",
		"y", "c", "o", "b", "j", "k", "G", "g", "/", " ", "=", "r", "x", "ctrl+d", "left", "right", "delete", "alt+x", "中",
	}
	texts := []string{
		"VCPU=1", "VCPU=2 MEMORY_MB=4096 VGPU=1", "VGPU=9000", "ml-train", "release", newcomer, "cmp-001", "fits=yes", "\x1b[31m\n中\x00", "(",
	}
	steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
		st := step{
			do:  rapid.SampledFrom([]string{"key", "key", "key", "key", "paste", "fill", "accept", "accept", "resize", "change"}).Draw(rt, "do"),
			key: rapid.SampledFrom(keys).Draw(rt, "key"), text: rapid.SampledFrom(texts).Draw(rt, "text"),
			w: rapid.IntRange(1, 130).Draw(rt, "w"), h: rapid.IntRange(1, 40).Draw(rt, "h"),
			gone: rapid.SampledFrom(known).Draw(rt, "gone"), wait: rapid.Bool().Draw(rt, "wait"),
		}
		return st
	}), 1, 40)
	rapid.Check(t, func(rt *rapid.T) {
		walk, released := steps.Draw(rt, "steps"), rapid.Bool().Draw(rt, "release")
		consumer := rapid.SampledFrom(known).Draw(rt, "consumer")
		problem := ""
		tuitest.Run(t, func(t *testing.T) {
			r := open(t, tuitest.NewCloud(base), walk[0].w, walk[0].h, func(env screen.Env) screen.Screen {
				if released {
					return consumers.NewRelease(env, base, placement.ProviderID{}, consumer)
				}
				return must.Get(consumers.OpenAllocate(env, place.Allocate{}))(t)
			})
			for i, st := range walk {
				if problem = r.walk(i, st); problem != "" {
					problem = fmt.Sprintf("step %d, %+v: %s", i, st, problem)
					return
				}
			}
		})
		if problem != "" {
			rt.Fatal(problem)
		}
	})
}

// step is something that happens to a page.
type step struct {
	do, key, text string
	w, h          int
	gone          placement.ConsumerID
	wait          bool
}

// walk does a step and returns what is wrong afterwards.
func (r *rig) walk(i int, st step) string {
	status := r.Screen.(screen.Stater).Status()
	writes, mayWrite := r.Cloud.Writes, false
	switch st.do {
	case "key":
		mayWrite = st.key == "enter" && strings.Contains(status, "PREVIEW, nothing written yet")
		r.Press(st.key)
	case "accept": // as an experienced user does
		mayWrite = strings.Contains(status, "PREVIEW, nothing written yet")
		r.Press("enter")
		if mayWrite && r.Screen.(screen.Typist).Typing() {
			r.Paste("release")
			r.Press("enter")
		}
	case "paste":
		r.Paste(st.text)
	case "fill":
		if status == "step 1 of 3" {
			r.fill("VCPU=2 MEMORY_MB=4096 VGPU=1")
		}
	case "resize":
		r.Resize(st.w, st.h)
	case "change":
		ops := []placement.Op{placement.CreateTrait{Name: placement.Trait(fmt.Sprintf("CUSTOM_T%d", i))}}
		if _, ok := r.Cloud.Snapshot().Placement().Consumer(st.gone); ok {
			ops = append(ops, placement.DeleteAllocations{Consumer: st.gone})
		}
		if err := r.Cloud.Do(ops...); err != nil {
			r.T.Fatal(err)
		}
		r.Send(screen.SnapshotMsg{Snapshot: r.Cloud.Snapshot()})
		if st.wait {
			r.Advance(time.Second)
		}
	}
	r.Screen.Actions()
	r.Screen.(screen.Pending).Pending()
	if r.Cloud.Writes > writes && !mayWrite {
		return "it wrote, at " + status
	}
	w, h := r.Size()
	if p := tuitest.FrameProblem(r.Frame(), w, h); p != "" {
		return p + "\n" + r.Text()
	}
	return ""
}

// FuzzFields gives any text to the fields and the filter of the list.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{"VCPU=2 MEMORY_MB=4096", "VCPU=", ",,,=1", "vcpu:2", "cmp-0", "\x1b[31m", "fits=yes | !(", "中=1"} {
		f.Add(seed)
	}
	base := demoCloud(f)
	f.Fuzz(func(t *testing.T, text string) {
		tuitest.Run(t, func(t *testing.T) {
			r := open(t, tuitest.NewCloud(base), 80, 20, func(env screen.Env) screen.Screen {
				return must.Get(consumers.OpenAllocate(env, place.Allocate{}))(t)
			})
			for range 6 {
				r.Paste(text)
				r.Text()
				r.Press("tab", "down")
				r.Text()
			}
			r.Press("up", "up", "up", "up")
			r.fill("VCPU=1")
			r.Paste(text)
			r.Press("enter")
			r.Text()
			r.Wrote(0)
		})
	})
}

package providers

import (
	"fmt"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// BenchmarkScreen is the screen at 160x44 on 100,000 providers. Work off the event loop
// is part of each figure.
func BenchmarkScreen(b *testing.B) {
	cloud := tuitest.Big(b, modeltest.Size{Hosts: 25_000, Traits: 42, Cards: 3, Servers: 5})
	st := tuitest.Styles(termenv.TrueColor, style.Block())
	open := func(filter string) *tuitest.Host {
		return tuitest.Open(b, cloud, New(tuitest.Env(cloud, st), cloud.Snapshot(), filter))
	}
	next := make([]screen.SnapshotMsg, 2)
	for i := range next {
		next[i].Snapshot = cloud.Snapshot()
		claim := modeltest.Claim(fmt.Sprint("bench", i), nil)
		for p := range cloud.Snapshot().Placement().Roots() {
			claim.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{p.ID(): {placement.VCPU: 1}}
			break
		}
		must.Succeed(b, cloud.Do(modeltest.Allocate(claim)))
	}
	view := func(h *tuitest.Host) { h.Screen.View(160, 44) }

	b.Run("View", func(b *testing.B) {
		h := open("")
		view(h)
		b.ReportAllocs()
		for b.Loop() {
			view(h)
		}
	})
	b.Run("key j", func(b *testing.B) {
		h := open("")
		view(h)
		b.ReportAllocs()
		for b.Loop() {
			h.Press("j")
			view(h)
		}
	})
	b.Run("key j, all columns", func(b *testing.B) {
		h := open("")
		h.Command("wide")
		view(h)
		b.ReportAllocs()
		for b.Loop() {
			h.Press("j")
			view(h)
		}
	})
	b.Run("claims changed", func(b *testing.B) {
		h := open("")
		h.Manual = true // a frame does not wait for the audit
		view(h)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			h.Send(next[i%2])
			view(h)
		}
	})
	b.Run("fold", func(b *testing.B) {
		h := open("")
		view(h)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			h.Press([]string{"h", "l"}[i%2])
			view(h)
		}
	})
	for _, test := range []struct{ name, first, key string }{
		{"filter key, text", "compute-0123", "4"},
		{"filter key, regex", "00.*4[01].*", "0"},
		{"filter key, field", "owner=cyborg free>1", "0"},
		{"filter key, traits", "trait:VULKA", "N"},
	} {
		b.Run(test.name, func(b *testing.B) {
			h := open(test.first)
			h.Press("/")
			view(h)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				h.Press([]string{test.key, "backspace"}[i%2])
				view(h)
			}
		})
	}
	for _, test := range []struct {
		name string
		keys []string
	}{{"sort by use", []string{}}, {"flat", []string{"`"}}, {"all of it", nil}} {
		b.Run("build, "+test.name, func(b *testing.B) {
			h := open("")
			if h.Press(test.keys...); test.keys != nil {
				h.Sort("used%")
			}
			b.ReportAllocs()
			for b.Loop() {
				cmd := func() tea.Cmd { return h.Screen.(*Screen).Learn("used%") }
				if test.keys == nil {
					cmd = h.Screen.(*Screen).Remake
				}
				h.Send(cmd()())
			}
		})
	}
}

package component_test

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

func plain(t testing.TB, g style.Glyphs) *style.Styles {
	t.Helper()
	p := must.Get(themes.Load(nil, ""))(t)
	return style.NewPlain(p, g)
}

// newLoad returns the load of one inventory. The capacity is rounded down, as
// Placement does.
func newLoad(total, reserved int64, ratio float64, used int64) component.Load {
	c := math.Floor(float64(total-reserved) * ratio)
	return component.Load{Total: total, Reserved: reserved, Capacity: int64(c), Used: used}
}

func bar(st *style.Styles, w int, a component.Load) string {
	return component.Bar(component.NewLine(st, w), w, a).String()
}

func TestBarShowsLoad(t *testing.T) {
	t.Parallel()
	vcpu := component.Load{Total: 24000, Reserved: 960, Capacity: 92160, Used: 48212}
	for _, c := range []struct {
		name string
		load component.Load
		want string
	}{
		{"7 of 16", newLoad(16, 0, 1, 7), "████████▊░░░░░░░░░░░"},
		{"half of it held by moves", component.Load{Total: 16, Capacity: 16, Used: 8, Held: 4}, "█████▒▒▒▒▒░░░░░░░░░░"},
		{"hardly held by moves", component.Load{Total: 1600, Capacity: 1600, Used: 1599, Held: 1}, "██████████████████▒▉"},
		{"held beyond the physical end", component.Load{Total: 8, Capacity: 16, Used: 12, Held: 4}, "██████████|▒▒▒▒░░░░░"},
		{"of both owners", component.Load{Total: 16, Capacity: 16, Used: 7, Token: themes.OwnerBoth}, "▚▚▚▚▚▚▚▚▚░░░░░░░░░░░"},
		{"of both owners, hardly used", component.Load{Total: 16, Reserved: 1, Capacity: 15, Used: 1, Token: themes.OwnerBoth}, "▚░░░░░░░░░░░░░░░░░░/"},
		{"2 reserved", newLoad(16, 2, 1, 7), "█████████░░░░░░░░░//"},
		{"ratio 4", newLoad(64, 4, 4, 80), "████|█▍░░░░░░░░░░░░/"},
		{"nearly full", newLoad(1600, 0, 1, 1599), "███████████████████▉"},
		{"over capacity", newLoad(16, 0, 1, 17), "███████████████████»"},
		{"full", newLoad(16, 0, 1, 16), "████████████████████"},
		{"empty", newLoad(32, 0, 1, 0), "░░░░░░░░░░░░░░░░░░░░"},
		{"tree of a host", newLoad(32, 0, 1, 26), "█████████████▊░░░"},
		{"almost all of a half", newLoad(16, 0, 1, 12), "████████████▊░░░░"},
		{"reserved one of eight", newLoad(8, 1, 1, 4), "████████▋░░░░░░//"},
		{"over-committed card", newLoad(16, 2, 4, 40), "████|██████▍░░░░/"},
		{"before the physical end", newLoad(16, 2, 4, 12), "███▋|░░░░░░░░░░░░/"},
		{"cloud VCPU", vcpu, "██████|██████▏░░░░░░░░░░░/"},
		{"cloud VCPU, wide", vcpu, "███████|███████▏░░░░░░░░░░░░░/"},
		{"cloud VCPU, small", vcpu, "██|█▊░░░░/"},
		{"cloud VGPU", newLoad(2112, 64, 1, 1842), "██████████████████████▌░░/"},
		{"frame buffer", newLoad(81920, 4096, 1, 36864), "█████▋░░░░░░/"},
		{"ratio below one withholds", newLoad(16, 0, 0.5, 4), "█████░░░░░//////////"},
		{"all reserved", newLoad(8, 8, 1, 0), "////"},
		{"total under reserved, in use", newLoad(4, 8, 1, 2), "███»"},
		{"no inventory", component.Load{}, "░░░░"},
		{"physical end kept off the start", newLoad(1, 0, 100, 1), "▏|░░░░░░"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st := plain(t, style.Block())
			if got := bar(st, len([]rune(c.want)), c.load); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLoadsOfOneOwnerKeepItsColour adds loads of owners up.
func TestLoadsOfOneOwnerKeepItsColour(t *testing.T) {
	t.Parallel()
	of := func(token themes.Token) component.Load {
		return component.Load{Total: 8, Capacity: 8, Used: 1, Token: token}
	}
	var none component.Load
	for _, c := range []struct {
		a, b component.Load
		want themes.Token
	}{
		{none, of(themes.OwnerNova), themes.OwnerNova},
		{of(themes.OwnerNova), none, themes.OwnerNova},
		{of(themes.OwnerNova), of(themes.OwnerNova), themes.OwnerNova},
		{of(themes.OwnerNova), of(themes.OwnerCyborg), themes.Blank},
		{of(themes.Blank), of(themes.OwnerCyborg), themes.Blank},
	} {
		if got := c.a.Add(c.b).Token; got != c.want {
			t.Errorf("%v and %v are drawn in %v, want %v", c.a.Token, c.b.Token, got, c.want)
		}
	}
}

func TestBarInOtherGlyphs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		glyphs style.Glyphs
		load   component.Load
		want   string
	}{
		{"braille", style.Braille(), newLoad(8, 1, 1, 4), "⣿⣿⣿⣿⣿⣿⣿⣿⣇⠤⠤⠤⠤⠤⠤//"},
		{"braille over-commit", style.Braille(), newLoad(16, 2, 4, 40), "⣿⣿⣿⣿|⣿⣿⣿⣿⣿⣿⡆⠤⠤⠤⠤/"},
		{"braille over", style.Braille(), newLoad(8, 0, 1, 9), "⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿»"},
		{"braille empty", style.Braille(), newLoad(32, 0, 1, 0), "⠤⠤⠤⠤⠤⠤⠤⠤"},
		{"ascii", style.ASCII(), newLoad(8, 1, 1, 4), "########:......//"},
		{"ascii under half a cell", style.ASCII(), newLoad(56, 0, 1, 40), "############....."},
		{"ascii over-commit", style.ASCII(), newLoad(16, 2, 4, 40), "####|######...../"},
		{"ascii over", style.ASCII(), newLoad(8, 0, 1, 9), "################>"},
		{"ascii least use", style.ASCII(), newLoad(1000, 0, 1, 1), ":..."},
		{"ascii nearly full", style.ASCII(), newLoad(1000, 0, 1, 999), "###:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := bar(plain(t, c.glyphs), len([]rune(c.want)), c.load); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func drawLoad(t *rapid.T) component.Load {
	total := rapid.Int64Range(0, 1<<40).Draw(t, "total")
	return newLoad(total,
		rapid.Int64Range(0, total+5).Draw(t, "reserved"),
		rapid.SampledFrom([]float64{0.01, 0.5, 0.9, 1, 1.0001, 1.5, 4, 16, 999}).Draw(t, "ratio"),
		rapid.Int64Range(0, 1<<41).Draw(t, "used"))
}

func drawGlyphs(t *rapid.T) style.Glyphs {
	return rapid.SampledFrom([]style.Glyphs{style.Block(), style.Braille(), style.ASCII()}).Draw(t, "glyphs")
}

func TestBarIsAlwaysAsWideAsAsked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := rapid.IntRange(0, 80).Draw(rt, "w")
		got := bar(plain(t, drawGlyphs(rt)), w, drawLoad(rt))
		if n := ansi.StringWidth(got); n != w {
			rt.Fatalf("%d cells, want %d: %q", n, w, got)
		}
	})
}

func TestBarIsFullOnlyWhenAllIsUsed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGlyphs(rt)
		a := drawLoad(rt)
		if rapid.Bool().Draw(rt, "near") {
			a.Used = max(0, a.Capacity+rapid.Int64Range(-2, 1).Draw(rt, "off"))
		}
		if a.Capacity <= 0 {
			return
		}
		got := strings.TrimRight(bar(plain(t, g), rapid.IntRange(2, 60).Draw(rt, "w"), a), "/")
		rest := strings.NewReplacer(g.Bar[8], "", g.Physical, "", g.Over, "").Replace(got)
		if full := rest == ""; full != (a.Used >= a.Capacity) {
			rt.Fatalf("%+v drawn %q", a, got)
		}
		if a.Used > 0 && strings.HasPrefix(got, g.Bar[0]) {
			rt.Fatalf("use does not show: %+v drawn %q", a, got)
		}
	})
}

func TestBarGrowsWithUse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		st := plain(t, style.Block())
		a := drawLoad(rt)
		if a.Capacity <= 0 {
			return
		}
		w := rapid.IntRange(1, 60).Draw(rt, "w")
		b := a
		b.Used += rapid.Int64Range(0, 1<<30).Draw(rt, "more")
		if fill(bar(st, w, a)) > fill(bar(st, w, b)) {
			rt.Fatalf("%q for %d, %q for %d", bar(st, w, a), a.Used, bar(st, w, b), b.Used)
		}
	})
}

// fill counts the drawn eighths.
func fill(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r == '»':
			n += 9
		case r >= '█' && r <= '▏':
			n += 8 - int(r-'█')
		}
	}
	return n
}

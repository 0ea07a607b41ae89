package terminal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/terminal"
	"github.com/placetop/placetop/tui/tuitest"
)

// drawAll returns the cells of a terminal that shows only the last frame.
func drawAll(text string, width, height int) []string {
	e := tuitest.NewEmulator(width, height)
	defer e.Close()
	for y, line := range strings.Split(text, "\n") {
		if y == height {
			break
		}
		fmt.Fprintf(e, "\x1b[%dH\x1b[m%s", y+1, ansi.Truncate(line, width, ""))
	}
	return cells(e)
}

// cells returns each row of a screen as text with styles, each look always written the
// same way, so that two screens can be compared.
func cells(e *tuitest.Emulator) (rows []string) {
	e.Look(func(e *vt.Emulator) { rows = cellsOf(e) })
	return rows
}

func cellsOf(e *vt.Emulator) []string {
	rows := make([]string, e.Height())
	for y := range rows {
		var row strings.Builder
		for x := 0; x < e.Width(); x++ {
			cell := e.CellAt(x, y)
			switch {
			case cell == nil:
				row.WriteString("| ")
			case (cell.Content == "" || cell.Content == " ") && cell.Width == 1:
				blank := blankStyle(cell.Style)
				row.WriteString("|" + blank.String() + " ")
			default:
				row.WriteString("|" + cell.Style.String() + cell.Content)
			}
		}
		rows[y] = row.String()
	}
	return rows
}

// blankStyle returns the part of a style that shows on blanks.
func blankStyle(s uv.Style) uv.Style {
	if s.Underline != uv.UnderlineNone || s.Attrs&(uv.AttrReverse|uv.AttrStrikethrough) != 0 {
		return s
	}
	return uv.Style{Bg: s.Bg}
}

// genLine generates lines as screens do, and worse: unclosed styles, wide and joined
// characters, blanks with a background.
func genLine(width int) *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{
		"a", "b", " ", "   ", "        ", "x=1", "█", "░", "▏", "│", "✗", "⬢", "é", "e\u0301", "漢", "字", "👍🏽", "ß",
		"\x1b[31m", "\x1b[1;38;5;12m", "\x1b[48;2;10;20;30m", "\x1b[m", "\x1b[0m", "\x1b[7m", "\x1b[39m",
		"\x1b[2m", "\x1b[22m", "\x1b[4;9m", "\x1b[24;27m", "\x1b[0;38;5;1;1m", "\x1b[58;5;3m", "\x1b[4:3m", "\x1b[38m", "\x1b[48;2;1m", "\x1b[97;101m",
	})
	return rapid.Custom(func(t *rapid.T) string {
		line := strings.Join(rapid.SliceOfN(pieces, 0, 14).Draw(t, "pieces"), "")
		line = ansi.Truncate(line, width, "")
		if rapid.Bool().Draw(t, "pad") {
			line += strings.Repeat(" ", width-ansi.StringWidth(line))
		}
		return line
	})
}

func genFrame(width, height int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, height+1).Draw(t, "lines")
		return strings.Join(rapid.SliceOfN(genLine(width), n, n).Draw(t, "frame"), "\n")
	})
}

// genNext generates the next frame: another one, the same except for a line, or one in
// which rows have moved, as in a list, beside others that have not.
func genNext(t *rapid.T, text string, width, height int) string {
	lines := strings.Split(text, "\n")
	line := func() string { return genLine(width).Draw(t, "line") }
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0:
		return genFrame(width, height).Draw(t, "next")
	case 1:
		lines[rapid.IntRange(0, len(lines)-1).Draw(t, "row")] = line()
	default:
		top := rapid.IntRange(0, len(lines)-1).Draw(t, "top")
		bottom := rapid.IntRange(top, len(lines)).Draw(t, "bottom")
		part := slices.Clone(lines[top:bottom])
		for range min(rapid.IntRange(1, 3).Draw(t, "by"), len(part)) {
			if rapid.Bool().Draw(t, "up") {
				part = append(part[1:], line())
			} else {
				part = append([]string{line()}, part[:len(part)-1]...)
			}
		}
		copy(lines[top:bottom], part)
		if len(part) > 0 && rapid.Bool().Draw(t, "mark") {
			part[0] = line()
		}
	}
	return strings.Join(lines, "\n")
}

// TestScreenShowsTheFrame replays what a screen writes for random frames, often similar
// ones, on terminals with different abilities, and compares the result with the last
// frame drawn alone.
func TestScreenShowsTheFrame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
		e := tuitest.NewEmulator(width, height)
		defer e.Close()
		screen := terminal.NewEncoder(terminal.ScreenOptions{Sync: rapid.Bool().Draw(t, "sync"), VT100: rapid.Bool().Draw(t, "vt100")})
		text := genFrame(width, height).Draw(t, "first")
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			_, _ = e.Write(screen.Encode(text, width, height))
			text = genNext(t, text, width, height)
		}
		_, _ = e.Write(screen.Encode(text, width, height))
		if diff := cmp.Diff(drawAll(text, width, height), cells(e)); diff != "" {
			t.Fatalf("the terminal differs from the frame (-want +got):\n%s", diff)
		}
	})
}

func TestScreenWritesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	const width, height = 80, 24
	pad := func(s string) string { return s + strings.Repeat(" ", width-ansi.StringWidth(s)) }
	lines := make([]string, height)
	for i := range lines {
		lines[i] = pad(fmt.Sprintf("  row %d \x1b[32m████████\x1b[m 9/8", i))
	}
	frame := func() string { return strings.Join(lines, "\n") }
	enc := terminal.NewEncoder(terminal.ScreenOptions{Sync: true})
	first := enc.Encode(frame(), width, height)
	if len(first) > height*(len("  row 00 9/8")+8*len("█")+40) {
		t.Errorf("the first frame takes %d bytes", len(first))
	}
	if got := enc.Encode(frame(), width, height); len(got) != 0 {
		t.Errorf("an unchanged frame writes %q", got)
	}
	lines[3] = pad("  row 3 \x1b[32m████████\x1b[m 7/8")
	got := enc.Encode(frame(), width, height)
	if want := "\x1b[?2026h\x1b[4;18H7\x1b[?2026l"; string(got) != want {
		t.Errorf("a changed number writes %q, want %q", got, want)
	}
	lines[4] = "> row 4" + lines[4][len("  row 4"):]
	got = enc.Encode(frame(), width, height)
	if want := "\x1b[?2026h\x1b[5H>\x1b[?2026l"; string(got) != want {
		t.Errorf("a moved cursor writes %q, want %q", got, want)
	}
	lines[5] = pad("\x1b[32maa\x1b[m \x1b[32mbb\x1b[m")
	lines[6] = pad("\x1b[32mcc\x1b[m \x1b[1;32mdd\x1b[m")
	got = enc.Encode(frame(), width, height)
	if want := "\x1b[?2026h\x1b[6H\x1b[32maa bb\x1b[K\n\rcc \x1b[1mdd\x1b[K\x1b[m\x1b[?2026l"; string(got) != want {
		t.Errorf("words of one colour write %q, want %q", got, want)
	}
}

// TestScreenOnATerminalWithOtherWidths has a terminal draw a character in fewer or more
// cells than it has here: what follows is in its column, and nothing old is left.
func TestScreenOnATerminalWithOtherWidths(t *testing.T) {
	t.Parallel()
	for drawn, want := range map[string]string{"x": "a x-1   b c│", "xx": "a xx-1  b c│", "xxx": "a xxx-1 b c│", "xxxxx": "a xxxxx-b c│"} {
		e := tuitest.NewEmulator(12, 1)
		enc := terminal.NewEncoder(terminal.ScreenOptions{})
		for _, frame := range []string{"0123456789", "a 漢-1  b c│"} {
			_, _ = e.Write(bytes.ReplaceAll(enc.Encode(frame, 12, 1), []byte("漢"), []byte(drawn)))
		}
		must.Be(t, e.Lines()[0], want)
		must.Succeed(t, e.Close())
	}
}

// TestScreenAfterAResize makes a terminal smaller and larger again before anything is
// drawn: what was cut off is redrawn.
func TestScreenAfterAResize(t *testing.T) {
	t.Parallel()
	e := tuitest.NewEmulator(10, 2)
	defer e.Close()
	screen := terminal.NewScreen(e, terminal.ScreenOptions{Clock: time.Now})
	defer screen.Close()
	screen.Enter()
	screen.Draw("0123456789\nabcdefghij", 10, 2)
	e.Await(t, "the first frame", func(lines []string) bool { return lines[1] == "abcdefghij" })
	e.Resize(5, 1)
	e.Resize(10, 2)
	screen.Resized()
	screen.Draw("0123456789\nabcdefghij", 10, 2)
	e.Await(t, "the frame again", func(lines []string) bool { return lines[0] == "0123456789" && lines[1] == "abcdefghij" })
}

// TestScreenWaitsForTheTerminal has the newest frame drawn once the terminal has room,
// and the terminal restored at once, with room or without.
func TestScreenWaitsForTheTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		room := make(chan struct{}, 1)
		screen := terminal.NewScreen(&out, terminal.ScreenOptions{Clock: time.Now, Pace: func(quit <-chan struct{}) {
			select {
			case <-room:
			case <-quit:
			}
		}})
		screen.Enter()
		for i := range 10 {
			screen.Draw(fmt.Sprintf("frame %d", i), 20, 1)
			time.Sleep(time.Second)
		}
		room <- struct{}{}
		synctest.Wait()
		if got := out.String(); !strings.Contains(got, "frame 9") || strings.Contains(got, "frame 8") {
			t.Errorf("%q was written, want the newest frame alone", got)
		}
		screen.Draw("no room", 20, 1)
		synctest.Wait()
		began := time.Now()
		if err := screen.Close(); err != nil || time.Since(began) > 0 {
			t.Errorf("Close() = %v after %s", err, time.Since(began))
		}
		if !strings.HasSuffix(out.String(), "\x1b[?1049l\x1b[?25h") {
			t.Errorf("the terminal is not given back: %q", out.String())
		}
	})
}

// slow is a terminal that takes nothing until released.
type slow struct {
	bytes.Buffer
	gate chan struct{}
}

func (s *slow) Write(p []byte) (int, error) {
	<-s.gate
	return s.Buffer.Write(p)
}

// frames counts the frames in what was written with Sync.
func frames(written []byte) int { return bytes.Count(written, []byte("\x1b[?2026h")) }

func TestScreenNeverBlocksOnASlowTerminal(t *testing.T) {
	t.Parallel()
	var written []byte
	synctest.Test(t, func(t *testing.T) {
		out := &slow{gate: make(chan struct{})}
		screen := terminal.NewScreen(out, terminal.ScreenOptions{Sync: true, Clock: time.Now})
		screen.Enter()
		for i := range 1000 {
			screen.Draw(fmt.Sprintf("frame %d", i), 20, 1)
		}
		synctest.Wait()
		close(out.gate)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := frames(out.Bytes()); got > 2 {
			t.Errorf("%d frames were drawn, want only the one under way and the newest", got)
		}
		written = bytes.Clone(out.Bytes())
		if err := screen.Close(); err != nil {
			t.Error(err)
		}
	})
	// Only the differences are written: the terminal combines them.
	e := tuitest.NewEmulator(20, 1)
	defer func() { _ = e.Close() }()
	must.Get(e.Write(written))(t)
	if got := e.Lines()[0]; got != "frame 999" {
		t.Errorf("the terminal shows %q, want the newest frame", got)
	}
}

func TestScreenGivesUpOnADeadTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &slow{gate: make(chan struct{})}
		screen := terminal.NewScreen(out, terminal.ScreenOptions{Clock: time.Now})
		screen.Enter()
		screen.Draw("hello", 5, 1)
		synctest.Wait()
		must.Fail(t, screen.Close(), terminal.ErrStuck)
		close(out.gate)
	})
}

func TestScreenKeepsToTheFrameRateAndSleeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		screen := terminal.NewScreen(&out, terminal.ScreenOptions{Sync: true, Clock: time.Now})
		defer screen.Close()
		screen.Enter()
		for i := range 10_000 { // for one second
			screen.Draw(fmt.Sprintf("frame %d", i), 20, 1)
			time.Sleep(100 * time.Microsecond)
		}
		synctest.Wait()
		if got := frames(out.Bytes()); got < 100 || got > 121 {
			t.Errorf("%d frames in a second, want about 120", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		before := out.Len()
		for range 100 {
			screen.Draw("frame 9999", 20, 1)
			time.Sleep(time.Minute)
		}
		if after := out.Len(); after != before {
			t.Errorf("an idle screen wrote %d bytes", after-before)
		}
		e := tuitest.NewEmulator(20, 1)
		defer e.Close()
		_, _ = e.Write(out.Bytes())
		must.Match(t, drawAll("frame 9999", 20, 1), cells(e))
	})
}

func TestScreenKeepsSequencesOutOfFrames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		screen := terminal.NewScreen(&out, terminal.ScreenOptions{Sync: true, Clock: time.Now})
		screen.Enter()
		for i := range 200 {
			go screen.Draw(strings.Repeat(fmt.Sprint(i%10), 40), 40, 1)
			go screen.Title(fmt.Sprintf("title\x1b]0;evil\x07 %d", i))
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		must.Succeed(t, screen.Close())
		rest := out.String()
		for {
			_, after, found := strings.Cut(rest, "\x1b[?2026h")
			if !found {
				break
			}
			body, after, found := strings.Cut(after, "\x1b[?2026l")
			if !found {
				t.Fatal("a frame does not end")
			}
			if strings.ContainsAny(body, "\a") || strings.Contains(body, "\x1b]") {
				t.Fatalf("a frame holds %q", body)
			}
			rest = after
		}
		if strings.Contains(out.String(), "\x1b]0;evil") {
			t.Error("a title may set a sequence of its own")
		}
	})
}

func TestScreenReportsAFailedWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("gone")
		var reported []error
		screen := terminal.NewScreen(failing{broken}, terminal.ScreenOptions{
			Clock:  time.Now,
			Failed: func(err error) { reported = append(reported, err) },
		})
		screen.Enter()
		synctest.Wait()
		screen.Draw("x", 1, 1)
		must.Fail(t, screen.Close(), broken)
		if len(reported) != 1 {
			t.Errorf("reported %v", reported)
		}
	})
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestScreenLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	e := tuitest.NewEmulator(20, 4)
	defer e.Close()
	fmt.Fprint(e, "$ placetop")
	screen := terminal.NewScreen(e, terminal.ScreenOptions{Sync: true, Focus: true, Clock: time.Now})
	screen.Mouse(true)
	screen.Enter()
	screen.Draw("\x1b[31mred", 20, 4)
	screen.Title("cloud")
	for range 2 {
		must.Succeed(t, screen.Leave())
		if e.Mode(ansi.ModeAltScreenSaveCursor) || !e.Mode(ansi.ModeTextCursorEnable) || !e.Mode(ansi.ModeAutoWrap) || e.Mode(ansi.ModeBracketedPaste) ||
			e.Mode(ansi.ModeFocusEvent) || e.Mode(ansi.ModeMouseButtonEvent) || e.Mode(ansi.ModeMouseExtSgr) {
			t.Error("the terminal was left with modes of ours")
		}
		must.Be(t, e.Lines()[0], "$ placetop")
		screen.Enter()
	}
	must.Succeed(t, screen.Close())
	if e.Mode(ansi.ModeAltScreenSaveCursor) || !e.Mode(ansi.ModeTextCursorEnable) {
		t.Error("Close did not restore the screen")
	}
}

// TestScreenAfterACrashedProgram draws and reads keys as on a new terminal, whatever
// another program left switched on.
func TestScreenAfterACrashedProgram(t *testing.T) {
	t.Parallel()
	e := tuitest.NewEmulator(20, 4)
	defer e.Close()
	reported := []ansi.Mode{
		ansi.ModeMouseX10, ansi.ModeMouseNormal, ansi.ModeMouseHighlight, ansi.ModeMouseButtonEvent, ansi.ModeMouseAnyEvent,
		ansi.ModeMouseExtUtf8, ansi.ModeMouseExtSgr, ansi.ModeMouseExtUrxvt, ansi.ModeMouseExtSgrPixel,
		ansi.ModeCursorKeys, ansi.ModeNumericKeypad, ansi.ModeInsertReplace, ansi.ModeOrigin, ansi.ModeLineFeedNewLine,
		ansi.ModeLeftRightMargin, ansi.ModeInBandResize, ansi.ModeLightDark, ansi.ModeWin32Input, ansi.ModeFocusEvent, ansi.DECMode(5),
	}
	fmt.Fprint(e, "\x1b[2;3r\x1b(0\x1b)0\x0e\x1b[7m", ansi.SetMode(reported...), "\x1b=\x1b[>4;2m\x1b[>31u")
	screen := terminal.NewScreen(e, terminal.ScreenOptions{Focus: true, Clock: time.Now})
	screen.Enter()
	screen.Draw("one\ntwo\nlqqk\nfour", 20, 4)
	must.Succeed(t, screen.Close())
	for _, mode := range reported {
		if e.Mode(mode) {
			t.Errorf("mode %v is still set", mode)
		}
	}
	if raw := e.Raw(); !strings.Contains(raw, "\x1b>") || !strings.Contains(raw, "\x1b[>4;0m") || !strings.Contains(raw, "\x1b[=0u") {
		t.Errorf("the keys of applications are still on: %q", raw)
	}
	e = tuitest.NewEmulator(20, 4)
	defer e.Close()
	fmt.Fprint(e, "\x1b[2;3r\x1b[?6h\x1b[4h\x1b(0\x0e\x1b[7m")
	screen = terminal.NewScreen(e, terminal.ScreenOptions{Focus: true, Clock: time.Now})
	screen.Enter()
	screen.Draw("one\ntwo\nlqqk\nfour", 20, 4)
	e.Await(t, "the frame as it was drawn", func(lines []string) bool {
		return slices.Equal(lines, []string{"one", "two", "lqqk", "four"})
	})
	must.Succeed(t, screen.Close())
}

// TestSizes survives windows of no size, as a serial console reports it (tcell 327,
// zfsbootmenu 213, bubbletea 1718), and of any size (i3 3241).
func TestSizes(t *testing.T) {
	t.Parallel()
	usual := terminal.UsualSize()
	for _, test := range [][3]terminal.Size{
		{{}, usual, {80, 24}},
		{{}, {132, 43}, {132, 43}},
		{{100, 0}, usual, {100, 24}},
		{{0, 50}, usual, {80, 50}},
		{{65535, 65535}, usual, {1000, 500}},
		{{}, {99999, 99999}, {1000, 500}},
		{{-1, 7}, usual, {80, 7}},
		{{1, 1}, usual, {1, 1}},
	} {
		if got := test[0].Known(test[1]); got != test[2] {
			t.Errorf("%v, else %v, is %v, want %v", test[0], test[1], got, test[2])
		}
	}
	for _, size := range [][2]int{{0, 0}, {65535, 65535}} {
		p := tuitest.OpenPTY(t, 80, 24)
		must.Succeed(t, unix.IoctlSetWinsize(int(p.TTY.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(size[0]), Row: uint16(size[1])}))
		tty := must.Get(terminal.NewTTY(p.TTY, p.TTY))(t)
		got := must.Get(tty.Size())(t)
		if want := (terminal.Size{Width: size[0], Height: size[1]}).Known(usual); got != want {
			t.Errorf("a window of %v is %v, want %v", size, got, want)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	const width, height = 160, 48
	frames := make([]string, 2)
	for i := range frames {
		lines := make([]string, height)
		for y := range lines {
			mark := "  "
			if y == 10+i {
				mark = "> "
			}
			lines[y] = mark + strings.Repeat("\x1b[38;2;1;2;3mcell \x1b[m ████░░ ", 12)
			lines[y] = ansi.Truncate(lines[y], width, "")
		}
		frames[i] = strings.Join(lines, "\n")
	}
	enc := terminal.NewEncoder(terminal.ScreenOptions{Sync: true})
	enc.Encode(frames[1], width, height)
	b.ReportAllocs()
	n := 0
	for i := range b.N {
		n = len(enc.Encode(frames[i%2], width, height))
	}
	b.ReportMetric(float64(n), "bytes/frame")
}

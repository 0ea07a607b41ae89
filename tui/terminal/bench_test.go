package terminal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/placetop/placetop/tui/terminal"
)

// listFrame is a coloured list as the dashboard draws it: top is its first row, cursor
// the marked row on the screen.
func listFrame(width, height, top, cursor int) string {
	var lines []string
	for y := range height {
		mark := ""
		if y == cursor {
			mark = ";48;2;60;60;90"
		}
		n := top + y
		line := fmt.Sprintf("\x1b[38;2;200;200;200%sm cmp-%05d_pci_0000_41_00_0 \x1b[38;2;120;180;120%sm%7d/%-7d \x1b[38;2;90;140;220%sm", mark, n, mark, n*7%97, 97, mark)
		line += strings.Repeat("#", n%23) + strings.Repeat(".", 23-n%23) + " OWNER_NOVA HW_PCI "
		lines = append(lines, line+strings.Repeat(" ", width-77)+"\x1b[m")
	}
	return strings.Join(lines, "\n")
}

// BenchmarkFrames compares drawing a frame of 160x48 here with the renderer of
// ultraviolet: CPU time of a frame, and bytes sent to the terminal.
func BenchmarkFrames(b *testing.B) {
	const w, h = 160, 48
	moves := map[string]func(i int) string{
		"cursor": func(i int) string { return listFrame(w, h, 0, i%40+2) },
		"scroll": func(i int) string { return listFrame(w, h, i%500, 20) },
		"same":   func(int) string { return listFrame(w, h, 0, 3) },
	}
	for name, frame := range moves {
		frames := make([]string, 500)
		for i := range frames {
			frames[i] = frame(i)
		}
		b.Run(name+"/ours", func(b *testing.B) {
			e := terminal.NewEncoder(terminal.ScreenOptions{})
			e.Encode(frames[0], w, h)
			n, i := 0, 0
			for b.Loop() {
				i++
				n += len(e.Encode(frames[i%500], w, h))
			}
			b.ReportMetric(float64(n)/float64(b.N), "bytes/frame")
		})
		b.Run(name+"/ultraviolet", func(b *testing.B) {
			var out bytes.Buffer
			r := uv.NewTerminalRenderer(&out, []string{"TERM=xterm-256color", "COLORTERM=truecolor", "TTY_FORCE=1"}) // else a buffer gets no colours
			r.SetFullscreen(true)
			r.SetScrollOptim(true)
			buf := uv.NewScreenBuffer(w, h)
			draw := func(text string) {
				uv.NewStyledString(text).Draw(buf, buf.Bounds())
				r.Render(buf.RenderBuffer)
				_ = r.Flush()
			}
			r.Resize(w, h)
			draw(frames[0])
			n, i := 0, 0
			for b.Loop() {
				i++
				out.Reset()
				draw(frames[i%500])
				n += out.Len()
			}
			b.ReportMetric(float64(n)/float64(b.N), "bytes/frame")
		})
	}
}

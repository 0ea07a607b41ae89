package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/tuitest"
)

var pictures = flag.Bool("pictures", false, "take the pictures of the README anew")

// TestPictures runs the dashboard on a terminal of its own, on the demo cloud at a fixed
// time, and compares the screens with the pictures in the README. -pictures makes them
// again.
func TestPictures(t *testing.T) {
	t.Parallel()
	toCard := []string{"2", strings.Repeat("j", 21)}
	for _, tt := range []struct {
		name          string
		width, height int
		keys          []string
		until         []string
	}{
		{"pulses", 160, 48, nil, []string{"PROBLEMS 25", "1 pending  ✗5 !15", "nvme.1 ", "fpga.1 ", "gpu.whole.1 ", "pci.t4.1 ", "qat.1 ", "pin.large ", "gpu.both ", "cpu.small                290"}},
		{"pulses-80x24", 80, 24, nil, []string{"PROBLEMS 25", "1 pending  ✗5 !15"}},
		{"providers", 160, 48, toCard, []string{"in cmp-007 > numa0", "a02", "✗5 !15"}},
		{"providers-80x24", 80, 24, toCard, []string{"VGPU 9/8 used", "✗5 !15"}},
		{"provider-80x24", 80, 24, append(toCard, "\r"), []string{"INVENTORY", "a02", "✗5 !15"}},
		{
			"what-if", 160, 48,
			[]string{"4", "e", "\x15", "resources=VCPU:8,VGPU:4&required=HW_GPU_API_VULKAN", "\r"},
			[]string{"WAYS OUT", "needs 4 VGPU", "f fits", "✗5 !15"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			term := showDemo(t, tt.width, tt.height)
			term.WaitForText("CAPACITY")
			answered := func(until ...string) func([]string) bool {
				return func(lines []string) bool {
					shows := strings.Join(lines, "\n")
					for _, text := range until {
						if !strings.Contains(shows, text) {
							return false
						}
					}
					// The answer shown may be that to the previous question. While the
					// mode is on, only half of a frame is drawn.
					return !strings.Contains(shows, " asking ") && !term.Mode(ansi.ModeSynchronizedOutput)
				}
			}
			for _, k := range tt.keys {
				term.Type(k)
				if k == "4" { // a late answer cannot be compared with
					term.WaitFor("the answer", answered("f fits"))
				}
			}
			var screen []string
			term.WaitFor(strings.Join(tt.until, ", "), func(lines []string) bool {
				screen = slices.Clone(lines)
				return answered(tt.until...)(lines)
			})
			picture := term.SVG(tuitest.Ground{Foreground: "#d3d9e5", Background: "#12151c"})
			path := filepath.Join("..", "..", ".pictures", tt.name+".svg")
			if tt.name == "providers-80x24" {
				checkReadmeScreen(t, screen)
			}
			if *pictures {
				if err := os.WriteFile(path, []byte(picture), 0o644); err != nil { // for everybody to see
					t.Error(err)
				}
				return
			}
			kept := must.Get(os.ReadFile(path))(t)
			if diff := cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(picture, "\n")); diff != "" {
				t.Errorf("the README's picture %s is not what shows: take it anew with -pictures, and look at it (-kept +shown)\n%s", tt.name, diff)
			}
		})
	}
}

// showDemo runs the dashboard on the demo cloud until the end of the test.
func showDemo(t *testing.T, width, height int) *tuitest.PTY {
	t.Helper()
	term := tuitest.OpenPTY(t, width, height)
	p := &program{
		stdin: term.TTY, stdout: term.TTY, stderr: os.Stderr,
		env:   map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"},
		now:   func() time.Time { return time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC) },
		newID: uuid.New, log: slog.New(slog.DiscardHandler),
	}
	p.settings.Theme = "default-dark"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- p.demo(ctx, demoOptions{hosts: demo.DefaultHosts, seed: defaultSeed, troubles: true}, false)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return term
}

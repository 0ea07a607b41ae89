package terminal_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/terminal"
	"github.com/placetop/placetop/tui/tuitest"
)

// pipeWith returns a reader on a pipe that already contains typed.
func pipeWith(t *testing.T, typed string) (in *terminal.Input, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	must.Succeed(t, err)
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	must.Get(w.WriteString(typed))(t)
	return terminal.NewInput(r), w
}

// tokens are keyboard bytes and the reads in which they must arrive.
func tokens() map[string][]string {
	return map[string][]string{
		"letters come one by one":          {"j", "j", "é", "漢"},
		"a cursor key is one read":         {"\x1b[A", "\x1bOB", "\x1b[1;5C", "j"},
		"esc before a cursor key is alt":   {"\x1b\x1b[A", "x"},
		"a focus report is alone":          {"\x1b[I", "j", "\x1b[O", "k"},
		"function keys of the console":     {"\x1b[[A", "\x1b[15~"},
		"alt with a letter":                {"\x1bx", "\x1bé"},
		"mouse reports":                    {"\x1b[<0;10;20M", "\x1b[<0;10;20m"},
		"answers of the terminal are lost": {"a", "", "b", "", "c"},
	}
}

func typedFor(name string, reads []string) string {
	if name == "answers of the terminal are lost" {
		return "a\x1b]11;rgb:0000/0000/0000\x07b\x1bP1$r0m\x1b\\c"
	}
	return strings.Join(reads, "")
}

func TestInputGivesOneKeyPerRead(t *testing.T) {
	t.Parallel()
	for name, want := range tokens() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := pipeWith(t, typedFor(name, want))
			buf := make([]byte, 256)
			for i, w := range want {
				n, err := in.Read(buf)
				if err != nil || string(buf[:n]) != w {
					t.Fatalf("read %d = %q, %v, want %q", i, buf[:n], err, w)
				}
			}
		})
	}
}

func TestStreamGivesOneKeyPerRead(t *testing.T) {
	t.Parallel()
	for name, want := range tokens() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w := io.Pipe()
			s := terminal.NewStream(r)
			defer s.Close()
			go func() {
				_, _ = io.WriteString(w, typedFor(name, want))
				_ = w.Close()
			}()
			buf := make([]byte, 256)
			for i, w := range want {
				n, err := s.Read(buf)
				if err != nil || string(buf[:n]) != w {
					t.Fatalf("read %d = %q, %v, want %q", i, buf[:n], err, w)
				}
			}
			if n, err := s.Read(buf); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("at the end Read = %d, %v", n, err)
			}
		})
	}
}

// TestStreamHoldsAnUnfinishedKey has exact times, because the bubble's clock only
// advances while nothing runs.
func TestStreamHoldsAnUnfinishedKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		s := terminal.NewStream(r)
		type read struct {
			Bytes string
			After time.Duration
		}
		var got []read
		done := make(chan struct{})
		start := time.Now()
		go func() {
			defer close(done)
			buf := make([]byte, 256)
			for {
				n, err := s.Read(buf)
				if err != nil {
					return
				}
				got = append(got, read{string(buf[:n]), time.Since(start)})
			}
		}()
		typeAfter := func(d time.Duration, b string) {
			time.Sleep(d)
			_, _ = io.WriteString(w, b)
		}
		typeAfter(0, "\x1b")
		typeAfter(20*time.Millisecond, "[A") // within the hold
		typeAfter(80*time.Millisecond, "\x1b[")
		typeAfter(20*time.Millisecond, "B")
		typeAfter(80*time.Millisecond, "\x1b") // esc, and nothing more
		typeAfter(100*time.Millisecond, "\xe6")
		typeAfter(10*time.Millisecond, "\xbc\xa2")
		synctest.Wait()
		_ = w.Close()
		<-done
		ms := time.Millisecond
		want := []read{
			{"\x1b[A", 20 * ms}, {"\x1b[B", 120 * ms}, {"\x1b", 250 * ms}, {"漢", 310 * ms},
		}
		must.Match(t, want, got)
	})
}

func TestPasteArrivesWhole(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("pasted text\nwith \x1b[A and 漢字 ", 200)
	typed := "x\x1b[200~" + text + "\x1b[201~\x1b[Bj"
	for name, reader := range map[string]func(t *testing.T) io.Reader{
		"input": func(t *testing.T) io.Reader {
			in, _ := pipeWith(t, typed)
			return in
		},
		"stream": func(t *testing.T) io.Reader {
			s := terminal.NewStream(strings.NewReader(typed))
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := reader(t)
			var got bytes.Buffer
			buf := make([]byte, 256)
			for got.Len() < len(typed) {
				n := must.Get(r.Read(buf))(t)
				if n == len(buf) {
					t.Fatal("a full buffer makes the reader wait for more")
				}
				got.Write(buf[:n])
			}
			must.Match(t, typed, got.String())
		})
	}
}

// TestInputHoldsOnATerminal types parts of keys with real pauses: the hold only shows on
// a real descriptor. The rest of a key comes in time even on a busy machine, because the
// hold is long until a lone esc is typed.
func TestInputHoldsOnATerminal(t *testing.T) {
	t.Parallel()
	p := tuitest.OpenPTY(t, 80, 24)
	must.Get(term.MakeRaw(p.TTY.Fd()))(t)
	in := terminal.NewInput(p.TTY)
	in.SetHold(time.Minute)
	read := func() string {
		t.Helper()
		buf := make([]byte, 256)
		n := must.Get(in.Read(buf))(t)
		return string(buf[:n])
	}
	for _, want := range []string{"\x1b[A", "\x1b[B"} {
		p.Type(want[:1])
		timer := time.AfterFunc(terminal.Hold/5, func() { p.Type(want[1:]) })
		defer timer.Stop()
		must.Be(t, read(), want)
	}
	in.SetHold(terminal.Hold)
	p.Type("\x1b")
	if got := read(); got != "\x1b" {
		t.Errorf("read %q, want a lone esc", got)
	}
}

// TestInputCancels checks that a cancelled read takes nothing: what is typed later is
// there for the next reader.
func TestInputCancels(t *testing.T) {
	t.Parallel()
	in, w := pipeWith(t, "")
	first := must.Get(cancelreader.NewReader(in))(t)
	ended := make(chan error)
	go func() {
		_, err := first.Read(make([]byte, 256))
		ended <- err
	}()
	if !first.Cancel() {
		t.Fatal("the read cannot be canceled")
	}
	must.Fail(t, <-ended, cancelreader.ErrCanceled)
	must.Get(w.WriteString("ab"))(t)
	second := must.Get(cancelreader.NewReader(in))(t)
	defer second.Close()
	buf := make([]byte, 256)
	for _, want := range []string{"a", "b"} {
		if n, err := second.Read(buf); err != nil || string(buf[:n]) != want {
			t.Errorf("Read = %q, %v, want %q", buf[:n], err, want)
		}
	}
}

// FuzzInput checks that no read fails or returns more than fits, whatever is typed in
// whatever pieces, and that Bubble Tea can only read it in one way: what starts with ESC is
// a sequence that it reads whole.
func FuzzInput(f *testing.F) {
	f.Add([]byte("j\x1b[A\x1b\x1b[B"), 3)
	f.Add([]byte("\x1b[200~text\x1b[201~\x1b"), 7)
	f.Add([]byte("\xe6\xbc\xa2\xff\x1b[1;"), 2)
	f.Add([]byte("\x1b[n"), -10)
	f.Add([]byte("\x1b[M\xc3\xc3\xc3D"), 0)
	f.Add([]byte("\x1bOpD\x1bO1;\x1b\x1b\x1b[99z"), 0)
	f.Fuzz(func(t *testing.T, typed []byte, size int) {
		s := terminal.NewStream(bytes.NewReader(typed))
		defer s.Close()
		var got []byte
		buf := make([]byte, 64+max(0, size)%300)
		for {
			n, err := s.Read(buf)
			if n == len(buf) {
				t.Fatal("a full buffer makes the reader wait for more")
			}
			got = append(got, buf[:n]...)
			if err != nil {
				break
			}
		}
		rest := wholeKeys.ReplaceAll(got, nil)
		if bytes.Contains(rest, []byte("\x1b")) {
			t.Fatalf("typed %q, read %q, of which Bubble Tea may take a part for keys: %q", typed, got, rest)
		}
	})
}

// wholeKeys matches what Bubble Tea reads as one key, in so far as it starts with ESC.
var wholeKeys = regexp.MustCompile(`(?s)\x1b\[200~.*?\x1b\[201~|\x1b?\x1b(\[[0-?]*[ -/]*[@-~]|\[\[[A-E]|\[[78]\$|O[A-DP-S])|\x1b[^[O]|\x1b`)

// TestStreamHolds joins the parts of a key that arrive within the hold time, and tells it
// from a lone esc.
func TestStreamHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		s := terminal.NewStream(in)
		defer s.Close()
		s.SetHold(terminal.Hold + 60*time.Millisecond)
		go func() {
			for _, part := range []string{"\x1b", "[", "A", "\x1b", "", "\x1b[0n", "j"} {
				if part == "" {
					time.Sleep(time.Second)
					continue
				}
				_, _ = io.WriteString(out, part)
				time.Sleep(60 * time.Millisecond)
			}
			_ = out.Close()
		}()
		var got []string
		for buf := make([]byte, 64); ; {
			n, err := s.Read(buf)
			if err != nil {
				break
			}
			got = append(got, string(buf[:n]))
		}
		must.Match(t, []string{"\x1b[A", "\x1b", "", "j"}, got)
	})
}

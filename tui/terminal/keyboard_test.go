package terminal_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/terminal"
)

// heard is a model that notes the keys it gets.
type heard struct{ keys []string }

func (h *heard) Init() tea.Cmd { return nil }
func (h *heard) View() string  { return "" }
func (h *heard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		h.keys = append(h.keys, msg.String())
	case tea.MouseMsg:
		h.keys = append(h.keys, "mouse")
	}
	return h, nil
}

// TestUnknownSequences is about what Bubble Tea makes of what terminals send: a sequence
// that it does not know, or that is cut off, must never become esc and letters, which are
// commands.
func TestUnknownSequences(t *testing.T) {
	t.Parallel()
	const pause = "(pause)"
	long := strings.Repeat("1;", 300)
	for _, test := range []struct {
		name  string
		typed []any // pieces, and the time between them
		want  string
	}{
		{"letters", []any{"jk"}, "j k"},
		{"cursor keys, also of applications", []any{"\x1b[A\x1bOB\x1bOH\x1bOF\x1b[1;5C"}, "up down home end ctrl+right"},
		// bubbletea 466: alt and a key is a key of its own, such as @ on a German keyboard.
		{"alt, as ESC and as rxvt sends it", []any{"\x1bx\x1bé\x1b\x1b[A\x1b@"}, "alt+x alt+é alt+up alt+@"},
		// tcell 1172: a slow line cuts keys into pieces.
		{"a cursor key cut after ESC", []any{"\x1b", 40 * time.Millisecond, "[B"}, "down"},
		{"the same on a slow line", []any{"\x1b", 90 * time.Millisecond, "[B"}, "down"},
		{"the same, later than anybody waits", []any{"\x1b", 300 * time.Millisecond, "[B", pause, "j"}, "esc j"},
		{"cut again", []any{"\x1b", 300 * time.Millisecond, "[1;", time.Second, "5D", pause, "j"}, "esc j"},
		{"cut after the bracket", []any{"\x1b[", 400 * time.Millisecond, "B"}, "down"},
		{"the same, too late", []any{"\x1b[", 700 * time.Millisecond, "B", pause, "j"}, "alt+[ j"},
		{"cut within numbers", []any{"\x1b[1;", 700 * time.Millisecond, "5D", pause, "j"}, "j"},
		{"cut within a letter", []any{"\xd0", 700 * time.Millisecond, "\x9b", pause, "j"}, "j"},
		{"esc, then a key", []any{"\x1b", 70 * time.Millisecond, "D"}, "esc D"},
		{"esc, then a bracket", []any{"\x1b", 300 * time.Millisecond, "[", 50 * time.Millisecond, "B"}, "esc [ B"},
		{"esc three times", []any{"\x1b\x1b\x1b"}, "alt+esc esc"},
		// browsh 7: the mouse mode X10 was left on; a click at column 36.
		{"a mouse of X10", []any{"\x1b[M D$j"}, "j"},
		{"in UTF-8, beyond column 95", []any{"\x1b[M \xc3\x85$j\x1b[M $\xc3\x85k"}, "j k"},
		{"as bytes, beyond column 95", []any{"\x1b[M \xf0Dj\x1b[M D\xc5k"}, "j k"},
		{"of urxvt", []any{"\x1b[32;36;4Mj"}, "j"},
		{"of SGR", []any{"\x1b[<0;36;4Mj"}, "mouse j"},
		{"the keyboard of kitty", []any{"\x1b[97;5uj\x1b[57441;2:3uk"}, "j k"},
		{"modifyOtherKeys", []any{"\x1b[27;5;68~j"}, "j"},
		{"the keypad of applications", []any{"\x1bOpD\x1bOMj\x1bO2PD"}, "D j D"},
		{"unknown, with alt", []any{"\x1b\x1b[99zj\x1b\x1bOpk\x1b\x1bDl"}, "j k alt+D l"},
		{"shift in rxvt", []any{"\x1b[7$j\x1b[2$k\x1b[8$"}, "shift+home j k shift+end"},
		{"the console of Linux", []any{"\x1b[[Aj\x1b[[Zk"}, "f1 j k"},
		{"ECMA-48 with intermediates", []any{"\x1b[?1;2$yj\x1b[3 qk"}, "j k"},
		{"controls of eight bits", []any{"\x9bA\x8fB\xc2\x9bC\x9d11;rgb:0/0/0\aj"}, "up down right j"},
		{"^c within a sequence", []any{"\x1b[1;\x03j\x1bO\x03k\x1b]11;\x03l"}, "ctrl+c j ctrl+c k ctrl+c l"},
		{"a sequence within a sequence", []any{"\x1b[1;\x1b[Bj\x1b[é"}, "down j é"},
		{"a sequence without an end", []any{"\x1b[" + long + "5Aj"}, "j"},
		{"an answer cut in two", []any{"\x1b]11;rgb:1c1c", time.Second, "/1c1c/1c1c\x1b\\j"}, "j"},
		{"a paste", []any{"\x1b[200~dD\x03\r\x1b[201~j"}, "[dD\x03\r] j"},
		// fish 5882: the end of a paste never comes.
		{"a paste without an end, and ^c", []any{"\x1b[200~abc", 100 * time.Millisecond, "\x03", pause, "\x03"}, "[abc] ctrl+c"},
		{"^c three times", []any{"\x1b[200~abc", 100 * time.Millisecond, "\x03\x03\x03", pause, "j"}, "[abc] j"},
		{"a pause", []any{"\x1b[200~abc", 2 * time.Second, "j", pause, "k"}, "[abc] j k"},
		{"an empty one", []any{"\x1b[200~", 2 * time.Second, "j"}, "[] j"},
		{"the end is cut", []any{"\x1b[200~abc\x1b[20", 2 * time.Second, "1~j"}, "[abc] j"},
		{"more of it after a pause", []any{"\x1b[200~abc", 3 * time.Second, "dD\ndD\n", 100 * time.Millisecond, "D\x1b[201~j"}, "[abc] [dD\ndD\nD] j"},
		{"its end after a pause", []any{"\x1b[200~abc", 3 * time.Second, "\x1b[201~", pause, "jk"}, "[abc] j k"},
		{"a cursor key after a pause", []any{"\x1b[200~abc", 3 * time.Second, "\x1b[A", pause, "jk"}, "[abc] up j k"},
		{"slowly", []any{"\x1b[200~a", 900 * time.Millisecond, "b", 900 * time.Millisecond, "\x1b[201~j"}, "[ab] j"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				s := terminal.NewStream(r)
				s.SetHold(terminal.HoldRemote)
				model := &heard{}
				program := tea.NewProgram(model, tea.WithInput(s), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler())
				ended := make(chan error)
				go func() {
					_, err := program.Run()
					ended <- err
				}()
				for _, piece := range test.typed {
					switch piece := piece.(type) {
					case time.Duration:
						time.Sleep(piece)
					case string:
						if piece == pause {
							time.Sleep(5 * time.Second)
							continue
						}
						_, _ = io.WriteString(w, piece)
					}
				}
				time.Sleep(5 * time.Second)
				program.Quit()
				_ = s.Close()
				_ = w.Close()
				must.Succeed(t, <-ended)
				must.Be(t, strings.Join(model.keys, " "), test.want)
			})
		})
	}
}

// TestPasteIsBounded drops what is pasted beyond a limit, up to its end.
func TestPasteIsBounded(t *testing.T) {
	t.Parallel()
	s := terminal.NewStream(io.MultiReader(strings.NewReader("\x1b[200~"), io.LimitReader(letters{}, 50<<20/8), strings.NewReader("\x1b[201~j")))
	defer s.Close()
	n := 0
	var last string
	buf := make([]byte, 256)
	for {
		m, err := s.Read(buf)
		if err != nil {
			break
		}
		if n += m; m > 0 {
			last = string(buf[:m])
		}
	}
	if n > 300<<10 || last != "j" {
		t.Errorf("%d bytes, and then %q", n, last)
	}
}

// letters is a paste that does not end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'D'
	}
	return len(p), nil
}

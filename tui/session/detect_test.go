package session_test

import (
	"testing"

	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	type env = map[string]string
	utf8 := "en_US.UTF-8"
	tests := map[string]struct {
		env   env
		flags session.Flags
		want  session.Capabilities
	}{
		"a modern terminal": {
			env:  env{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.TrueColor, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"256 colours by name": {
			env:  env{"TERM": "xterm-256color", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.ANSI256, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"NO_COLOR wins over CLICOLOR_FORCE and COLORTERM": {
			env:  env{"TERM": "xterm", "NO_COLOR": "1", "CLICOLOR_FORCE": "1", "COLORTERM": "truecolor", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.Ascii, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"an empty NO_COLOR says nothing": {
			env:  env{"TERM": "xterm", "NO_COLOR": "", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.ANSI, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"the flag wins": {
			env:   env{"TERM": "xterm-kitty", "COLORTERM": "truecolor", "LANG": utf8},
			flags: session.Flags{NoColor: true},
			want:  session.Capabilities{Profile: termenv.Ascii, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"CLICOLOR=0": {
			env:  env{"TERM": "xterm-256color", "CLICOLOR": "0", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.Ascii, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"CLICOLOR_FORCE beats CLICOLOR": {
			env:  env{"TERM": "xterm-256color", "CLICOLOR": "0", "CLICOLOR_FORCE": "1", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.ANSI256, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"CLICOLOR_FORCE on a terminal without colours": {
			env:  env{"TERM": "vt100", "CLICOLOR_FORCE": "1", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.ANSI, Glyphs: style.Block(), Sync: true, Strings: true, VT100: true},
		},
		"the Linux console": {
			env:  env{"TERM": "linux", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.ANSI, Glyphs: style.ASCII()},
		},
		"dumb": {
			env:  env{"TERM": "dumb", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.Ascii, Glyphs: style.ASCII(), Dumb: true},
		},
		"no TERM": {
			env:  env{"LANG": utf8},
			want: session.Capabilities{Profile: termenv.Ascii, Glyphs: style.Block(), Dumb: true},
		},
		"a locale without UTF-8": {
			env:  env{"TERM": "xterm", "LANG": "de_DE.ISO-8859-1"},
			want: session.Capabilities{Profile: termenv.ANSI, Glyphs: style.ASCII(), Sync: true, Strings: true},
		},
		"no locale, as in a container": {
			env:  env{"TERM": "xterm"},
			want: session.Capabilities{Profile: termenv.ANSI, Glyphs: style.Block(), Sync: true, Strings: true},
		},
		"LC_ALL beats LC_CTYPE beats LANG": {
			env:  env{"TERM": "xterm", "LC_ALL": "ja_JP.utf8", "LC_CTYPE": "C", "LANG": utf8},
			want: session.Capabilities{Profile: termenv.ANSI, Glyphs: style.Braille(), Sync: true, Strings: true},
		},
		"a Chinese locale": {
			env:  env{"TERM": "xterm", "LANG": "zh_CN.UTF-8"},
			want: session.Capabilities{Profile: termenv.ANSI, Glyphs: style.Braille(), Sync: true, Strings: true},
		},
		"--ascii": {
			env:   env{"TERM": "xterm", "LANG": utf8},
			flags: session.Flags{ASCII: true},
			want:  session.Capabilities{Profile: termenv.ANSI, Glyphs: style.ASCII(), Sync: true, Strings: true},
		},
		"tmux": {
			env: env{"TERM": "screen-256color", "TMUX": "/tmp/tmux-0/default,1,0", "COLORTERM": "truecolor", "LANG": utf8},
			want: session.Capabilities{
				Profile: termenv.TrueColor, Glyphs: style.Block(), Strings: true,
			},
		},
		"--sync on in tmux": {
			env:   env{"TERM": "tmux-256color", "LANG": utf8},
			flags: session.Flags{Sync: "on"},
			want: session.Capabilities{
				Profile: termenv.ANSI256, Glyphs: style.Block(), Sync: true, Strings: true,
			},
		},
		"--sync off": {
			env:   env{"TERM": "foot", "LANG": utf8},
			flags: session.Flags{Sync: "off"},
			want:  session.Capabilities{Profile: termenv.TrueColor, Glyphs: style.Block(), Strings: true},
		},
		"GNU screen forwards no 24-bit colour": {
			env: env{"TERM": "screen", "STY": "1.pts", "COLORTERM": "truecolor", "LANG": utf8},
			want: session.Capabilities{
				Profile: termenv.ANSI256, Glyphs: style.Block(), GNUScreen: true, Strings: true,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must.Match(t, test.want, session.Detect(test.env, test.flags))
		})
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	got := session.Environ([]string{"A=1", "B=x=y", "odd", "C="})
	must.Match(t, map[string]string{"A": "1", "B": "x=y", "C": ""}, got)
}

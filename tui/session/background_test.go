package session

import "testing"

func TestDarkBackground(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]struct{ dark, ok bool }{
		"\x1b]11;rgb:0000/0000/0000\x1b\\": {true, true},
		"\x1b]11;rgb:ffff/ffff/ffff\a":     {false, true},
		"\x1b]11;rgb:fd/f6/e3\x1b\\":       {false, true},
		"\x1b]11;rgb:28/2a/36\x1b\\":       {true, true},
		"\x1b]11;rgb:28/2a\x1b\\":          {false, false},
		"\x1b]11;rgb:x/y/z\x1b\\":          {false, false},
		"\x1b]11;rgb:fffff/0/0\x1b\\":      {false, false},
		"\x1b]10;rgb:00/00/00\x1b\\":       {false, false},
		"":                                 {false, false},
	} {
		if dark, ok := darkBackground([]byte(reply)); dark != want.dark || ok != want.ok {
			t.Errorf("%q: dark %v, %v", reply, dark, ok)
		}
	}
}

func FuzzDarkBackground(f *testing.F) {
	f.Add([]byte("\x1b]11;rgb:ffff/ffff/ffff\a"))
	f.Fuzz(func(t *testing.T, reply []byte) {
		if dark, ok := darkBackground(reply); dark && !ok {
			t.Errorf("%q is dark and no answer", reply)
		}
	})
}

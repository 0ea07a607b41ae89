package diskfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/diskfile"
)

// TestGuarded reads a file only if others have no more rights to it than they should.
func TestGuarded(t *testing.T) {
	t.Parallel()
	of := diskfile.Guarded{Others: 0o022, Why: "others may write it", Hint: "chmod go-w it", Most: 10}
	for _, test := range []struct {
		text string
		mode fs.FileMode
		says string // "" if it is read
	}{
		{"ten bytes.", 0o644, ""},
		{"ten bytes.", 0o664, ": others may write it (mode 0664); chmod go-w it"},
		{"ten bytes.", 0o602, ": others may write it (mode 0602); chmod go-w it"},
		{"eleven byte", 0o600, ": has 11 bytes, more than 10"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		must.Succeed(t, errors.Join(os.WriteFile(path, []byte(test.text), 0o600), os.Chmod(path, test.mode)))
		text, err := of.Read(path)
		var bad *diskfile.LineError
		if test.says == "" && (err != nil || string(text) != test.text) || test.says != "" && (!errors.As(err, &bad) || err.Error() != path+test.says) {
			t.Errorf("%q, %04o: %q, %v", test.text, test.mode, text, err)
		}
	}
	if _, err := of.Read(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), ": is not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	must.Fail(t, must.Err(of.Read(filepath.Join(t.TempDir(), "none"))), fs.ErrNotExist)
}

// TestLines numbers lines as an editor does, blank lines and comments included.
func TestLines(t *testing.T) {
	t.Parallel()
	var got []string
	for n, line := range diskfile.Lines([]byte("# who\n\n  one \r\n\t# two\nthree # 3")) {
		got = append(got, (&diskfile.LineError{Path: "f", Line: n, Why: line}).Error())
	}
	if want := "f:3: one f:5: three # 3"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

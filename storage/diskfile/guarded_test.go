package diskfile_test

import (
	"errors"
	"fmt"
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

// TestOwned reads a file only if it and its folders are safe from other users, as
// StrictModes of sshd does: who can write to a folder can put another file there.
func TestOwned(t *testing.T) {
	t.Parallel()
	of := diskfile.Guarded{Owned: true, Most: 10}
	for name, test := range map[string]struct {
		file, dir fs.FileMode
		owner     int    // 0 for the user
		link      bool   // the file is reached by a link from elsewhere
		says      string // "" if it is read; FILE and DIR stand for their paths
	}{
		"only ours":                {file: 0o644, dir: 0o755},
		"group can write the file": {file: 0o664, dir: 0o755, says: "other users can write to it (mode 0664); chmod go-w FILE"},
		"all can write the folder": {file: 0o600, dir: 0o777, says: "other users can write to the folder DIR (mode 0777); chmod go-w DIR"},
		"group can":                {file: 0o600, dir: 0o775, says: "other users can write to the folder DIR (mode 0775); chmod go-w DIR"},
		"as /tmp":                  {file: 0o600, dir: 0o777 | fs.ModeSticky},
		"by a link":                {file: 0o600, dir: 0o777, link: true, says: "other users can write to the folder DIR (mode 0777); chmod go-w DIR"},
		"of another user":          {file: 0o644, dir: 0o755, owner: 1234, says: "FILE belongs to user 1234, who is neither root nor the user 0 who runs this; chown 0 FILE"},
	} {
		dir := filepath.Join(must.Get(filepath.EvalSymlinks(t.TempDir()))(t), "a")
		path := filepath.Join(dir, "f")
		must.Succeed(t, errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(path, []byte("text"), 0o600), os.Chmod(path, test.file), os.Chmod(dir, test.dir)))
		if test.owner != 0 {
			if os.Geteuid() != 0 {
				continue
			}
			must.Succeed(t, os.Chown(path, test.owner, -1))
		}
		asked := path
		if test.link {
			asked = filepath.Join(t.TempDir(), "link")
			must.Succeed(t, os.Symlink(path, asked))
		}
		want := strings.NewReplacer("FILE", path, "DIR", dir).Replace(test.says)
		text, err := of.Read(asked)
		if want == "" && (err != nil || string(text) != "text") || want != "" && (err == nil || err.Error() != asked+": "+want) {
			t.Errorf("%s: %q, %v; want %q", name, text, err, want)
		}
	}
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

// TestSecret reads a secret that only its owner, or the group as well, can read; from a pipe
// where that makes sense, as a shell has it for <(command).
func TestSecret(t *testing.T) {
	t.Parallel()
	of := diskfile.Secret(10, "replace it")
	for mode, says := range map[fs.FileMode]string{
		0o600: "", 0o640: "", 0o400: "",
		0o604: ": other users can read it (mode 0604); chmod 600 it, and replace it",
		0o644: ": other users can read it (mode 0644); chmod 600 it, and replace it",
		0o660: ": other users can write to it (mode 0660); chmod go-w ",
	} {
		path := filepath.Join(must.Get(filepath.EvalSymlinks(t.TempDir()))(t), "f")
		must.Succeed(t, errors.Join(os.WriteFile(path, []byte("text"), 0o600), os.Chmod(path, mode)))
		if text, err := of.Read(path); says == "" && (err != nil || string(text) != "text") || says != "" && (err == nil || !strings.HasPrefix(err.Error(), path+says)) {
			t.Errorf("%04o: %q, %v", mode, text, err)
		}
	}
	r, w, err := os.Pipe()
	must.Succeed(t, err)
	defer r.Close()
	must.Succeed(t, errors.Join(must.Err(w.WriteString("text")), w.Close()))
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := of.Read(path); err == nil || !strings.HasSuffix(err.Error(), ": is not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
	of.Pipe = true
	if text, err := of.Read(path); err != nil || string(text) != "text" {
		t.Errorf("a pipe: %q, %v", text, err)
	}
}

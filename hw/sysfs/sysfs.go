// Package sysfs reads what the Linux kernel says about hardware in its /sys
// folder: PCI devices with their virtual functions, mediated devices (mdev),
// NVIDIA's vGPU types, NUMA nodes and the topology of the CPUs.
//
// It only reads: nothing here opens a file for writing, which is how vGPUs and virtual
// functions are created.
//
// A Tree is the root of a machine as an fs.FS: of this machine, of a host whose files
// are mounted in a folder, or of a captured machine in a test. A file that cannot be
// read becomes a Gap, and its methods return the rest: files that need privileges,
// entries that vanish while being read, content that is not text. A missing file is a
// Gap only if the kernel always has it.
//
// The Parse functions are pure: text in, value or error out. Everything here is
// safe for concurrent use.
package sysfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Tree is a machine's files, seen from its root folder: the names below start
// with "sys/".
type Tree struct{ fsys fs.FS }

// New returns the Tree of fsys, whose root stands for the machine's "/". To read
// links, and so drivers, virtual functions and mediated devices, fsys must
// implement fs.ReadLinkFS, as os.DirFS and os.Root.FS do.
func New(fsys fs.FS) Tree { return Tree{fsys} }

// Gap is one thing that could not be read. Everything else was still read.
type Gap struct {
	Path string // absolute on the machine, such as /sys/class/mdev_bus; "" where there is no single file
	What string // what is missing because of it, such as "vendor id"
	Err  error  // why; errors.Is works for fs.ErrPermission, fs.ErrNotExist and context errors
}

// String returns "path: what: why", without the parts that are empty.
func (p Gap) String() string {
	parts := make([]string, 0, 3)
	for _, s := range []string{p.Path, p.What} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if p.Err != nil {
		parts = append(parts, p.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Kinds of unusable content, for errors.Is on a Gap.
var (
	ErrTooLong = errors.New("more than 64 KiB")
	ErrNotText = errors.New("not text")
	ErrNotFile = errors.New("not a regular file")
	ErrSyntax  = errors.New("unexpected text")
	// ErrNoFile reports that a file is missing which the kernel always has.
	ErrNoFile = errors.New("no such file")
	// ErrVanished reports that a device disappeared while it was read.
	ErrVanished = errors.New("vanished while being read")
)

// maxText is the longest content read, in bytes. Text attributes of sysfs are at
// most one page (4 KiB, 64 KiB on some machines).
const maxText = 64 << 10

// syntaxError returns an error that matches ErrSyntax.
func syntaxError(text, want string) error {
	const most = 40
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Errorf("%w %q: want %s", ErrSyntax, text, want)
}

// reason removes the name of the file, which is in Gap.Path, from err.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// scan is one walk over the Tree, with its gaps so far.
type scan struct {
	fsys fs.FS
	gaps []Gap
}

// gap notes what is missing because of err at name.
func (s *scan) gap(name, what string, err error) {
	s.gaps = append(s.gaps, Gap{Path: "/" + name, What: what, Err: reason(err)})
}

// stopped reports whether the caller gave up, and notes that once: the rest is then
// missing.
func (s *scan) stopped(ctx context.Context, name, what string) bool {
	err := ctx.Err()
	if err != nil {
		s.gap(name, what, err)
	}
	return err != nil
}

// folder is the listing of a directory.
type folder struct {
	name    string
	entries map[string]fs.FileMode // the type bits of each entry, by its name
}

// names returns the entries in ascending order.
func (d folder) names() []string {
	out := make([]string, 0, len(d.entries))
	for n := range d.entries {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func (d folder) has(entry string) bool { _, ok := d.entries[entry]; return ok }

func (d folder) path(entry string) string { return path.Join(d.name, entry) }

// list lists a directory. If it does not exist, ok is false and there is no Gap.
func (s *scan) list(name, what string) (d folder, ok bool) {
	entries, err := fs.ReadDir(s.fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return folder{}, false
	case err != nil:
		// Entries read before the error are kept: a directory that shrinks while it is
		// read gives such an error.
		s.gap(name, what, err)
		if len(entries) == 0 {
			return folder{}, false
		}
	}
	d = folder{name: name, entries: make(map[string]fs.FileMode, len(entries))}
	for _, e := range entries {
		d.entries[e.Name()] = e.Type()
	}
	return d, true
}

// text returns the content of an entry of d without spaces around it. ok is false if the
// entry is missing, which is not a Gap, or unreadable, which is.
func (s *scan) text(d folder, entry, what string) (text string, ok bool) {
	mode, ok := d.entries[entry]
	if !ok {
		return "", false
	}
	name := d.path(entry)
	text, err := s.read(name, mode)
	if err != nil {
		s.gap(name, what, err)
		return "", false
	}
	return text, true
}

// read reads one text file. mode is its type in the directory: opening a pipe would wait
// for a writer forever.
func (s *scan) read(name string, mode fs.FileMode) (string, error) {
	if mode&fs.ModeSymlink != 0 {
		info, err := fs.Stat(s.fsys, name)
		if err != nil {
			return "", err
		}
		mode = info.Mode().Type()
	}
	if !mode.IsRegular() {
		return "", fmt.Errorf("%w but %s", ErrNotFile, kind(mode))
	}
	f, err := s.fsys.Open(name)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
		return "", err
	case len(b) > maxText:
		return "", ErrTooLong
	case !isText(b):
		return "", ErrNotText
	}
	return strings.TrimSpace(string(b)), nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	}
	return "of type " + mode.String()
}

// isText reports whether b is UTF-8 without control characters other than white
// space.
func isText(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	return !slices.ContainsFunc(b, func(c byte) bool {
		return c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f
	})
}

// number reads a decimal integer of d; it returns absent if the entry is missing or
// unreadable.
func (s *scan) number(d folder, entry, what string, absent int) int {
	text, ok := s.text(d, entry, what)
	if !ok {
		return absent
	}
	n, err := parseInt(text)
	if err != nil {
		s.gap(d.path(entry), what, err)
		return absent
	}
	return n
}

// hex reads a number of at most bits bits that the kernel writes as 0x1eb8.
func (s *scan) hex(d folder, entry, what string, bits int) uint32 {
	text, ok := s.text(d, entry, what)
	if !ok {
		return 0
	}
	n, err := ParseHex(text, bits)
	if err != nil {
		s.gap(d.path(entry), what, err)
		return 0
	}
	return n
}

// link returns the last element of the target of a link in d, such as the name of the
// driver of .../drivers/vfio-pci; "" if there is no such link.
func (s *scan) link(d folder, entry, what string) string {
	if !d.has(entry) {
		return ""
	}
	target, err := fs.ReadLink(s.fsys, d.path(entry))
	if err != nil {
		s.gap(d.path(entry), what, err)
		return ""
	}
	return path.Base(target)
}

// linkAddress is link for the links between PCI functions.
func (s *scan) linkAddress(d folder, entry, what string) (Address, bool) {
	base := s.link(d, entry, what)
	if base == "" {
		return Address{}, false
	}
	a, err := ParseAddress(base)
	if err != nil {
		s.gap(d.path(entry), what, err)
		return Address{}, false
	}
	return a, true
}

// vanished reports whether the directory is gone, and notes it.
func (s *scan) vanished(name, what string) bool {
	if _, err := fs.Stat(s.fsys, name); errors.Is(err, fs.ErrNotExist) {
		s.gap(name, what, ErrVanished)
		return true
	}
	return false
}

// ParseHex reads a number in the kernel's hex notation, such as 0x10de or
// 0x030200, of at most bits bits (1 to 32). The prefix 0x may be missing.
func ParseHex(text string, bits int) (uint32, error) {
	digits := strings.TrimSpace(text)
	if len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		digits = digits[2:]
	}
	n, err := strconv.ParseUint(digits, 16, bits)
	if err != nil {
		return 0, syntaxError(text, fmt.Sprintf("a hexadecimal number of at most %d bits such as 0x10de", bits))
	}
	return uint32(n), nil
}

// parseInt reads a decimal integer that fits 32 bits.
func parseInt(text string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil {
		return 0, syntaxError(text, "a whole number")
	}
	return int(n), nil
}

// numbered splits a name such as "node12" into its prefix and number.
func numbered(name, prefix string) (int, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || rest == "" || len(rest) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// Text returns the content of one small text file without spaces around it. The
// error matches fs.ErrNotExist, fs.ErrPermission, ErrNotFile, ErrTooLong or
// ErrNotText where it is one of these.
func (t Tree) Text(name string) (string, error) {
	info, err := fs.Stat(t.fsys, name)
	if err != nil {
		return "", reason(err)
	}
	s := &scan{fsys: t.fsys}
	text, err := s.read(name, info.Mode().Type())
	if err != nil {
		return "", reason(err)
	}
	return text, nil
}

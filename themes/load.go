package themes

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed palettes/*.toml
var builtin embed.FS

// Default is the name of the palette for terminals about which nothing is known.
const Default = "default-dark"

// Auto is the name of the theme that follows the terminal's background: it stands for
// the palette that ForBackground names, and for Default where the background is
// unknown.
const Auto = "auto"

// ForBackground returns the name of the palette for a terminal with a dark or a light
// background.
func ForBackground(dark bool) string {
	if dark {
		return Default
	}
	return "default-light"
}

// ErrUnknown reports a palette name that is neither in the given files nor built in.
var ErrUnknown = errors.New("unknown theme")

// FileError reports what is wrong in a palette file, and where.
type FileError struct {
	File string
	Line int // counted from 1; 0 for the whole file
	What string
	Hint string // what to do about it; may be empty
}

// Error returns file, line, fault and hint in one line.
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line))
	}
	b.WriteString(": " + e.What)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Builtins returns the names of the built-in palettes, the default first.
func Builtins() []string {
	return []string{"default-dark", "default-light", "high-contrast", "okabe", "nord", "gruvbox", "dracula", "solarized-light", "paper", "mono"}
}

// Names returns the names that Load knows: the built-in ones, then those of
// the .toml files in fsys, sorted. fsys may be nil.
func Names(fsys fs.FS) []string {
	names := Builtins()
	// A folder that cannot be listed adds no names; Load says why by name.
	for _, n := range Own(fsys) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// Own returns the names of the palettes in fsys, sorted; these include built-in
// palettes that fsys has a file for. fsys may be nil.
func Own(fsys fs.FS) []string {
	if fsys == nil {
		return nil
	}
	files, err := fs.Glob(fsys, "*.toml")
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".toml")
	}
	slices.Sort(files)
	return files
}

// Short returns the short names of default themes: Load takes "light" for "default-light".
func Short() []string { return []string{"dark", "light"} }

// Load returns the palette called name: from name.toml in fsys if it exists, else the
// built-in one. fsys may be nil. The names dark and light stand for default-dark and
// default-light, and an empty name and Auto for Default.
//
// It returns ErrUnknown, wrapped, for a name that does not exist, and a *FileError for
// a file with an error.
func Load(fsys fs.FS, name string) (Palette, error) {
	switch name {
	case "", Auto:
		name = Default
	default:
		if slices.Contains(Short(), name) {
			name = "default-" + name
		}
	}
	file := name + ".toml"
	if !fs.ValidPath(file) || strings.Contains(file, "/") {
		return Palette{}, fmt.Errorf("load theme %q: %w: give a name, not a path", name, ErrUnknown)
	}
	if fsys != nil {
		data, err := fs.ReadFile(fsys, file)
		switch {
		case err == nil:
			return Parse(file, data)
		case !errors.Is(err, fs.ErrNotExist):
			return Palette{}, fmt.Errorf("load theme %q: %w", name, err)
		}
	}
	if !slices.Contains(Builtins(), name) {
		return Palette{}, fmt.Errorf("load theme %q: %w; the themes are %s",
			name, ErrUnknown, strings.Join(Names(fsys), ", "))
	}
	data, err := Source(name)
	if err != nil {
		return Palette{}, err
	}
	return Parse(file, data)
}

// Source returns the file of a built-in palette, as a start for a custom one.
//
// It returns ErrUnknown, wrapped, for any other name.
func Source(name string) ([]byte, error) {
	data, err := builtin.ReadFile(path.Join("palettes", name+".toml"))
	if err != nil {
		return nil, fmt.Errorf("load theme %q: %w; the built-in themes are %s", name, ErrUnknown, strings.Join(Builtins(), ", "))
	}
	return data, nil
}

// paletteFile is a palette in the form of a file.
type paletteFile struct {
	Title      string               `toml:"title"`
	Base       string               `toml:"base"`
	Dark       *bool                `toml:"dark"`
	Background string               `toml:"background"`
	Selection  string               `toml:"selection"`
	Colors     map[string]string    `toml:"colors"`
	Tokens     map[string]tokenFile `toml:"tokens"`
}

// tokenFile is one token in the form of a file.
type tokenFile struct {
	Fg       string    `toml:"fg"`
	Bg       string    `toml:"bg"`
	Fg256    *int64    `toml:"fg_256"`
	Bg256    *int64    `toml:"bg_256"`
	Attr     []string  `toml:"attr"`
	ANSI     string    `toml:"ansi"`
	ANSIBg   string    `toml:"ansi_bg"`
	ANSIAttr *[]string `toml:"ansi_attr"`
	Mono     *[]string `toml:"mono"`
}

// Parse reads a palette file. The palette is named after the file, without folder and
// extension. A file with `base` starts from that built-in palette: it need not name
// every token, and a colour that it redefines changes in all tokens. Every error is a
// *FileError.
func Parse(file string, data []byte) (Palette, error) { return parse(file, data, nil) }

// parse is Parse of a file in which some colours have other values.
func parse(file string, data []byte, instead map[string]string) (Palette, error) {
	var in paletteFile
	md, err := toml.Decode(string(data), &in)
	if err != nil {
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			return Palette{}, &FileError{File: file, Line: pe.Position.Line, What: pe.Message}
		}
		return Palette{}, &FileError{File: file, What: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	src := source{file: file, data: string(data)}
	if keys := md.Undecoded(); len(keys) > 0 {
		return Palette{}, src.fault(keys[0], "unknown key "+strconv.Quote(keys[0].String()), "remove it; "+seeBuiltin+" lists the keys")
	}
	in.replace(instead)
	p, err := src.base(&in)
	if err != nil {
		return Palette{}, err
	}
	p.Name = strings.TrimSuffix(path.Base(file), ".toml")
	if err := src.head(&p, in); err != nil {
		return Palette{}, err
	}
	// In the order of the file, so that the first fault is reported.
	for _, k := range md.Keys() {
		if len(k) != 2 || k[0] != "tokens" {
			continue
		}
		if err := src.token(&p, k[1], in); err != nil {
			return Palette{}, err
		}
	}
	if in.Base == "" {
		for t := Text; t < tokenCount; t++ {
			if _, ok := in.Tokens[t.String()]; !ok {
				return Palette{}, &FileError{
					File: file, What: "token " + t.String() + " is missing",
					Hint: `name it under [tokens], or start from a palette with base = "` + Default + `"`,
				}
			}
		}
	}
	return p, nil
}

// seeBuiltin is where all that can stand in a file is seen: what this command prints.
const seeBuiltin = "placetop config theme " + Default

// replace gives colours other values. Tokens that have one by its name then have no colour
// of the 256 of their own any longer.
func (in *paletteFile) replace(instead map[string]string) {
	for name, t := range in.Tokens {
		if _, ok := instead[t.Fg]; ok {
			t.Fg256 = nil
		}
		if _, ok := instead[t.Bg]; ok {
			t.Bg256 = nil
		}
		in.Tokens[name] = t
	}
	if in.Colors == nil {
		in.Colors = map[string]string{}
	}
	maps.Copy(in.Colors, instead)
}

// source is the text of a palette file while it is being read.
type source struct {
	file, data string
}

func (s source) fault(key toml.Key, what, hint string) *FileError {
	return &FileError{File: s.file, Line: LineOf([]byte(s.data), key...), What: what, Hint: hint}
}

// base returns the palette to start from, with the colours of in, and gives in its own.
func (s source) base(in *paletteFile) (Palette, error) {
	if in.Base == "" {
		p := Palette{}
		for t := range p.looks {
			p.looks[t] = Look{ANSIFg: NoANSI, ANSIBg: NoANSI}
		}
		return p, nil
	}
	data, err := Source(in.Base)
	if err != nil {
		return Palette{}, s.fault(toml.Key{"base"}, "base "+strconv.Quote(in.Base)+" is not a built-in palette",
			"there are "+strings.Join(Builtins(), ", "))
	}
	var base paletteFile
	if _, err := toml.Decode(string(data), &base); err != nil {
		return Palette{}, &FileError{File: s.file, What: err.Error()}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Colors)) {
		key := toml.Key{"colors", name}
		if !isHex(in.Colors[name]) {
			return Palette{}, s.fault(key, fmt.Sprintf("%q is not a colour", in.Colors[name]), "write it as #rrggbb")
		}
		if _, ok := base.Colors[name]; !ok && !in.uses(name) {
			return Palette{}, s.fault(key, "nothing uses the colour "+name, in.Base+" has "+strings.Join(slices.Sorted(maps.Keys(base.Colors)), ", "))
		}
	}
	p, err := parse(in.Base+".toml", data, in.Colors)
	maps.Copy(base.Colors, in.Colors)
	in.Colors = base.Colors
	return p, err
}

// uses reports whether a token of the file has a colour.
func (in *paletteFile) uses(colour string) bool {
	for _, t := range in.Tokens {
		if t.Fg == colour || t.Bg == colour {
			return true
		}
	}
	return false
}

// head reads what is said of the palette as a whole.
func (s source) head(p *Palette, in paletteFile) error {
	if in.Title != "" {
		p.Title = in.Title
	}
	if in.Dark != nil {
		p.Dark = *in.Dark
	}
	if in.Background != "" {
		if !isHex(in.Background) {
			return s.fault(toml.Key{"background"}, "background "+strconv.Quote(in.Background)+" is not a colour", "write it as #rrggbb")
		}
		p.Background = in.Background
	}
	if p.Background == "" {
		return &FileError{File: s.file, What: "background is missing", Hint: "give the #rrggbb that the colours are drawn on"}
	}
	switch in.Selection {
	case "":
	case "tint":
		p.Selection = SelectionTint
	case "solid":
		p.Selection = SelectionSolid
	default:
		return s.fault(toml.Key{"selection"}, "selection "+strconv.Quote(in.Selection)+" is unknown", "use tint or solid")
	}
	return nil
}

// token reads one token into p.
func (s source) token(p *Palette, name string, in paletteFile) error {
	if name == "header_focus" { // of the column cursor, which users' palettes may still colour
		return nil
	}
	key := toml.Key{"tokens", name}
	t, ok := tokenByName(name)
	if !ok || t == Blank {
		return s.fault(key, "unknown token "+strconv.Quote(name), seeBuiltin+" lists the tokens")
	}
	tf := in.Tokens[name]
	if (tf.Fg == "") != (tf.ANSI == "") {
		return s.fault(key, name+": fg and ansi go together", `add the missing one; ansi = "default" keeps the terminal's own`)
	}
	if (tf.Bg == "") != (tf.ANSIBg == "") {
		return s.fault(key, name+": bg and ansi_bg go together", `add the missing one; ansi_bg = "default" keeps the terminal's own`)
	}
	orAttr := func(own *[]string) []string {
		if own == nil {
			return tf.Attr
		}
		return *own
	}
	var l Look
	var errs [9]error
	l.Fg, errs[0] = in.colour(tf.Fg)
	l.Bg, errs[1] = in.colour(tf.Bg)
	l.ANSIFg, errs[2] = parseANSI(tf.ANSI)
	l.ANSIBg, errs[3] = parseANSI(tf.ANSIBg)
	l.Fg256, errs[4] = parse256("fg_256", tf.Fg256, tf.Fg)
	l.Bg256, errs[5] = parse256("bg_256", tf.Bg256, tf.Bg)
	l.Attr, errs[6] = parseAttr(tf.Attr)
	l.ANSIAttr, errs[7] = parseAttr(orAttr(tf.ANSIAttr))
	l.Mono, errs[8] = parseAttr(orAttr(tf.Mono))
	if err := cmp.Or(errs[:]...); err != nil {
		return s.fault(key, name+": "+err.Error(), "")
	}
	p.looks[t] = l
	return nil
}

// colour resolves "#rrggbb" or a name under [colors].
func (in paletteFile) colour(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	if !strings.HasPrefix(v, "#") {
		named, ok := in.Colors[v]
		if !ok {
			return "", fmt.Errorf("colour %q is not under [colors]", v)
		}
		v = named
	}
	if !isHex(v) {
		return "", fmt.Errorf("%q is not a colour: write it as #rrggbb", v)
	}
	return strings.ToLower(v), nil
}

func isHex(v string) bool {
	if len(v) != 7 || v[0] != '#' {
		return false
	}
	_, err := strconv.ParseUint(v[1:], 16, 32)
	return err == nil
}

// parse256 checks a number of the 256 colours, which goes with a colour.
func parse256(key string, n *int64, colour string) (uint8, error) {
	switch {
	case n == nil:
		return 0, nil
	case colour == "":
		return 0, errors.New(key + ": it also needs the full colour")
	case *n < 16 || *n > 255:
		return 0, fmt.Errorf("%s: %d is not one of the 256 colours allowed here, 16 to 255", key, *n)
	}
	return uint8(*n), nil
}

func parseANSI(v string) (ANSI, error) {
	if v == "" || v == "default" {
		return NoANSI, nil
	}
	name, bright := strings.CutPrefix(v, "bright-")
	i := slices.Index(ansiNames(), name)
	switch {
	case i < 0:
		return NoANSI, fmt.Errorf("%q is not an ANSI colour: use default, %s, or one of these with bright-", v, strings.Join(ansiNames(), ", "))
	case bright:
		i += 8
	}
	return ANSI(i), nil
}

func ansiNames() []string {
	return []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
}

func parseAttr(vs []string) (Attr, error) {
	var a Attr
	for _, v := range vs {
		bit := map[string]Attr{"bold": Bold, "faint": Faded, "italic": Italic, "underline": Underline, "reverse": Reverse}[v]
		if bit == 0 {
			return 0, fmt.Errorf("%q is not an attribute: use bold, faint, italic, underline or reverse", v)
		}
		a |= bit
	}
	return a, nil
}

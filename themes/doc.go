// Package themes holds the colours of placetop as data.
//
// A Palette gives every semantic Token (what a piece of screen means, never
// what it looks like) a Look: a colour for terminals with 24 or 8 bits of
// colour, a designed colour among the 16 of ANSI, and the attributes that
// carry the meaning where there is no colour at all. Palettes are TOML files;
// ten are built in, and Load reads others from any fs.FS.
//
// The package knows no terminal and writes no escape sequence: tui/style turns
// a Palette into those. All values are immutable and may be shared.
package themes

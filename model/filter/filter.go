// Package filter is the language of filters, in the lists of the dashboard and in --where.
// It knows words and numbers; Fields says what the rows are.
package filter

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Unit is what a number counts; it decides what a suffix means.
type Unit uint8

// The units.
const (
	Count   Unit = iota // things: 2k is 2000
	MB                  // MiB: 64G is 65536
	GB                  // GiB: 2T is 2048
	Seconds             // a time: 4m is 240

	unitCount
)

// Value is what a field of a row holds, for a Filter to compare.
type Value struct {
	// Text is compared without regard to case.
	Text string
	// List is set for fields with several values: a term holds when it holds for one
	// of them. Text is then the form for people, "" for the values one by one.
	List []string
	// Numbers are set instead of a List where many rows share few words: Of has the
	// word of each, and a term is evaluated once for each word.
	Numbers []int32
	Of      *Words
	// Num is compared when IsNum is set, in units of Unit.
	Num   float64
	Unit  Unit
	IsNum bool
}

// Words are words that many rows share, each known by a small number.
type Words struct{ Word func(n int32) string }

// Numbered returns the value of a field that holds several of the given words.
func Numbered(words *Words, numbers ...int32) Value { return Value{Of: words, Numbers: numbers} }

// list returns the words of v.
func (v Value) list() []string {
	if v.Of == nil {
		return v.List
	}
	var out []string
	for _, n := range v.Numbers {
		out = append(out, v.Of.Word(n))
	}
	return out
}

// Words returns what v holds, word by word: nil for a number or an empty value.
func (v Value) Words() []string {
	if all := v.list(); len(all) > 0 || v.IsNum || v.Text == "" {
		return all
	}
	return []string{v.Text}
}

// Text returns the value of a field that holds a word.
func Text(s string) Value { return Value{Text: s} }

// List returns the value of a field that holds several words.
func List(ss ...string) Value { return Value{List: ss} }

// Number returns the value of a field that holds a number of units.
func Number(n float64, u Unit) Value { return Value{Num: n, Unit: u, IsNum: true} }

// String returns v for people, in the form that a filter takes: "95", "64G", "4m", the
// words of a list with spaces between.
func (v Value) String() string {
	switch {
	case !v.IsNum && v.Text == "":
		return strings.Join(v.list(), " ")
	case !v.IsNum:
		return v.Text
	}
	n, text := v.Num, ""
	for _, s := range suffixes(v.Unit) {
		if math.Abs(v.Num) < s.from {
			break
		}
		n, text = v.Num/s.size, s.text
	}
	return strconv.FormatFloat(math.Trunc(n*10)/10, 'f', -1, 64) + text
}

// suffix is a suffix for a unit's numbers from some size on.
type suffix struct {
	from, size float64
	text       string
}

// suffixes returns those of a unit, the smallest first.
func suffixes(u Unit) []suffix {
	switch u {
	case MB:
		return []suffix{{0, 1, "M"}, {1 << 10, 1 << 10, "G"}, {1 << 20, 1 << 20, "T"}}
	case GB:
		return []suffix{{0, 1, "G"}, {1 << 10, 1 << 10, "T"}}
	case Seconds:
		return []suffix{{0, 1, "s"}, {60, 60, "m"}, {3600, 3600, "h"}, {86400, 86400, "d"}}
	default:
		return nil
	}
}

// Fields resolves the fields that a filter may name.
type Fields interface {
	// Field returns a function that gets the field called name from a row, or nil.
	Field(name string) func(row int) Value
	// Names returns the names of all fields, for completion and errors.
	Names() []string
}

// Named is implemented by Fields that know filters by name: @name refers to one.
type Named interface {
	Filter(name string) (expr string, ok bool)
}

// Error reports what is wrong with a filter, and where.
type Error struct {
	Col  int // in characters, counted from 1
	What string
	Hint string // what to do about it; may be empty
}

// Error returns place, fault and hint in one line.
func (e *Error) Error() string {
	s := "column " + strconv.Itoa(e.Col) + ": " + e.What
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// Filter picks rows. It is made by Compile and may be used from several goroutines at
// once unless it names fields.
type Filter struct {
	expr string
	root node // nil for one that matches everything
}

// Compile reads a filter. Terms are separated by spaces and all must
// hold:
//
//	gpu            the key has this text, in any case
//	gpu.*a100      the key matches, as for any word with one of *+?()[]{}^$|\
//	/gpu a/        the same, for text with spaces or without such characters
//	"a b"          the key has exactly this text
//	-f gp41        the key has these letters in this order
//	owner=cyborg   the field is that; with * and ? as in file names, and a|b
//	owner!=nova    the field is not that
//	trait:vulkan   the field contains that
//	name~^cmp-0    the field matches
//	free>2 mem>=64G age<2d   the number in the field is greater or smaller
//	@name          the filter of that name, where fields are Named
//	!term          the term does not hold
//	a & b          both, as without the &
//	a | b          one of the two; ( ) group
//
// fields may be nil if there are none. Every error is an *Error.
func Compile(expr string, fields Fields) (*Filter, error) {
	root, err := parse(expr, fields)
	if err != nil {
		return nil, err
	}
	return &Filter{expr: expr, root: root}, nil
}

// String returns the filter as it was written.
func (f *Filter) String() string {
	if f == nil {
		return ""
	}
	return f.expr
}

// Empty reports whether f lets all rows pass. A nil filter does.
func (f *Filter) Empty() bool { return f == nil || f.root == nil }

// Match reports whether a row passes. The key is the row's text in lower case, as made
// by Key, for example.
func (f *Filter) Match(row int, key string) bool {
	return f.Empty() || f.root.match(row, key)
}

// Append appends to dst the numbers of the rows from..to-1 that pass; keys holds each
// row's text in lower case, as for Match. Callers with many rows filter them in parts,
// so that the first are on screen while the rest are being filtered.
func (f *Filter) Append(dst []int32, keys []string, from, to int) []int32 {
	for i := max(from, 0); i < min(to, len(keys)); i++ {
		if f.Match(i, keys[i]) {
			dst = append(dst, int32(i))
		}
	}
	return dst
}

// node is a part of a filter.
type node interface {
	match(row int, key string) bool
}

type (
	textNode  string
	fuzzyNode string
	notNode   struct{ node }
	andNode   []node
	orNode    []node
	regexNode struct {
		re *regexp.Regexp
		// need is a text that every match contains; it is searched for first, which is
		// many times faster.
		need string
	}
)

func (n textNode) match(_ int, key string) bool {
	text := said(key)
	return strings.Contains(text, string(n)) || len(text) < len(key) && len(n) >= leastOfID && strings.HasPrefix(key, string(n))
}

func (n fuzzyNode) match(_ int, key string) bool { return subsequence(string(n), said(key)) }

func (n notNode) match(row int, key string) bool { return !n.node.match(row, key) }

func (n andNode) match(row int, key string) bool {
	for _, x := range n {
		if !x.match(row, key) {
			return false
		}
	}
	return true
}

func (n orNode) match(row int, key string) bool {
	for _, x := range n {
		if x.match(row, key) {
			return true
		}
	}
	return false
}

func (n regexNode) match(_ int, key string) bool { return n.matches(said(key)) }

func (n regexNode) matches(key string) bool {
	return (n.need == "" || strings.Contains(key, n.need)) && n.re.MatchString(key)
}

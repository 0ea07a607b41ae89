package list

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// Cells are the cells that a list draws itself, such as bars and tags, by the key of their
// column.
type Cells[R any] map[string]func(l *component.Line, row R, at At)

// Show returns columns for fields and for the cells. Names has a word for each:
//
//	host:8-36+1~ model:12-40+4 used%=UNITS:7-24+1 found:7> uuid:36
//
// The name of a field may be followed by a heading, "=UNITS", with "_" for a space; by the
// least and the greatest width in cells, ":7-24", in place of the heading's; by its share of
// the width to spare, "+1"; by "~" for names that lose their middle where they are too long;
// and by ">" for cells at the right. A "|" begins those that are shown only when all columns
// are wanted. Drop names the columns that go where there is no room, the first to go first;
// those behind the "|" go before them.
func Show[R any](names, drop string, cells Cells[R]) Columns {
	var out Columns
	wide, dropped := false, strings.Fields(drop)
	for _, word := range strings.Fields(names) {
		if word == "|" {
			wide = true
			continue
		}
		word, right := strings.CutSuffix(word, ">")
		word, ends := strings.CutSuffix(word, "~")
		word, share, _ := strings.Cut(word, "+")
		word, width, _ := strings.Cut(word, ":")
		least, most, _ := strings.Cut(width, "-")
		key, title, titled := strings.Cut(word, "=")
		if !titled {
			title = headOf(key)
		}
		title = strings.ReplaceAll(title, "_", " ")
		c := &Column{Wide: wide, Column: component.Column{
			Key: key, Title: title, Min: number(word, least, len(title)), Max: number(word, most, 0), Flex: number(word, share, 0), KeepEnds: ends,
		}}
		if cell := cells[key]; cell != nil {
			c.Cell = func(l *component.Line, row any, at At) { cell(l, row.(R), at) }
		}
		if right {
			c.Align = component.AlignRight
		}
		if i := slices.Index(dropped, key); i >= 0 {
			c.Priority = len(dropped) - i
		} else if wide {
			c.Priority = len(dropped) + 1
		}
		out = append(out, c)
	}
	return out
}

// number returns a number in the word of a column, or another one for none. It panics if it is
// no number.
func number(word, text string, none int) int {
	if text == "" {
		return none
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("column %s: %v", word, err))
	}
	return n
}

// Columns are the columns of a list or of a table outside one.
type Columns []*Column

// In gives columns, named by their keys, one colour.
func (c Columns) In(t themes.Token, keys string) Columns {
	for _, key := range strings.Fields(keys) {
		c.Of(key).Token = t
	}
	return c
}

// Of returns the column with a key. It panics if there is none.
func (c Columns) Of(key string) *Column {
	return c[slices.IndexFunc(c, func(c *Column) bool { return c.Key == key })]
}

// By returns orders by fields of the kind: one with a "-" in front begins with the largest. A
// column that shows the field by another name follows it: "-used%=units".
func By[R any](names string) []Order[R] {
	var out []Order[R]
	for _, name := range strings.Fields(names) {
		name, desc := strings.CutPrefix(name, "-")
		name, column, _ := strings.Cut(name, "=")
		out = append(out, Order[R]{Name: name, Column: column, Desc: desc})
	}
	return out
}

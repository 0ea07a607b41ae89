package filter

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The text of a row consists of its uuid and a separator, if it has one, followed by its
// columns, each on its own line. A word matches the uuid only at its beginning.
const (
	idLen     = 36
	afterID   = 0
	leastOfID = 4 // how many characters of an id are enough to mean it: many ids share fewer
)

// Key returns the text of a row with several texts and an id, "" for none: a filter
// looks for words in each text by itself, and at the beginning of the uuid.
func Key(id string, says ...string) string {
	var b strings.Builder
	if len(id) == idLen {
		b.WriteString(id)
		b.WriteByte(afterID)
	}
	from := b.Len()
	for _, s := range says {
		switch {
		case s == "":
			continue
		case b.Len() > from:
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	return strings.ToLower(b.String())
}

// said returns a key without the id.
func said(key string) string {
	if len(key) > idLen && key[idLen] == afterID {
		return key[idLen+1:]
	}
	return key
}

// WordRank says how well a key matches a word, which are both in lower case: 0 if it has it
// as a whole word, 1 from the beginning of one, 2 within one, and 3 if it does not have it.
func WordRank(key, word string) int {
	best := 3
	for from := 0; word != ""; {
		i := strings.Index(key[from:], word)
		if i < 0 {
			break
		}
		i += from
		begins := i == 0 || !inWord(key[i-1])
		end := i + len(word)
		switch {
		case begins && (end == len(key) || !inWord(key[end])):
			return 0
		case begins:
			best = 1
		default:
			best = min(best, 2)
		}
		from = end
	}
	return best
}

// fillers are the words of a question that say nothing about what is looked for.
const fillers = " a all an and any are at be but by can can't cannot could do does doesn't did didn't for from get had has have how i if in into is isn't it its just me my not of off on or out so still than that the their them there they this to too up was we were what when where which who whom whose why will with won't would "

// Asked returns the words of a question that say what is looked for, in lower case; all of its
// words if none does.
func Asked(question string) []string {
	all := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("?!,;", r) })
	if said := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return strings.Contains(fillers, " "+w+" ") }); len(said) > 0 {
		return said
	}
	return all
}

// Best returns what answers a question best, best first. Text is all that one of them is
// looked for by, in lower case; what comes after a line break explains it, and counts for less than
// a whole word before that. Whoever has all words comes alone, and where nobody has, those
// that have most of them; words within words count only if nothing else is found.
func Best[T any](all []T, text func(T) string, asked []string) []T {
	type hit struct {
		of          T
		lacks, rank int
	}
	for _, worst := range []int{1, 2} {
		var hits []hit
		least := len(asked)
		for _, of := range all {
			h, in := hit{of: of}, text(of)
			for _, w := range asked {
				if r := answerRank(in, w); r > worst {
					h.lacks++
				} else {
					h.rank = max(h.rank, r)
				}
			}
			hits, least = append(hits, h), min(least, h.lacks)
		}
		if least == len(asked) {
			continue
		}
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.lacks > least })
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
		var out []T
		for _, h := range hits {
			out = append(out, h.of)
		}
		return out
	}
	return nil
}

// answerRank is WordRank of what stands before a line break, or as of the beginning of a word of
// what stands after it.
func answerRank(text, word string) int {
	names, explains, _ := strings.Cut(text, "\n")
	return min(WordRank(names, word), max(WordRank(explains, word), 1))
}

// inWord reports whether a byte is of a letter or a digit.
func inWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= utf8.RuneSelf
}

// Texts reports whether f looks at the texts of rows, and not only at fields.
func (f *Filter) Texts() bool { return !f.Empty() && texts(f.root) }

func texts(n node) bool {
	switch n := n.(type) {
	case textNode, fuzzyNode, regexNode:
		return true
	case notNode:
		return texts(n.node)
	case andNode:
		return anyTexts(n)
	case orNode:
		return anyTexts(n)
	}
	return false
}

func anyTexts(all []node) bool {
	return slices.ContainsFunc(all, texts)
}

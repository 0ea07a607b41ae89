package filter

import (
	"strconv"
	"strings"
)

// fieldNode is a term on a field.
type fieldNode struct {
	get func(row int) Value
	op  string
	// alts are the values in lower case; one of them must hold.
	alts []fieldAlt
	told *verdicts
}

// verdicts are whether a term holds for words that many rows share, by their numbers.
type verdicts struct {
	of    *Words
	known []int8 // 1 if it holds, -1 if it does not, 0 until that is known
}

// holds reports whether the term holds for a word.
func (n *fieldNode) holds(of *Words, number int32, op string) bool {
	t := n.told
	if t.of != of {
		*t = verdicts{of: of}
	}
	if more := int(number) + 1 - len(t.known); more > 0 {
		t.known = append(t.known, make([]int8, more)...)
	}
	if t.known[number] == 0 {
		t.known[number] = -1
		if n.any(Value{Text: of.Word(number)}, op) {
			t.known[number] = 1
		}
	}
	return t.known[number] > 0
}

// fieldAlt is one value that a field is compared with.
type fieldAlt struct {
	text string
	glob bool
	re   regexNode // for ~
	// num is the value as a number, in each unit; isNum says in which it is one.
	num   [unitCount]float64
	isNum [unitCount]bool
}

func (n *fieldNode) match(row int, _ string) bool {
	v := n.get(row)
	if n.op == "!=" {
		return !n.any(v, "=")
	}
	return n.any(v, n.op)
}

func (n *fieldNode) any(v Value, op string) bool {
	for _, number := range v.Numbers {
		if n.holds(v.Of, number, op) {
			return true
		}
	}
	if len(v.Numbers) > 0 {
		return false
	}
	for i := range n.alts {
		a := &n.alts[i]
		if len(v.List) == 0 {
			if a.holds(v, op) {
				return true
			}
			continue
		}
		for _, s := range v.List {
			if a.holds(Value{Text: s}, op) {
				return true
			}
		}
	}
	return false
}

func (a *fieldAlt) holds(v Value, op string) bool {
	if v.IsNum {
		if int(v.Unit) < len(a.num) && a.isNum[v.Unit] {
			n := a.num[v.Unit]
			switch op {
			case ">":
				return v.Num > n
			case "<":
				return v.Num < n
			case ">=":
				return v.Num >= n
			case "<=":
				return v.Num <= n
			case "=":
				return v.Num == n
			}
		}
		v.Text = strconv.FormatFloat(v.Num, 'f', -1, 64)
	}
	text := strings.ToLower(v.Text)
	switch op {
	case "=":
		if a.glob {
			return globMatch(a.text, text)
		}
		return text == a.text
	case ":":
		if a.glob {
			return globMatch("*"+a.text+"*", text)
		}
		return strings.Contains(text, a.text)
	case "~":
		return a.re.matches(text)
	default:
		return false
	}
}

// globMatch reports whether s is like the pattern, in which * stands for any
// text and ? for any one byte.
func globMatch(pattern, s string) bool {
	star, from := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// parseNumber reads a number with an optional suffix into every unit that
// knows the suffix: 2, 1.5k, 64G, 90%, 2d.
func parseNumber(s string) (num [unitCount]float64, ok [unitCount]bool) {
	digits := strings.TrimRight(s, "kKmMgGtTpPsShHdDwWyY%")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || digits == "" || strings.ContainsAny(digits, "xXnNiIpP_") {
		return num, ok
	}
	set := func(u Unit, factor float64) { num[u], ok[u] = n*factor, true }
	switch suffix := s[len(digits):]; suffix {
	case "", "%":
		for u := range num {
			set(Unit(u), 1)
		}
	case "k", "K":
		set(Count, 1e3)
	case "M":
		set(Count, 1e6)
		set(MB, 1)
		set(GB, 1.0/1024)
	case "G":
		set(Count, 1e9)
		set(MB, 1<<10)
		set(GB, 1)
	case "T":
		set(MB, 1<<20)
		set(GB, 1<<10)
	case "P":
		set(MB, 1<<30)
		set(GB, 1<<20)
	case "s":
		set(Seconds, 1)
	case "m":
		set(Seconds, 60)
	case "h":
		set(Seconds, 3600)
	case "d":
		set(Seconds, 86400)
	case "w":
		set(Seconds, 7*86400)
	case "y":
		set(Seconds, 365*86400)
	}
	return num, ok
}

// subsequence reports whether the bytes of pattern occur in s in this order. Spaces in
// the pattern do not count.
func subsequence(pattern, s string) bool {
	for i := range len(pattern) {
		if pattern[i] == ' ' {
			continue
		}
		at := strings.IndexByte(s, pattern[i])
		if at < 0 {
			return false
		}
		s = s[at+1:]
	}
	return true
}

package component

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
}

// fieldAlt is one value that a field is compared with.
type fieldAlt struct {
	text string
	glob bool
	re   regexNode // for ~
	// num is the value as a number, in each unit; isNum says where it is one.
	num   [unitCount]float64
	isNum [unitCount]bool
}

func (n fieldNode) match(row int, _ string) bool {
	v := n.get(row)
	if n.op == "!=" {
		return !n.any(v, "=")
	}
	return n.any(v, n.op)
}

func (n fieldNode) any(v Value, op string) bool {
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
		set(UnitCount, 1e3)
	case "M":
		set(UnitCount, 1e6)
		set(UnitMB, 1)
		set(UnitGB, 1.0/1024)
	case "G":
		set(UnitCount, 1e9)
		set(UnitMB, 1<<10)
		set(UnitGB, 1)
	case "T":
		set(UnitMB, 1<<20)
		set(UnitGB, 1<<10)
	case "P":
		set(UnitMB, 1<<30)
		set(UnitGB, 1<<20)
	case "s":
		set(UnitSeconds, 1)
	case "m":
		set(UnitSeconds, 60)
	case "h":
		set(UnitSeconds, 3600)
	case "d":
		set(UnitSeconds, 86400)
	case "w":
		set(UnitSeconds, 7*86400)
	case "y":
		set(UnitSeconds, 365*86400)
	}
	return num, ok
}

package filter

import (
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/placetop/placetop/model/suggest"
)

// lexKind is a kind of piece of a filter.
type lexKind uint8

const (
	lexEnd    lexKind = iota
	lexWord           // a term
	lexQuoted         // a text in quotes
	lexRegex          // an expression between slashes
	lexNot            // !
	lexOr             // | between spaces
	lexAnd            // & between spaces
	lexOpen           // (
	lexClose          // )
	lexFuzzy          // -f
)

// lexeme is a piece of a filter and the byte where it begins.
type lexeme struct {
	kind lexKind
	text string
	pos  int
}

// parser reads a filter by recursive descent.
type parser struct {
	expr   string
	fields Fields
	pos    int // of the next byte to read
	next   lexeme
	depth  int
	inside []string // the names of the filters being expanded
}

// pciAddress is an address on the PCI bus, or its beginning, possibly after the name of a
// host, as in the name of a provider: if it begins with a letter it looks like a field
// and its value.
var pciAddress = regexp.MustCompile(`^(?i:(.*_)?([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{0,2}(\.[0-7]?)?)$`)

// maxDepth is how deep groups may be nested.
const maxDepth = 50

func parse(expr string, fields Fields) (node, error) {
	return (&parser{expr: expr, fields: fields}).all()
}

// all reads the whole filter.
func (p *parser) all() (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.next.kind == lexEnd {
		return nil, nil
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.next.kind == lexClose {
		return nil, p.fault(p.next.pos, "this ) has no matching (", `to search for the character itself, put it in quotes: ")"`)
	}
	return n, nil
}

func (p *parser) fault(pos int, what, hint string) *Error {
	col := utf8.RuneCountInString(p.expr[:min(pos, len(p.expr))]) + 1
	return &Error{Col: col, What: what, Hint: hint}
}

// or reads terms with | between them.
func (p *parser) or() (node, error) {
	var alts orNode
	for {
		n, err := p.and()
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
		if p.next.kind != lexOr {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if len(alts) == 1 {
		return alts[0], nil
	}
	return alts, nil
}

// and reads terms that all must hold, with or without & between them.
func (p *parser) and() (node, error) {
	var all andNode
	missing := true // a term must follow
	for {
		switch p.next.kind {
		case lexEnd, lexOr, lexClose:
			switch {
			case missing:
				return nil, p.missing()
			case len(all) == 1:
				return all[0], nil
			}
			return all, nil
		case lexAnd:
			if missing {
				return nil, p.missing()
			}
			missing = true
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		default:
			missing = false
		}
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
}

// missing is the error that there is no term before the next piece.
func (p *parser) missing() error {
	return p.fault(p.next.pos, "a term is missing", "write what to search for")
}

// term reads one term and the operators before it.
func (p *parser) term() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fault(p.next.pos, "too deeply nested", "use fewer ( or !")
	}
	defer func() { p.depth-- }()
	lx := p.next
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch lx.kind {
	case lexNot:
		if k := p.next.kind; k == lexEnd || k == lexOr || k == lexAnd || k == lexClose {
			return nil, p.fault(lx.pos, "nothing follows the !", "write what must not match, or \"!\" in quotes for the character itself")
		}
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		return notNode{n}, nil
	case lexOpen:
		n, err := p.or()
		if err != nil {
			return nil, err
		}
		if p.next.kind != lexClose {
			return nil, p.fault(lx.pos, "this ( is not closed", "add the closing )")
		}
		return n, p.advance()
	case lexFuzzy:
		if p.next.kind != lexWord && p.next.kind != lexQuoted {
			return nil, p.fault(lx.pos, "nothing follows -f", "write the letters to search for")
		}
		n := fuzzyNode(strings.ToLower(p.next.text))
		return n, p.advance()
	case lexQuoted:
		return textNode(strings.ToLower(lx.text)), nil
	case lexRegex:
		return p.regex(lx.text, lx.pos)
	default:
		return p.word(lx)
	}
}

// word makes a term of a bare word.
func (p *parser) word(lx lexeme) (node, error) {
	if name, op, value, ok := splitField(lx.text); ok {
		return p.field(lx, name, op, value)
	}
	if name, ok := strings.CutPrefix(lx.text, "@"); ok && name != "" {
		if known, ok := p.fields.(Named); ok {
			return p.named(known, lx, name)
		}
	}
	if strings.ContainsAny(lx.text, `*+?()[]{}^$|\`) {
		return p.regex(lx.text, lx.pos)
	}
	return textNode(strings.ToLower(lx.text)), nil
}

// named reads the filter that a name stands for.
func (p *parser) named(known Named, lx lexeme, name string) (node, error) {
	expr, ok := known.Filter(name)
	if !ok {
		return nil, p.fault(lx.pos, "there is no filter @"+name, `save one with :save NAME, or put the text in quotes: "@`+name+`"`)
	}
	if slices.Contains(p.inside, name) {
		return nil, p.fault(lx.pos, "the filter @"+name+" refers to itself", "save it again without its own name")
	}
	n, err := (&parser{expr: expr, fields: p.fields, inside: append(slices.Clip(p.inside), name)}).all()
	if err != nil {
		return nil, p.fault(lx.pos, "@"+name+" is "+expr+", which is not valid here", err.Error())
	}
	if n == nil {
		return textNode(""), nil
	}
	return n, nil
}

// splitField splits name, operator and value of a term on a field.
func splitField(s string) (name, op, value string, ok bool) {
	i := 0
	for i < len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '.' || c == '%')) {
			break
		}
		i++
	}
	if i == 0 {
		return "", "", "", false
	}
	for _, op := range []string{"!=", ">=", "<=", "=", ">", "<", ":", "~"} {
		if strings.HasPrefix(s[i:], op) {
			return s[:i], op, s[i+len(op):], true
		}
	}
	return "", "", "", false
}

// Nameable reports whether a filter can use name as the name of a field: some
// characters would begin another term.
func Nameable(name string) bool {
	got, _, _, ok := splitField(name + "=")
	return ok && got == name
}

// otherName is what some lists call a field that others name otherwise, "" for any other.
func otherName(name string) string {
	switch name {
	case "status":
		return "state"
	case "state":
		return "status"
	case "tenant":
		return "project"
	case "vm", "server":
		return "name"
	}
	return ""
}

// field makes a term on a field.
func (p *parser) field(lx lexeme, name, op, value string) (node, error) {
	var get func(row int) Value
	var names []string
	if p.fields != nil {
		if get = p.fields.Field(name); get == nil {
			name = strings.ToLower(name)
			if get = p.fields.Field(name); get == nil {
				get = p.fields.Field(otherName(name))
			}
		}
		names = slices.SortedStableFunc(slices.Values(p.fields.Names()), cmp.Compare)
	}
	if get == nil && op == ":" && pciAddress.MatchString(lx.text) {
		return textNode(strings.ToLower(lx.text)), nil
	}
	if get == nil {
		hint := "this list has no fields; put it in quotes to search for the text"
		if len(names) > 0 {
			hint = "the fields are " + strings.Join(names, ", ")
			if like := suggest.Nearest(name, names); len(like) > 0 {
				hint = "try " + like[0] + "; " + hint
			}
		}
		return nil, p.fault(lx.pos, "unknown field "+strconv.Quote(name), hint)
	}
	n := &fieldNode{get: get, op: op, told: &verdicts{}}
	at := lx.pos + len(name) + len(op)
	alts := []string{value}
	quoted := len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"'
	switch {
	case quoted:
		alts[0] = value[1 : len(value)-1]
	case op != "~":
		alts = strings.Split(value, "|")
	}
	for _, v := range alts {
		a := fieldAlt{text: strings.ToLower(v)}
		a.num, a.isNum = parseNumber(v)
		switch op {
		case ">", "<", ">=", "<=":
			if !slices.Contains(a.isNum[:], true) {
				return nil, p.fault(at, strconv.Quote(v)+" is not a number", "write one like 2, 1.5k, 64G or 2d")
			}
		case "~":
			re, err := p.regex(v, at)
			if err != nil {
				return nil, err
			}
			if rn, ok := re.(regexNode); ok {
				a.re = rn
			}
		default:
			a.glob = !quoted && strings.ContainsAny(v, "*?")
		}
		n.alts = append(n.alts, a)
	}
	return n, nil
}

// regex compiles an expression for keys in lower case.
func (p *parser) regex(expr string, pos int) (node, error) {
	// Each column of a key is on its own line.
	re, err := syntax.Parse(expr, syntax.Perl&^syntax.OneLine|syntax.FoldCase)
	if err != nil {
		what, hint := err.Error(), "put it in quotes to search for the exact text"
		if se, ok := errors.AsType[*syntax.Error](err); ok {
			what = string(se.Code)
			if se.Expr != "" {
				what += " " + strconv.Quote(se.Expr)
			}
			switch se.Code {
			case syntax.ErrMissingRepeatArgument:
				hint = "write .* for anything"
			case syntax.ErrMissingParen, syntax.ErrMissingBracket, syntax.ErrUnexpectedParen:
				hint = `close it, or write \ before it to match the character itself`
			default:
			}
			if i := strings.Index(expr, se.Expr); i > 0 {
				pos += i
			}
		}
		return nil, p.fault(pos, "expression: "+what, hint)
	}
	// The keys are in lower case. With the expression in lower case too, it need not fold
	// case, and the matcher can search for its literals.
	lowerRegex(re)
	c, err := regexp.Compile(re.String())
	if err != nil {
		return nil, p.fault(pos, "expression: "+err.Error(), "make it shorter")
	}
	return regexNode{re: c, need: needed(re)}, nil
}

// lowerRegex turns the literals of a case-folding expression into lower case that need
// not be folded. Classes have both cases already.
func lowerRegex(re *syntax.Regexp) {
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 {
		for i, r := range re.Rune {
			re.Rune[i] = unicode.ToLower(r)
		}
		re.Flags &^= syntax.FoldCase
	}
	for _, sub := range re.Sub {
		lowerRegex(sub)
	}
}

// needed returns the longest text that every match of re contains.
func needed(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if s := needed(sub); len(s) > len(best) {
				best = s
			}
		}
		return best
	default:
	}
	return ""
}

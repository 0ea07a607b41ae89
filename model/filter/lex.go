package filter

import "strings"

// advance reads the next piece into p.next.
func (p *parser) advance() error {
	s := p.expr
	for p.pos < len(s) && (s[p.pos] == ' ' || s[p.pos] == '\t') {
		p.pos++
	}
	at := p.pos
	one := func(k lexKind) error {
		p.pos++
		p.next = lexeme{kind: k, pos: at}
		return nil
	}
	if at == len(s) {
		p.next = lexeme{kind: lexEnd, pos: at}
		return nil
	}
	switch s[at] {
	case '"':
		end := strings.IndexByte(s[at+1:], '"')
		if end < 0 {
			return p.fault(at, "this quote is not closed", `add the closing "`)
		}
		p.pos = at + end + 2
		p.next = lexeme{kind: lexQuoted, text: s[at+1 : at+1+end], pos: at}
		return nil
	case '/':
		return p.slashes(at)
	case ')':
		return one(lexClose)
	case '!':
		return one(lexNot)
	}
	w := p.rawWord(at)
	switch {
	case w == "|":
		return one(lexOr)
	case w == "&":
		return one(lexAnd)
	case w == "-f":
		p.pos += 2
		p.next = lexeme{kind: lexFuzzy, pos: at}
		return nil
	case w[0] == '(' && opensGroup(w):
		return one(lexOpen)
	}
	// An unmatched ) closes a group around the word.
	for strings.HasSuffix(w, ")") && !strings.HasSuffix(w, `\)`) && strings.Count(w, ")") > strings.Count(w, "(") {
		w = w[:len(w)-1]
	}
	p.pos = at + len(w)
	p.next = lexeme{kind: lexWord, text: w, pos: at}
	return nil
}

// rawWord returns the word at a place: up to a space that is not in quotes.
func (p *parser) rawWord(at int) string {
	s := p.expr[at:]
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"' && i > 0:
			quoted = !quoted
		case (s[i] == ' ' || s[i] == '\t') && !quoted:
			return s[:i]
		}
	}
	if quoted {
		// The quote is never closed: it is an ordinary character.
		if i := strings.IndexAny(s, " \t"); i >= 0 {
			return s[:i]
		}
	}
	return s
}

// opensGroup reports whether the ( that w begins with groups terms, rather
// than belonging to an expression such as (a|b)c.
func opensGroup(w string) bool {
	if strings.Count(w, "(") != strings.Count(w, ")") {
		return true
	}
	_, _, _, field := splitField(strings.TrimLeft(w, "(!"))
	return field || w == "()"
}

// slashes reads an expression between slashes.
func (p *parser) slashes(at int) error {
	s := p.expr
	for i := at + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '/':
			p.pos = i + 1
			p.next = lexeme{kind: lexRegex, text: strings.ReplaceAll(s[at+1:i], `\/`, "/"), pos: at}
			return nil
		}
	}
	return p.fault(at, "this / is not closed", `add the closing /, or put the text in quotes`)
}

package body

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// mostDepth is how deep arrays and objects may be nested: about the depth at which Python
// gives up.
const mostDepth = 900

// mostValues is the most values in a text: a reshape of ten thousand instances has about
// 150,000, and each takes a hundred bytes of memory.
const mostValues = 1 << 20

// mostDigits is the most digits of a whole number.
//
// Source: sys.int_info.default_max_str_digits.
const mostDigits = 4300

// Parse reads JSON as Python's json.loads does, NaN and Infinity included. The error
// has its wording.
func Parse(text []byte) (Value, error) {
	if at := firstBad(text); at >= 0 {
		return Value{}, badUTF8(text, at)
	}
	p := &parser{text: string(text)}
	if strings.HasPrefix(p.text, "\ufeff") {
		return Value{}, p.fault("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
	}
	p.blanks()
	var v Value
	if err := p.value(&v, 0); err != nil {
		return Value{}, err
	}
	p.blanks()
	if p.at < len(p.text) {
		return Value{}, p.fault("Extra data", p.at)
	}
	return v, nil
}

func firstBad(text []byte) int {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// badUTF8 returns the error for the bytes at a position.
func badUTF8(text []byte, at int) error {
	why := "invalid continuation byte"
	c := text[at]
	switch {
	case c < 0xc2 || c > 0xf4:
		why = "invalid start byte"
	case !utf8.FullRune(text[at:]):
		why = "unexpected end of data"
	}
	return fmt.Errorf("'utf-8' codec can't decode byte 0x%02x in position %d: %s", c, at, why)
}

type parser struct {
	text   string
	at     int
	values int // read so far
}

// fault returns an error with the line and column of a byte.
func (p *parser) fault(what string, at int) error {
	before := p.text[:at]
	line := 1 + strings.Count(before, "\n")
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%s: line %d column %d (char %d)", what, line, column, utf8.RuneCountInString(before))
}

func (p *parser) blanks() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// next returns the byte at the position, 0 at the end.
func (p *parser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) word(w string) bool {
	if strings.HasPrefix(p.text[p.at:], w) {
		p.at += len(w)
		return true
	}
	return false
}

func (p *parser) value(v *Value, depth int) error {
	if p.values++; p.values > mostValues {
		return p.fault("Too many values", p.at)
	}
	if depth > mostDepth {
		return p.fault("Too deep", p.at)
	}
	switch c := p.next(); {
	case c == '"':
		var err error
		v.Kind = String
		v.Str, err = p.str()
		return err
	case c == '{':
		return p.object(v, depth)
	case c == '[':
		return p.array(v, depth)
	case p.word("null"):
		v.Kind = Null
		return nil
	case p.word("true"):
		v.Kind, v.Bool = Bool, true
		return nil
	case p.word("false"):
		v.Kind = Bool
		return nil
	case p.word("NaN"):
		v.Kind, v.Float = Float, math.NaN()
		return nil
	case p.word("Infinity"):
		v.Kind, v.Float = Float, math.Inf(1)
		return nil
	case p.word("-Infinity"):
		v.Kind, v.Float = Float, math.Inf(-1)
		return nil
	case c == '-' || c >= '0' && c <= '9':
		return p.number(v)
	}
	return p.fault("Expecting value", p.at)
}

func (p *parser) digits(from int) int {
	for from < len(p.text) && p.text[from] >= '0' && p.text[from] <= '9' {
		from++
	}
	return from
}

func (p *parser) number(v *Value) error {
	start := p.at
	at := start
	if p.text[at] == '-' {
		at++
	}
	end := p.digits(at)
	switch {
	case end == at:
		return p.fault("Expecting value", start)
	case p.text[at] == '0':
		end = at + 1
	}
	whole := true
	if end < len(p.text) && p.text[end] == '.' {
		if more := p.digits(end + 1); more > end+1 {
			end, whole = more, false
		}
	}
	if end < len(p.text) && (p.text[end] == 'e' || p.text[end] == 'E') {
		from := end + 1
		if from < len(p.text) && (p.text[from] == '+' || p.text[from] == '-') {
			from++
		}
		if more := p.digits(from); more > from {
			end, whole = more, false
		}
	}
	p.at = end
	text := p.text[start:end]
	if !whole {
		v.Kind = Float
		v.Float, _ = strconv.ParseFloat(text, 64) // out of range is infinity, as in Python
		return nil
	}
	v.Kind = Int
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		v.Int = n
		return nil
	}
	if end-at > mostDigits {
		return fmt.Errorf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", mostDigits, end-at) //nolint:staticcheck // as Python says it
	}
	v.Big, _ = new(big.Int).SetString(text, 10)
	return nil
}

// str reads a string at its opening quote.
func (p *parser) str() (string, error) {
	open := p.at
	p.at++
	from := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[from:p.at]
			p.at++
			return s, nil
		case c == '\\':
			return p.escaped(open, from)
		case c < ' ':
			return "", p.fault("Invalid control character at", p.at)
		default:
			p.at++
		}
	}
	return "", p.fault("Unterminated string starting at", open)
}

// escaped reads the rest of a string that has an escape.
func (p *parser) escaped(open, from int) (string, error) {
	var b strings.Builder
	b.WriteString(p.text[from:p.at])
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return b.String(), nil
		case c < ' ':
			return "", p.fault("Invalid control character at", p.at-1)
		case c != '\\':
			b.WriteByte(c)
			continue
		case p.at >= len(p.text):
			return "", p.fault("Unterminated string starting at", open)
		}
		c = p.text[p.at]
		p.at++
		if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[i])
			continue
		}
		if c != 'u' {
			return "", p.fault(`Invalid \escape`, p.at-2)
		}
		r, err := p.unit()
		if err != nil {
			return "", err
		}
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if p.word(`\u`) {
				if low, err = p.unit(); err != nil {
					return "", err
				}
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return "", p.fault("Half of a surrogate pair", open)
			}
		}
		b.WriteRune(r)
	}
	return "", p.fault("Unterminated string starting at", open)
}

// unit reads four hexadecimal digits.
func (p *parser) unit() (rune, error) {
	if p.at+4 <= len(p.text) {
		if n, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16); err == nil {
			p.at += 4
			return rune(n), nil
		}
	}
	return 0, p.fault(`Invalid \uXXXX escape`, p.at-1)
}

func (p *parser) array(v *Value, depth int) error {
	v.Kind = Array
	p.at++
	p.blanks()
	if p.next() == ']' {
		p.at++
		return nil
	}
	for {
		v.Items = append(v.Items, Value{})
		if err := p.value(&v.Items[len(v.Items)-1], depth+1); err != nil {
			return err
		}
		p.blanks()
		switch p.next() {
		case ',':
			p.at++
			p.blanks()
		case ']':
			p.at++
			return nil
		default:
			return p.fault("Expecting ',' delimiter", p.at)
		}
	}
}

// fewMembers is up to how many members a key is found by a linear search.
const fewMembers = 16

func (p *parser) object(v *Value, depth int) error {
	v.Kind = Object
	p.at++
	p.blanks()
	if p.next() == '}' {
		p.at++
		return nil
	}
	var index map[string]int
	for {
		if p.next() != '"' {
			return p.fault("Expecting property name enclosed in double quotes", p.at)
		}
		key, err := p.str()
		if err != nil {
			return err
		}
		p.blanks()
		if p.next() != ':' {
			return p.fault("Expecting ':' delimiter", p.at)
		}
		p.at++
		p.blanks()
		var member Value
		if err := p.value(&member, depth+1); err != nil {
			return err
		}
		if index == nil && len(v.Members) == fewMembers {
			index = make(map[string]int, 4*fewMembers)
			for i, m := range v.Members {
				index[m.Key] = i
			}
		}
		v.put(key, member, index)
		p.blanks()
		switch p.next() {
		case ',':
			p.at++
			p.blanks()
		case '}':
			p.at++
			return nil
		default:
			return p.fault("Expecting ',' delimiter", p.at)
		}
	}
}

// put sets the member of a key: the last of several wins, in the place of the first.
func (v *Value) put(key string, member Value, index map[string]int) {
	if index == nil {
		if m := v.member(key); m != nil {
			m.Value = member
			return
		}
	} else {
		if i, ok := index[key]; ok {
			v.Members[i].Value = member
			return
		}
		index[key] = len(v.Members)
	}
	v.Members = append(v.Members, Member{key, member})
}

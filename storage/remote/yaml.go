package remote

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parseClouds reads the clouds below a key of a text, tables unless they are wrong. Those
// that cannot be read are nil, with the reason in faults, and spoil no other: if the text as
// a whole is no YAML, it is split into clouds without reading what they say.
func parseClouds(text []byte, key string) (clouds map[string]any, faults map[string]error, err error) {
	if clouds, err = decodeClouds(string(text), key); err == nil {
		return clouds, nil, nil
	}
	blocks := cloudBlocks(string(text), key)
	if len(blocks) == 0 {
		return nil, nil, err
	}
	clouds, faults = map[string]any{}, map[string]error{}
	rest := strings.SplitAfter(string(text), "\n")
	for _, b := range blocks {
		alone, err := decodeClouds(b.alone(key), key)
		if clouds[b.name] = alone[b.name]; err == nil {
			continue
		}
		faults[b.name] = err
		if !strings.Contains(err.Error(), "unknown anchor") { // which another one may have
			for i := range strings.Count(b.text, "\n") {
				rest[b.line+i] = "\n"
			}
		}
	}
	if others, err := decodeClouds(strings.Join(rest, ""), key); err == nil && !blocks[0].flow {
		for name, of := range others {
			clouds[name] = of
			delete(faults, name)
		}
	}
	return clouds, faults, nil // if there are no faults, what is wrong is none of the clouds
}

// The keys of the clouds in clouds.yaml and secure.yaml, and in clouds-public.yaml.
const (
	cloudsKey = "clouds"
	publicKey = "public-clouds"
)

// mostNodes is how many values a file of clouds may have, each alias counted with all that it
// stands for.
const mostNodes = 1 << 17

// decodeClouds reads the clouds below a key of a text that is YAML.
func decodeClouds(text, key string) (map[string]any, error) {
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(text), &file); err != nil || file.IsZero() || file.Content[0].ShortTag() == "!!null" {
		return nil, err
	}
	r := yamlReader{left: mostNodes}
	top, ok := r.value(file.Content[0], 0).(table)
	clouds, is := top[key].(table)
	if below := top[key]; !ok || !is && below != nil && below != "" {
		r.fail(&file, "wrong type of value")
	}
	return clouds, r.err
}

// yamlReader reads values of YAML: as tables, lists, and the texts that the file has.
type yamlReader struct {
	left int // how many nodes may still be read
	err  error
}

// fail keeps the first thing that is wrong.
func (r *yamlReader) fail(at *yaml.Node, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d: %s", at.Line, what)
	}
}

// value reads a node. The keys of a cloud, which is at depth 2, have _ for -.
func (r *yamlReader) value(n *yaml.Node, depth int) any {
	if r.left--; r.left < 0 {
		r.fail(n, "too many values")
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth)
	case yaml.MappingNode:
		return r.table(n, depth)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, each := range n.Content {
			list[i] = r.value(each, depth)
		}
		return list
	case yaml.ScalarNode, yaml.DocumentNode:
	}
	if n.ShortTag() == "!!null" {
		return ""
	}
	return n.Value
}

// table reads a mapping.
func (r *yamlReader) table(n *yaml.Node, depth int) table {
	own, merged := table{}, table{}
	for pair := range slices.Chunk(n.Content, 2) {
		if pair[0].ShortTag() == "!!merge" {
			value := r.value(pair[1], depth) // its keys become keys of this mapping
			of, ok := value.([]any)
			if !ok {
				of = []any{value}
			}
			for _, each := range slices.Backward(of) { // the first one counts
				if each, ok := each.(table); ok {
					maps.Copy(merged, each)
				}
			}
			continue
		}
		value := r.value(pair[1], depth+1)
		key, _ := r.value(pair[0], depth+1).(string)
		if depth > 1 {
			key = strings.ReplaceAll(key, "-", "_")
		}
		own[key] = value
	}
	maps.Copy(merged, own)
	return merged
}

// cloudBlock is the lines of a cloud.
type cloudBlock struct {
	name string
	line int // the number of lines before it
	text string
	flow bool // in { and }
}

// alone returns the text of a file with only this cloud, on the lines that it has.
func (b cloudBlock) alone(key string) string {
	if b.flow {
		return strings.Repeat("\n", b.line) + "{" + key + ": {" + strings.TrimRight(b.text, ", \t\r\n") + "}}"
	}
	return key + ":\n" + strings.Repeat("\n", max(b.line-1, 0)) + b.text
}

// cloudBlocks splits the text of a file into its clouds, without reading what they say.
func cloudBlocks(text, key string) []cloudBlock {
	if at := regexp.MustCompile(`(?m)(?:^|[{,])\s*["']?` + key + `["']?\s*:\s*\{`).FindStringIndex(text); at != nil {
		return flowBlocks(text, at[1])
	}
	var blocks []cloudBlock
	begins := regexp.MustCompile(`^["']?` + key + `["']?:\s*(#.*)?$`)
	inside, indent, n := false, "", 0
	for line := range strings.Lines(text) {
		n++
		word := strings.TrimLeft(line, " ")
		depth := line[:len(line)-len(word)]
		blank := strings.TrimSpace(word) == "" || word[0] == '#'
		switch {
		case blank:
		case depth == "" && word[0] != '\t':
			inside, indent = begins.MatchString(strings.TrimSpace(word)), ""
			continue
		case inside && indent == "":
			indent = depth
		}
		if !inside || indent == "" {
			continue
		}
		if name, _, ok := strings.Cut(word, ":"); ok && !blank && depth == indent {
			blocks = append(blocks, cloudBlock{name: strings.Trim(strings.TrimSpace(name), "'\""), line: n - 1})
		}
		if len(blocks) > 0 {
			blocks[len(blocks)-1].text += line
		}
	}
	return blocks
}

// flowBlocks splits the clouds in the braces that begin before at: at the commas between
// them, and, as what is wrong with one may hide those, at lines that are indented as the
// first one and begin with a key.
func flowBlocks(text string, at int) []cloudBlock {
	key := regexp.MustCompile(`^\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'{}\[\],:#]+))\s*:`)
	var blocks []cloudBlock
	begin, indent := at, -1 // the first one begins a line if it is indented
	before := text[at : len(text)-len(strings.TrimLeft(text[at:], " \t\r\n"))]
	if line := strings.LastIndexByte(before, '\n'); line >= 0 {
		indent = len(before) - line - 1
	}
	end := func(to int) {
		cloud := strings.TrimLeft(text[begin:to], " \t\r\n")
		if m := key.FindStringSubmatch(cloud); m != nil {
			blocks = append(blocks, cloudBlock{name: m[1] + m[2] + m[3], line: strings.Count(text[:to-len(cloud)], "\n"), text: cloud, flow: true})
		}
		begin = to
	}
	var open []byte
	quote := byte(0)
	for i := at; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n' && indent >= 0:
			line := text[i+1:]
			if depth := len(line) - len(strings.TrimLeft(line, " \t")); depth == indent && key.MatchString(line) && strings.TrimSpace(text[begin:i]) != "" {
				end(i + 1)
				open, quote = nil, 0
			}
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			open = append(open, c)
		case c == ',' && len(open) == 0:
			end(i)
			begin++
		case c == '}' && len(open) == 0:
			end(i)
			return blocks
		case c == '}' || c == ']':
			want := byte('[')
			if c == '}' {
				want = '{'
			}
			if to := strings.LastIndexByte(string(open), want); to >= 0 { // what is left open inside is wrong
				open = open[:to]
			}
		}
	}
	end(len(text))
	return blocks
}

// yamlHint says what to do about a file that is no YAML.
const yamlHint = "indent with spaces only, and quote values that contain : or #"

// yamlFault returns what is wrong and where, without quoting the file, which may contain
// a password.
func yamlFault(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	first = strings.TrimPrefix(first, "yaml: ")
	if line, what, ok := strings.Cut(first, "did not find expected "); ok { // the library counts the lines of these from 0
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(line, "line "), ": "))
		first = fmt.Sprintf("line %d: did not find expected %s", n+1, what)
	}
	return clip(first)
}

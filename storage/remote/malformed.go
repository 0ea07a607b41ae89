package remote

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v2"
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

// decodeClouds reads the clouds below a key of a text that is YAML.
func decodeClouds(text, key string) (map[string]any, error) {
	var file struct {
		Clouds yamlClouds `yaml:"clouds"`
		Public yamlClouds `yaml:"public-clouds"`
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return nil, err
	}
	if key == publicKey {
		return file.Public, nil
	}
	return file.Clouds, nil
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
		if m := key.FindStringSubmatch(text[begin:to]); m != nil {
			blocks = append(blocks, cloudBlock{name: m[1] + m[2] + m[3], line: strings.Count(text[:begin], "\n"), text: text[begin:to], flow: true})
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

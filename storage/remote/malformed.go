package remote

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v2"

	"github.com/placetop/placetop/model/sorted"
)

// cloudNames returns the names of the clouds in the text of a clouds.yaml, also of those
// that cannot be read.
func cloudNames(text []byte) []string {
	var file struct {
		Clouds map[string]any `yaml:"clouds"`
	}
	if yaml.Unmarshal(text, &file) == nil {
		return sorted.Keys(file.Clouds)
	}
	var names []string
	for _, b := range cloudBlocks(string(text)) {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// alone returns the text of a clouds.yaml with only one cloud, on the lines that it has:
// what is wrong with one cloud spoils no other. It returns all of a text that has the cloud
// in another form, such as one that refers to an anchor elsewhere.
func alone(text []byte, name string) []byte {
	var one []byte
	for _, b := range cloudBlocks(string(text)) {
		if b.name == name {
			one = []byte("clouds:\n" + strings.Repeat("\n", max(b.line-1, 0)) + b.text)
		}
	}
	if one != nil && (yaml.Unmarshal(one, &struct{}{}) == nil || yaml.Unmarshal(text, &struct{}{}) != nil) {
		return one
	}
	return text
}

// cloudBlock is the lines of a cloud.
type cloudBlock struct {
	name string
	line int // the number of lines before it
	text string
}

// cloudBlocks splits the text of a clouds.yaml by the indentation of its lines, without
// reading what they say.
func cloudBlocks(text string) []cloudBlock {
	var blocks []cloudBlock
	inside, indent, n := false, "", 0
	for line := range strings.Lines(text) {
		n++
		word := strings.TrimLeft(line, " ")
		depth := line[:len(line)-len(word)]
		blank := strings.TrimSpace(word) == "" || word[0] == '#'
		switch {
		case blank:
		case depth == "" && word[0] != '\t':
			inside, indent = strings.TrimSpace(word) == "clouds:", ""
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

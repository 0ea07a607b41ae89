package main

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/remote"
)

// topicFiles are the topics of the manual, each a Markdown file. A line such as
// <!-- rules --> is where the program puts a list that it knows: see topicLists.
//
//go:embed help
var topicFiles embed.FS

// topic is one topic of the manual, in Markdown.
type topic struct {
	Name, Short string // Short is its title
	text        string // without the title
}

// topics returns the topics of the manual, in alphabetical order.
func topics() []topic {
	files, err := topicFiles.ReadDir("help")
	if err != nil { // they are part of the program
		panic(err)
	}
	var out []topic
	for _, f := range files {
		text, err := topicFiles.ReadFile("help/" + f.Name())
		if err != nil {
			panic(err)
		}
		title, rest, _ := strings.Cut(string(text), "\n")
		out = append(out, topic{strings.TrimSuffix(f.Name(), path.Ext(f.Name())), strings.TrimPrefix(title, "# "), strings.Trim(withLists(rest), "\n")})
	}
	return out
}

// topicNamed returns the topic with a name.
func topicNamed(name string) (topic, bool) {
	all := topics()
	if i := slices.IndexFunc(all, func(t topic) bool { return t.Name == name }); i >= 0 {
		return all[i], true
	}
	return topic{}, false
}

// listMark is a line of a topic that stands for a list.
var listMark = regexp.MustCompile(`(?m)^<!-- (.*) -->$`)

// withLists replaces the marks in a text by their lists.
func withLists(text string) string {
	return listMark.ReplaceAllStringFunc(text, func(mark string) string {
		list := topicLists()[listMark.FindStringSubmatch(mark)[1]]
		if list == nil {
			return mark
		}
		return "- " + strings.Join(list(), "\n- ")
	})
}

// topicLists are the lists that topics name, by the word in the mark; in Markdown.
func topicLists() map[string]func() []string {
	lists := map[string]func() []string{"rules": ruleList, "fields": fieldList, "settings": settingList, "exit codes": exitList}
	for _, e := range open.Engines(remote.Settings{}) {
		if l, ok := e.(engine.Limited); ok {
			lists["limits of "+e.Scheme()] = l.Limits
		}
	}
	return lists
}

// symbols are the names in a text that are not words.
var symbols = regexp.MustCompile(`[A-Z]+_[A-Z*]+`)

// quoted returns a text with its symbols as code: in Markdown an underscore is emphasis.
func quoted(text string) string { return symbols.ReplaceAllString(text, "`$0`") }

func ruleList() []string {
	var out []string
	for _, r := range audit.Rules() {
		repair := "`F` offers fixes."
		if why := audit.ByHand(r.ID); why != "" {
			repair = "By hand: " + why + "."
		}
		out = append(out, fmt.Sprintf("`%s` %s (%s). %s %s", r.ID, r.Title, r.Severity, quoted(r.Why), repair))
	}
	slices.Sort(out)
	return out
}

func fieldList() []string {
	var out []string
	for _, k := range kinds.All() {
		out = append(out, fmt.Sprintf("`placetop get %s`: %s", k.Name, strings.Join(k.Asked(), ", ")))
	}
	return out
}

func settingList() []string {
	var flags pflag.FlagSet
	new(config.Settings).AddFlags(&flags)
	var out []string
	for _, key := range config.Keys() {
		f := flags.Lookup(config.FlagOf(key))
		value, usage := pflag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		out = append(out, fmt.Sprintf("`%s`, `%s`, `%s`: %s", key, strings.TrimSpace("--"+config.FlagOf(key)+" "+value), config.Variable(key), quoted(usage)))
	}
	return out
}

func exitList() []string {
	var out []string
	for code, meaning := range exitMeanings() {
		out = append(out, fmt.Sprintf("`%d`: %s", code, meaning))
	}
	return out
}

// markdownWords are what a line of Markdown may be broken between: a command is not broken.
var markdownWords = regexp.MustCompile("[^ `]*(`[^`]*`[^ `]*)+|[^ ]+")

// plainText returns Markdown for a terminal, filled to a width. Headings are drawn by title;
// what is indented by four, fenced or a table stays as it is.
func plainText(markdown string, width int, title func(string) string) string {
	var out, words []string
	first, rest := "", "" // the indents of the paragraph
	fill := func() {
		for i, line := range folded(words, width-len(rest)) {
			out = append(out, cmp.Or(map[bool]string{true: first}[i == 0], rest)+line)
		}
		words, first, rest = nil, "", ""
	}
	fenced := false
	for line := range strings.SplitSeq(markdown, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fill()
			fenced = !fenced
		case fenced:
			out = append(out, line)
		case strings.HasPrefix(line, "#"):
			fill()
			out = append(out, title(strings.ToUpper(strings.TrimLeft(line, "# "))))
		case line == "", strings.HasPrefix(line, "    "), strings.HasPrefix(line, "|"):
			fill()
			out = append(out, line)
		default:
			if item, is := strings.CutPrefix(line, "- "); is {
				fill()
				first, rest, line = "- ", "  ", item
			}
			words = append(words, markdownWords.FindAllString(strings.ReplaceAll(line, "**", ""), -1)...)
		}
	}
	fill()
	return strings.Join(out, "\n") + "\n"
}

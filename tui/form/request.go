package form

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen/panel"
)

// requestText returns requests in full, as they go over the wire but for the
// white space in their bodies.
func requestText(requests []ops.Request) string {
	var b strings.Builder
	for i, r := range requests {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.Method + " " + r.Path + "\n")
		b.WriteString("OpenStack-API-Version: placement " + r.Microversion + "\n")
		if r.Body != "" {
			b.WriteString("Content-Type: application/json\n\n")
			var pretty bytes.Buffer
			if json.Indent(&pretty, []byte(r.Body), "", "  ") != nil {
				pretty.Reset()
				pretty.WriteString(r.Body)
			}
			b.Write(pretty.Bytes())
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// commandText returns commands, one a line.
func commandText(commands []string) string { return strings.Join(commands, "\n") + "\n" }

// requestLines draws the requests in full, and the commands that do the same.
func (p *Preview) requestLines(w int) []string {
	st, pre := p.env.Styles, p.prop.plan.Preview
	out := []string{component.Titled(st, w, "REQUESTS", "nothing is sent before enter")}
	out = append(out, p.requestBody(w)...)
	if len(pre.Commands) > 0 {
		out = append(out, component.Titled(st, w, "THE SAME BY HAND", ""))
		for _, c := range pre.Commands {
			for i, part := range wrapWords(c, w-4) {
				indent := " "
				if i > 0 {
					indent = "   "
				}
				out = append(out, panel.Text(st, w, themes.Text, indent+part))
			}
		}
	}
	return out
}

// requestBody draws the requests in full.
func (p *Preview) requestBody(w int) []string {
	st := p.env.Styles
	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(requestText(p.prop.plan.Preview.Requests), "\n"), "\n") {
		out = append(out, panel.Text(st, w, themes.Text, " "+line))
	}
	return out
}

// wrapWords breaks a text at spaces into lines of at most w cells, more where a
// word is longer.
func wrapWords(s string, w int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && len(line)+1+len(word) > w {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

package panel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// RequestText returns complete requests, as they are sent except for the white space in
// their bodies.
func RequestText(requests []api.Call) string {
	var b strings.Builder
	for i, r := range requests {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.Method + " " + r.Path + "\n")
		b.WriteString("OpenStack-API-Version: " + r.Version() + "\n")
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

// CommandText returns commands, one a line.
func CommandText(commands []string) string { return strings.Join(commands, "\n") + "\n" }

// RequestLines draws the requests in full, and the commands that do the same.
func (v Diff) RequestLines(w int) []string {
	st, pre := v.Styles, v.Preview
	out := []string{component.Titled(st, w, "REQUESTS", "nothing is sent before enter")}
	out = append(out, v.requestBody(w)...)
	if len(pre.Commands()) > 0 {
		out = append(out, component.Titled(st, w, "THE SAME BY HAND", ""))
		for _, c := range pre.Commands() {
			for i, part := range component.Wrap(st, c, w-4) {
				indent := " "
				if i > 0 {
					indent = "   "
				}
				out = append(out, Text(st, w, themes.Text, indent+part))
			}
		}
	}
	return out
}

// requestBody draws the complete requests.
func (v Diff) requestBody(w int) []string {
	st := v.Styles
	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(RequestText(v.Preview.Requests()), "\n"), "\n") {
		for _, part := range component.Break(st, line, w-1) {
			out = append(out, Text(st, w, themes.Text, " "+part))
		}
	}
	return out
}

// WillSend draws the requests of the change: a line each, or more while room lines are
// not filled.
func (v Diff) WillSend(w, room int) []string {
	st, requests := v.Styles, v.Preview.Requests()
	out := []string{component.Titled(st, w, "WILL SEND", "")}
	if len(requests) == 0 {
		return append(out, Text(st, w, themes.Dim, " records of this store: no API has a call for them"))
	}
	const most = 3
	named := min(len(requests), most)
	spare := room - named
	if len(requests) > most {
		spare--
	}
	for _, r := range requests[:named] {
		line := r.Method + " " + r.Path
		if r.Body != "" {
			line += "  " + r.Body
		}
		parts := component.Break(st, line, w-1)
		lines := min(len(parts), max(spare, 0)+1)
		spare -= lines - 1
		if lines < len(parts) {
			// Too long for the last line, which then ends in the mark of a cut.
			parts[lines-1] = strings.Join(parts[lines-1:], "")
		}
		for i, part := range parts[:lines] {
			l := component.NewLine(st, w).Space(1)
			if rest, ok := strings.CutPrefix(part, r.Method+" "); ok && i == 0 {
				l.Add(themes.Strong, r.Method).Space(1)
				part = rest
			}
			out = append(out, l.Add(themes.Text, part).String())
		}
	}
	if len(requests) > most {
		out = append(out, Text(st, w, themes.Dim, fmt.Sprintf(" and %d more", len(requests)-most)))
	}
	return out
}

// SendInFull is WillSend with complete requests, as far as h lines allow.
func (v Diff) SendInFull(w, h int) []string {
	requests := v.Preview.Requests()
	if len(requests) == 0 {
		return v.WillSend(w, h)
	}
	body := v.requestBody(w)
	if len(body) > h {
		body = append(body[:h-1], Text(v.Styles, w, themes.Dim, " "+v.Styles.Glyphs.More+" y shows all"))
	}
	return append([]string{component.Titled(v.Styles, w, "WILL SEND", "")}, body...)
}

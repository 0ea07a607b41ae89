package session

import (
	"bytes"
	"strconv"
	"strings"
)

// askBackground asks a terminal for its background colour.
const askBackground = "\x1b]11;?\x1b\\"

// darkBackground parses a terminal's answer to askBackground, such as ESC ] 11 ;
// rgb:1c1c/1c1c/1c1c ST. It returns false for any other answer.
func darkBackground(reply []byte) (dark, ok bool) {
	rest, ok := bytes.CutPrefix(reply, []byte("\x1b]11;rgb:"))
	if !ok {
		return false, false
	}
	text := strings.TrimRight(string(rest), "\x1b\\\a")
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return false, false
	}
	var light float64 // weighted as the eye does
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(parts[i], 16, 32)
		if err != nil || len(parts[i]) > 4 {
			return false, false
		}
		light += weight * float64(n) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return light < 0.5, true
}

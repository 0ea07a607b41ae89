package rest

import (
	"math"
	"strconv"
	"strings"

	"github.com/placetop/placetop/storage/rest/internal/body"
)

// pyFloat returns a number as Python prints it.
func pyFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case math.IsNaN(f):
		return "NaN"
	case f == 0 || math.Abs(f) >= 1e-4 && math.Abs(f) < 1e16:
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	return strconv.FormatFloat(f, 'e', -1, 64)
}

// pyList returns texts as Python prints a list of them.
func pyList(list []string) string {
	v := body.Value{Kind: body.Array}
	for _, s := range list {
		v.Items = append(v.Items, body.Text(s))
	}
	return v.String()
}

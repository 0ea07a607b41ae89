package rest

import (
	"math"

	"github.com/placetop/placetop/storage/rest/internal/body"
)

// pyFloat returns a number as Python writes it into JSON: as Python prints it, or
// "Infinity" and the like, which JSON itself lacks.
func pyFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case math.IsNaN(f):
		return "NaN"
	}
	return body.Float64(f)
}

package themes

import (
	"math"
	"strconv"
)

// Contrast returns the contrast ratio of two "#rrggbb" colours, from 1 (the
// same) to 21 (black on white). It returns 0 when one of them is no colour.
//
// Source: WCAG 2.2, definitions of contrast ratio and relative luminance.
func Contrast(a, b string) float64 {
	if !isHex(a) || !isHex(b) {
		return 0
	}
	la, lb := luminance(a), luminance(b)
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

func luminance(hex string) float64 {
	r, g, b := linearRGB(hex)
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// linearRGB returns the linear light of a valid "#rrggbb", each 0 to 1.
func linearRGB(hex string) (r, g, b float64) {
	// The callers have checked the digits.
	v, _ := strconv.ParseUint(hex[1:], 16, 32)
	lin := func(c uint64) float64 {
		x := float64(c&0xff) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return lin(v >> 16), lin(v >> 8), lin(v)
}

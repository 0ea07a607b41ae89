package nova

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/placetop/placetop/model/placement"
)

// mostName is how many characters the name of something new may have.
const mostName = 255

// CheckName returns why text cannot be the name of something new: names are 1 to 255
// printable characters without spaces at the ends. Existing names are not checked.
//
// Errors: placement.ErrInvalid.
//
// Source: nova/api/validation/parameter_types.py, name and _get_printable.
func CheckName(field, text string) error {
	var why string
	bad := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	switch {
	case text == "":
		why = "is required"
	case utf8.RuneCountInString(text) > mostName:
		text, why = string([]rune(text)[:32])+"...", fmt.Sprintf("is longer than %d characters", mostName)
	case !utf8.ValidString(text):
		why = "is not valid UTF-8"
	case bad >= 0:
		r, _ := utf8.DecodeRuneInString(text[bad:])
		why = fmt.Sprintf("contains %q, which cannot be printed", r)
	case strings.TrimSpace(text) != text:
		why = "begins or ends with a space"
	default:
		return nil
	}
	return placement.Invalid(field, text, why)
}

// checkFlavorID returns why text cannot be the flavorid of a new flavor.
//
// Errors: placement.ErrInvalid.
//
// Source: nova/api/openstack/compute/schemas/flavors.py, create, flavor id.
func checkFlavorID(text string) error {
	const field = "flavorid"
	if text == "" {
		return &placement.InvalidError{Field: field, Why: "must be given"}
	}
	if err := CheckName(field, text); err != nil {
		return err
	}
	for _, r := range text {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-", r) {
			return placement.Invalid(field, text, fmt.Sprintf("may only contain letters, digits, spaces and . _ -, not %q", r))
		}
	}
	return nil
}

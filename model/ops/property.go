package ops

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// PropertyError reports a text that sets no property, or one that another text already
// sets. It matches placement.ErrInvalid.
type PropertyError struct {
	Text string
	Key  string // the key that is given twice; "" if the text sets nothing
	At   int    // which of the texts it is, from 0
	Had  int    // which of them has named the key already
}

func (e *PropertyError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("property %q sets nothing", e.Text)
	}
	return fmt.Sprintf("property %s is given twice", e.Key)
}

// Unwrap returns placement.ErrInvalid.
func (*PropertyError) Unwrap() error { return placement.ErrInvalid }

// ParseProperties reads texts of the form KEY=VALUE: the extra specs of a flavor, the
// metadata of a host aggregate, a group of a device profile. Spaces around key and
// value are ignored. The error is a *PropertyError, also for a key that is given
// twice.
func ParseProperties(texts []string) (map[string]string, error) {
	out, at := map[string]string{}, map[string]int{}
	for i, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" {
			return nil, &PropertyError{Text: text, At: i}
		}
		if had, twice := at[key]; twice {
			return nil, &PropertyError{Text: text, Key: key, At: i, Had: had}
		}
		out[key], at[key] = strings.TrimSpace(value), i
	}
	return out, nil
}

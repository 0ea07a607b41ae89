package nova

import (
	"bytes"
	"encoding/json"
)

// Kept is what an object that a service has sent says about a row, but no column of the
// row has: as object.Keep makes it. An export has it as the JSON that it is.
type Kept string

// MarshalJSON implements json.Marshaler.
func (k Kept) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(k)) {
		return []byte(k), nil
	}
	return json.Marshal(string(k))
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *Kept) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err == nil { // null too
		*k = Kept(text)
		return nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		return err
	}
	*k = Kept(out.String())
	return nil
}

package nova

import (
	"bytes"
	"encoding/json"
)

// ExtraFields is what an object that a service has sent says about a row, but no column of the
// row has: as object.Keep makes it. An export has it as the JSON that it is.
type ExtraFields string

// MarshalJSON implements json.Marshaler.
func (k ExtraFields) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(k)) {
		return []byte(k), nil
	}
	return json.Marshal(string(k))
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *ExtraFields) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err == nil { // null too
		*k = ExtraFields(text)
		return nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		return err
	}
	*k = ExtraFields(out.String())
	return nil
}

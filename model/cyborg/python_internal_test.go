package cyborg

import (
	"encoding/json"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
)

// The expected texts were written by Python 3.
func TestPythonJSON(t *testing.T) {
	t.Parallel()
	for want, object := range map[string]map[string]string{
		`{}`: nil,
		`{"bus": "af", "device": "00", "domain": "0000", "function": "0"}`: {"domain": "0000", "bus": "af", "device": "00", "function": "0"},
		`{"a": "\u00e9\u007f\"\\\n\t\b\f\r\u0001\ud83d\ude00</"}`:          {"a": "é\x7f\"\\\n\t\b\f\r\x01😀</"},
	} {
		must.Be(t, pythonJSON(object), want)
	}
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "object")
		var back map[string]string
		if err := json.Unmarshal([]byte(pythonJSON(object)), &back); err != nil || !maps.Equal(object, back) {
			t.Errorf("%q comes back as %q, %v", object, back, err)
		}
	})
}

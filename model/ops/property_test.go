package ops_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Each text sets one property, and no property is set by two texts.
func TestParseProperties(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		texts []string
		want  map[string]string
		err   *ops.PropertyError
	}{
		{"none", nil, map[string]string{}, nil},
		{"two", []string{"resources1:VGPU=1", "group_policy=none"}, map[string]string{"resources1:VGPU": "1", "group_policy": "none"}, nil},
		{"a value that is empty, or has another sign", []string{"a=", "b=c=d"}, map[string]string{"a": "", "b": "c=d"}, nil},
		{"spaces around", []string{" a = 1 "}, map[string]string{"a": "1"}, nil},
		{"no value", []string{"a=1", "b"}, nil, &ops.PropertyError{Text: "b", At: 1}},
		{"no key", []string{" =1"}, nil, &ops.PropertyError{Text: " =1"}},
		{"a key twice", []string{"a=1", "b=1", "a =2"}, nil, &ops.PropertyError{Text: "a =2", Key: "a", At: 2}},
		{"a key twice with one value", []string{"c=1", "a=1", "a=1"}, nil, &ops.PropertyError{Text: "a=1", Key: "a", At: 2, Had: 1}},
	} {
		got, err := ops.ParseProperties(tt.texts)
		var wrong *ops.PropertyError
		if errors.As(err, &wrong) != (tt.err != nil) || err != nil && !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.err, wrong) + cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

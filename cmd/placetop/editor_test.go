package main

import (
	"slices"
	"testing"
)

func TestEditorWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ named, want []string }{
		{[]string{"", ""}, []string{"vi"}},
		{[]string{" ", "\t"}, []string{"vi"}},
		{[]string{" ", "nano"}, []string{"nano"}},
		{[]string{"code -w", "nano"}, []string{"code", "-w"}},
	} {
		if got := editorWords(tt.named...); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.named, got, tt.want)
		}
	}
}

package main

import (
	"strconv"
	"strings"
	"time"
)

// counted returns n with the noun: "1 finding", "2 findings".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// joined joins what words returns for each of list, by commas.
func joined[T any](list []T, words func(T) string) string {
	texts := make([]string, len(list))
	for i, of := range list {
		texts[i] = words(of)
	}
	return strings.Join(texts, ", ")
}

// filled returns list, empty in place of nil, so that JSON has [] and not null.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// stamp formats a time for tables and CSV, "" if it is unknown.
func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// known returns t, nil if it is zero.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// moment converts milliseconds since 1970, nil for 0.
func moment(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	return known(time.UnixMilli(ms).UTC())
}

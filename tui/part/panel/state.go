package panel

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// InstanceState returns the state of an instance and what is being done to it:
// "building, spawning".
func InstanceState(i *nova.Instance) string {
	if i.TaskState == "" {
		return string(i.VMState)
	}
	return string(i.VMState) + ", " + string(i.TaskState)
}

// InstanceSeverity returns how the state of an instance is drawn: an error, a
// fault of what was last asked of it, that it waits for a person, or that
// something is being done to it.
func InstanceSeverity(i *nova.Instance) style.Severity {
	switch {
	case i.VMState == nova.Broken:
		return style.SeverityCritical
	case i.Fault != "", i.VMState == nova.Resized:
		return style.SeverityWarn
	case i.TaskState != "":
		return style.SeverityInfo
	}
	return style.SeverityNone
}

// MigrationSeverity returns how the status of a migration is drawn.
func MigrationSeverity(m *nova.Migration) style.Severity {
	switch {
	case m.Status == nova.Error || m.Status == nova.Failed:
		return style.SeverityCritical
	case m.Status.Waits():
		return style.SeverityWarn
	case m.Status.UnderWay():
		return style.SeverityInfo
	}
	return style.SeverityNone
}

// MigrationToken returns the colour of the status of a migration.
func MigrationToken(m *nova.Migration) themes.Token {
	return cmp.Or(MigrationSeverity(m).Token(), themes.Text)
}

// MigrationStatus returns the status of a migration in words, such as "waits for
// confirm or revert, reverts in 9m".
func MigrationStatus(m *nova.Migration, now time.Time) string {
	if !m.Status.Waits() {
		return string(m.Status)
	}
	const waits = "waiting for confirm or revert"
	if clock := RevertClock(m, now); clock != "" {
		return waits + ", reverts " + clock
	}
	return waits
}

// ShortStatus is MigrationStatus for a narrow cell: "finished, waits 9m".
func ShortStatus(m *nova.Migration, now time.Time) string {
	if !m.Status.Waits() {
		return string(m.Status)
	}
	return strings.TrimSpace(string(m.Status) + ", waits " + strings.TrimPrefix(RevertClock(m, now), "in "))
}

// RevertClock returns when a migration that waits is reverted by itself, to the nearest
// minute: "in 9m", "now", "" for never.
func RevertClock(m *nova.Migration, now time.Time) string {
	at := m.RevertAt()
	switch {
	case !m.Status.Waits() || at.IsZero():
		return ""
	case !at.After(now):
		return "now"
	}
	left := at.Sub(now)
	if left > time.Minute { // 10m that were set a moment ago should not show as 9m
		left = left.Round(time.Minute)
	}
	return "in " + component.Age(left)
}

// MigrationsOf returns the migrations of an instance, the newest first.
func MigrationsOf(s *nova.Snapshot, id placement.ConsumerID) []*nova.Migration {
	var out []*nova.Migration
	out = slices.AppendSeq(out, s.MigrationsOf(id))
	slices.SortStableFunc(out, func(a, b *nova.Migration) int { return cmp.Compare(b.Created, a.Created) })
	return out
}

// Fault returns what went wrong on lines of w cells.
func Fault(st *style.Styles, w int, text string) []string {
	return component.Marked(st, w, 0, style.SeverityCritical, themes.Text, text)
}

package storage_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

func TestErrorsMatchAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.November, 20, 13, 20, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		err     error
		matches []error
		not     []error
		says    string
	}{
		"locked": {
			&storage.LockedError{
				Path: "/x/placetop.db", PID: 4211, Command: "placetop", Since: start, Now: start.Add(time.Hour), Hint: "Close it there",
			},
			[]error{storage.ErrLocked, placement.ErrUnavailable},
			[]error{storage.ErrDamaged, placement.ErrUnsupported},
			"/x/placetop.db is open elsewhere (pid 4211, placetop, since 13:20). Close it there",
		},
		"locked since long": {
			&storage.LockedError{Path: "x.db", PID: 7, Since: start, Now: start.AddDate(0, 0, 2)},
			[]error{storage.ErrLocked},
			nil,
			"x.db is open elsewhere (pid 7, since 2026-11-20 13:20)",
		},
		"locked by somebody": {
			&storage.LockedError{Path: "x.db"}, []error{storage.ErrLocked}, nil, "x.db is open elsewhere",
		},
		"damaged": {
			&storage.DamagedError{Path: "x.db", What: "page 7 is used twice", Hint: "Restore a backup", Err: fs.ErrInvalid},
			[]error{storage.ErrDamaged, placement.ErrUnavailable, fs.ErrInvalid},
			[]error{storage.ErrLocked},
			"x.db is damaged: page 7 is used twice. Restore a backup",
		},
		"no file": {
			&storage.OpenError{Path: "x.db", What: "it is a folder", Hint: "Name a file"},
			[]error{placement.ErrUnavailable},
			[]error{storage.ErrDamaged},
			"x.db cannot be opened: it is a folder. Name a file",
		},
		"newer": {
			&storage.NewerError{
				Path: "x.db", What: "the file", Has: versioned.Version{Major: 2, Minor: 1}, Knows: versioned.Version{Major: 1}, By: "v3.0.0",
			},
			[]error{storage.ErrNewer, placement.ErrUnsupported},
			[]error{placement.ErrUnavailable},
			"x.db: the file was written by a newer placetop (v3.0.0 made the file) in format 2.1, but this one reads formats up to 1.0. Use a newer placetop to change it",
		},
		"newer record": {
			&storage.NewerError{Path: "x.db", What: "a record of kind trait", Err: versioned.ErrNewer},
			[]error{storage.ErrNewer, versioned.ErrNewer},
			nil,
			"x.db: a record of kind trait was written by a newer placetop. Use a newer placetop to change it",
		},
		"read-only": {
			&cloud.UnsupportedError{Why: "a copy for triage"},
			[]error{placement.ErrUnsupported},
			[]error{placement.ErrUnavailable},
			"nothing can be written: a copy for triage",
		},
		"not kept": {
			&storage.NotKeptError{Path: "x.db", Err: fs.ErrPermission, Hint: "Make room"},
			[]error{placement.ErrUnavailable, fs.ErrPermission},
			[]error{storage.ErrDamaged},
			"x.db: the change could not be saved: permission denied. Make room",
		},
		"closed": {
			storage.ErrClosed, []error{placement.ErrUnavailable}, nil, "the store is closed: unavailable",
		},
	} {
		if got := test.err.Error(); got != test.says {
			t.Errorf("%s says: %s\nwant: %s", name, got, test.says)
		}
		for _, kind := range test.matches {
			if !errors.Is(test.err, kind) {
				t.Errorf("%s does not match %v", name, kind)
			}
		}
		for _, kind := range test.not {
			if errors.Is(test.err, kind) {
				t.Errorf("%s matches %v", name, kind)
			}
		}
	}
}

func TestStamp(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 20, 14, 20, 0, 5, time.FixedZone("here", 3600))
	clock := func() time.Time { return now }
	got := storage.Stamp(cloud.Change{Actor: "  ada ", Note: "two\r\n  lines \xff"}, clock)
	if want := now.UTC(); got.At != want || got.Actor != "  ada " || got.Note != "two lines \uFFFD" {
		t.Errorf("got %+v", got)
	}
	named := now.AddDate(-1, 0, 0)
	if got := storage.Stamp(cloud.Change{At: named}, clock); got.At != named.UTC() {
		t.Errorf("a change of %s is stamped %s", named, got.At)
	}
}

func TestFindingIsOneLine(t *testing.T) {
	t.Parallel()
	must.Be(t, (storage.Defect{Where: "page 7", What: "used twice"}).String(), "page 7: used twice")
}

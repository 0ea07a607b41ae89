package main

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

// TestEndWithoutMigrations confirms a move where the migrations could not be read: that there
// is none is not known.
func TestEndWithoutMigrations(t *testing.T) {
	t.Parallel()
	s := demotest.Snapshot(t, demo.Options{Hosts: 3, Seed: 1, Now: modeltest.At(0)})
	for i := range s.Nova().Instances() {
		of := 0
		for range s.Nova().MigrationsOf(i.UUID) {
			of++
		}
		if of > 0 || !i.Live() {
			continue
		}
		for why, want := range map[string]string{
			"":              "was neither resized nor migrated",
			"403 Forbidden": "whether " + i.Name + " was resized or migrated is not known: migrations: 403 Forbidden",
		} {
			f := finderOf(s.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Migrations, Why: why}}, nil)))
			if _, err := f.moveOf(i.UUID.String(), []nova.MigrationStatus{nova.Finished}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", why, err)
			}
		}
		return
	}
	t.Fatal("every instance has moved")
}

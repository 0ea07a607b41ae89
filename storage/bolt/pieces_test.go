package bolt_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
)

// Many records that come in several Changes fill their pages: those of one Change between
// those of the others, and adjacent ones with a few that were there before.
func TestRecordsInPiecesFillPages(t *testing.T) {
	t.Parallel()
	const pieces, records = 4, 3000
	for name, key := range map[string]func(piece, n int) uint32{
		"by turns":     func(piece, n int) uint32 { return uint32(n*pieces + piece) },
		"one by one":   func(piece, n int) uint32 { return uint32(piece*records + n) },
		"the last one": func(piece, n int) uint32 { return uint32((pieces-piece)*records + n) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "placetop.db")
			s := open(t, path, bolt.Options{})
			create := func(keys ...uint32) {
				c := cloud.Change{Note: "a piece"}
				for _, k := range keys {
					id := placement.ProviderID{15: 1}
					binary.BigEndian.PutUint32(id[:], k)
					c.Ops = append(c.Ops, placement.CreateProvider{ID: id, Name: fmt.Sprintf("node-%08x-%d", k, len(keys))})
				}
				must.Get(s.Apply(t.Context(), c).Result())(t)
			}
			few := make([]uint32, 40)
			for i := range few {
				few[i] = uint32(i*pieces*records/len(few))<<16 | 1 // between the others
			}
			create(few...)
			for piece := range pieces {
				keys := make([]uint32, records)
				for n := range keys {
					keys[n] = key(piece, n) << 16
				}
				create(keys...)
			}
			must.Succeed(t, s.Close())
			if used := fillOf(t, path, "record/"+string(placement.KindProvider)); used < 0.8 {
				t.Errorf("pages of providers are %.2f full", used)
			}
			again := open(t, path, bolt.Options{})
			must.Be(t, again.Snapshot().Placement().ProviderCount(), pieces*records+len(few))
		})
	}
}

// fillOf returns how full the leaves of a bucket are, from 0 to 1.
func fillOf(t *testing.T, path, bucket string) float64 {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must.Succeed(t, err)
	defer db.Close()
	var full float64
	err = db.View(func(tx *bbolt.Tx) error {
		st := tx.Bucket([]byte(bucket)).Stats()
		full = float64(st.LeafInuse) / float64(st.LeafAlloc)
		return nil
	})
	must.Succeed(t, err)
	return full
}

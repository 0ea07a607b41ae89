package rest

import (
	"testing"

	"github.com/placetop/placetop/storage/rest/internal/body"
)

// Every schema is valid: schemas are parsed on first use, not when the program starts.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, list := range []versioned{
		newProviderBody, providerBody, aggregatesBody, claimBody, claimsBody, reshapeBody,
		providersQuery, usagesQuery,
		{{0, classBody}, {0, inventoryBody}, {0, inventoriesBody}, {0, newInventoryBody}, {0, traitsBody}, {0, traitsQuery}},
	} {
		for _, v := range list {
			if v.schema.Check(body.Value{}) == "" {
				t.Errorf("since %v: nothing at all matches", v.since)
			}
		}
	}
}

package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// accountOf returns the account of Cyborg's card for a provider.
func accountOf(s *cloud.Snapshot, provider placement.ProviderID) (cloud.CardAccount, bool) {
	d, ok := s.Cyborg().DeployableAt(provider)
	if !ok {
		return cloud.CardAccount{}, false
	}
	return s.CardAccount(d)
}

// requests counts bound requests, and those of them that are stuck.
func requests(n, stuck int64) string {
	text := words.Count(int(n), "bound request")
	if stuck > 0 {
		text += fmt.Sprintf(" (%d stuck)", stuck)
	}
	return text
}

package main

import (
	"bytes"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
)

// TestWarnsOfWhatIsAskedFor warns of parts that were not read, or not all of them, where
// what is asked for rests on them.
func TestWarnsOfWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	parts := []cloud.Reading{
		{Part: cloud.Instances, Why: "403 Forbidden"},
		{Part: cloud.Migrations, Cut: "the newest 3000 alone are read"},
		{Part: cloud.Services, Rows: 2},
	}
	const servers, moves = "warning: not read: servers: 403 Forbidden\n", "warning: migrations: the newest 3000 alone are read\n"
	for name, test := range map[string]struct {
		kind *kinds.Kind
		want string
	}{
		"all":        {nil, servers},
		"providers":  {kinds.Of(kinds.Providers), ""},
		"projects":   {kinds.Of(kinds.Projects), servers},
		"migrations": {kinds.Of(kinds.Migrations), servers + moves},
	} {
		var said bytes.Buffer
		p := program{stderr: &said, kind: test.kind}
		for _, of := range parts {
			p.sayUnread(of)
		}
		if said.String() != test.want {
			t.Errorf("%s: it says\n%s and not\n%s", name, &said, test.want)
		}
	}
}

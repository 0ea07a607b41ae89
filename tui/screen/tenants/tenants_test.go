package tenants_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/screen/tenants"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	screentest.List(tenants.NewProjects).OnDemo(t)
}

func TestUsers(t *testing.T) {
	t.Parallel()
	screentest.List(tenants.NewUsers).OnDemo(t)
}

func TestGoes(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	for _, test := range []struct {
		list        screentest.List
		filter, key string
		want        place.Place
	}{
		{tenants.NewProjects, "ml-train", "enter", place.Consumers{Filter: "project=ml-train"}},
		{tenants.NewProjects, "ml-train", "i", place.Instances{Filter: "project=ml-train"}},
		{tenants.NewProjects, "ml-train", "d", place.Users{Filter: "project=ml-train"}},
		{tenants.NewUsers, "svc-nfv", "enter", place.Consumers{Filter: "project=telco user=svc-nfv"}},
	} {
		h := test.list.On(c, test.filter)
		if h.Press(test.key); h.Last() != (screen.Goto{To: test.want}) {
			t.Errorf("%s on %s asks for %v", test.key, test.filter, h.Last())
		}
	}
	h := screentest.List(tenants.NewProjects).On(c, "cyborg>0")
	if text := h.Text(t, 160, 30); strings.Contains(text, "web-shop") || !strings.Contains(text, "ml-train") {
		t.Errorf("projects with accelerators of cyborg:\n%s", text)
	}
}

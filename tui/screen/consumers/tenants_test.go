package consumers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	tuitest.List(consumers.NewProjects).Check(t, tuitest.Demo12)
}

func TestUsers(t *testing.T) {
	t.Parallel()
	tuitest.List(consumers.NewUsers).Check(t, tuitest.Demo12)
}

func TestGoes(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for _, test := range []struct {
		list        tuitest.List
		filter, key string
		want        place.Place
	}{
		{consumers.NewProjects, "ml-train", "enter", place.Consumers{Filter: "project=ml-train"}},
		{consumers.NewProjects, "ml-train", "i", place.Instances{Filter: "project=ml-train"}},
		{consumers.NewProjects, "ml-train", "I", place.Users{Filter: "project=ml-train"}},
		{consumers.NewUsers, "svc-nfv", "enter", place.Consumers{Filter: "project=telco user=svc-nfv"}},
	} {
		h := test.list.On(t, c, test.filter)
		h.Asks(test.key, screen.Goto{To: test.want})
	}
	h := tuitest.List(consumers.NewProjects).On(t, c, "cyborg>0")
	h.At(160, 30).Wants("ml-train")
	h.Lacks("web-shop")
	for _, open := range []tuitest.List{consumers.NewProjects, consumers.NewUsers} {
		h := open.On(t, c, "")
		h.Press("o", "o")
		must.Say(t, h.Status(), "owner:cyborg")
		h.At(160, 30).Lacks("web-shop")
	}
}

// telling is a cloud whose Nova returns quotas.
type telling struct {
	*tuitest.Cloud
	asked map[string]int
}

func (c *telling) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{Quotas: c.quotas}
}

func (c *telling) quotas(_ context.Context, project string) ([]*nova.Quota, error) {
	c.asked[project]++
	switch project {
	case "analytics":
		return nil, errors.New("403 Forbidden: it requires the role admin")
	case "ci":
		return []*nova.Quota{{Name: "instances", Used: 2, Limit: 10}, {Name: "cores", Used: 18, Limit: 20}, {Name: "ram", Used: 8704, Limit: nova.Unlimited}, {Name: "key_pairs", Limit: 100}}, nil
	case "erp":
		return []*nova.Quota{{Name: "cores", Used: 24, Limit: 20}}, nil
	}
	return []*nova.Quota{{Name: "ram", Used: 1024, Limit: nova.Unlimited}}, nil
}

// TestQuotas shows the quotas of projects if there is a Nova, reading each once, and
// otherwise why they are unknown.
func TestQuotas(t *testing.T) {
	t.Parallel()
	c := &telling{tuitest.Demo(t, 12), map[string]int{}}
	tuitest.List(consumers.NewProjects).On(t, c.Cloud, "").At(80, 24).Wants("quotas: not known: only a live Nova reports them")
	env := tuitest.Env(c.Cloud, tuitest.Plain())
	env.Cloud = c
	h := tuitest.Open(t, c.Cloud, consumers.NewProjects(env, c.Snapshot(), ""))
	h.Settle()
	for _, test := range []struct {
		keys  []string
		wants []string
	}{
		{nil, []string{"PROJECT ▴", "QUOTA", "quotas: not read: 403 Forbidden", "the role admin", "cores 18 / 20 near", "cores 24 / 20 over"}},
		{[]string{"j"}, []string{"instances 2 10", "cores 18 20 near", "ram 8.5G unlimited"}},
	} {
		h.Press(test.keys...)
		text := strings.Join(strings.Fields(h.At(160, 40).Text()), " ")
		for _, want := range test.wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %q:\n%s", want, text)
			}
		}
	}
	for project, n := range c.asked {
		if n != 1 || len(c.asked) != 9 {
			t.Errorf("of %s it was asked %d times, of %d projects", project, n, len(c.asked))
		}
	}
}

// TestQuotasAreAskedAgain reads quotas again once an answer is old, and after errors at
// increasing intervals.
func TestQuotasAreAskedAgain(t *testing.T) {
	t.Parallel()
	c := &telling{tuitest.Demo(t, 12), map[string]int{}}
	now := tuitest.Now()
	env := tuitest.Env(c.Cloud, tuitest.Plain())
	env.Cloud, env.Clock = c, func() time.Time { return now }
	h := tuitest.Open(t, c.Cloud, consumers.NewProjects(env, c.Snapshot(), ""))
	h.Settle()
	for _, test := range []struct {
		after          time.Duration
		failing, other int // number of requests about each
	}{
		{0, 1, 1},
		{5 * time.Second, 2, 1},
		{5 * time.Second, 2, 1},
		{5 * time.Second, 3, 1},
		{45 * time.Second, 4, 2},
	} {
		now = now.Add(test.after)
		h.Press("j")
		if c.asked["analytics"] != test.failing || c.asked["ci"] != test.other {
			t.Errorf("at %s it was asked %v", now.Sub(tuitest.Now()), c.asked)
		}
	}
	h.Press("g", "j", "y")
	if page, ok := h.Last().(screen.PushMsg); !ok || !strings.Contains(page.Screen.View(80, 60), "quota: cores") {
		t.Errorf("the YAML of a project has no quotas: %v", h.Last())
	}
}

// TestUnread shows no numbers of what was not read, because 0 would be taken for one.
func TestUnread(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for part, want := range map[cloud.Part]string{
		"":               "ci 1 16 96 216G 1000G 0 - 0 0",
		cloud.Instances:  "ci 1 - 96 216G 1000G 0 - 0 0",
		cloud.Migrations: "ci 1 16 96 216G 1000G 0 - 0 -",
	} {
		if c.ReadAs(); part != "" {
			c.ReadAs(cloud.Reading{Part: part, Why: "403 Forbidden"})
		}
		h := tuitest.Open(t, c, consumers.NewProjects(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "ci"))
		h.Settle()
		must.Say(t, strings.Join(strings.Fields(h.At(160, 20).Text()), " "), want)
	}
}

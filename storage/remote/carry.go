package remote

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

var _ ops.Executor = (*Store)(nil)

// Carry implements ops.Executor for what Nova does with its servers: Nova is asked
// once, unless the server is in another state than it was shown in, however often it was listed
// since, and followed until it is done. If ctx ends, Nova continues, but is no longer followed. An answer that was lost is looked up among the actions that Nova lists of
// the server.
//
// Errors: why Nova was not asked, as of ops.NovaTask; what it answered; an
// *ops.FailedError for what it began and did not finish.
func (s *Store) Carry(ctx context.Context, t ops.Task, on *cloud.Snapshot, report func(ops.StepDone)) (bool, error) {
	asked, ok := t.(ops.NovaTask)
	if !ok {
		return false, nil
	}
	if err := s.Capabilities().Can(); err != nil {
		return true, err
	}
	if s.ctx.Err() != nil {
		return true, storage.ErrClosed
	}
	now := s.kept.Snapshot()
	action, err := asked.Action(now, s.clock())
	if err != nil {
		return true, err
	}
	shown, ok := on.Nova().Instance(action.Server)
	if !ok {
		return true, placement.StateErrorf("%s was not listed when this was decided; Nova was not asked to do anything", ops.ConsumerName(now, action.Server))
	}
	c := &course{
		s: s, action: action, shown: shown, name: ops.ConsumerName(now, action.Server), report: report, began: s.clock(),
		step: ops.Step{Name: asked.About().Name, Title: asked.Title(now, action), Asked: true},
	}
	for f := range now.Nova().Flavors() {
		if action.Flavor != "" && f.FlavorID == action.Flavor {
			c.flavor = f.Name
		}
	}
	err = c.run(ctx)
	// What has become of it is read, whether it succeeded or not: for a moment only if
	// somebody has stopped waiting.
	by := asRead()
	if c.asked {
		by = cloud.Change{Actor: "nova", Note: c.title(), Task: c.step.Name, Step: "asked"}
	}
	after := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		var stop context.CancelFunc
		after, stop = context.WithTimeout(after, lookAfterwards)
		defer stop()
	}
	if unread := s.refreshAll(after, by); err == nil && unread != nil {
		err = fmt.Errorf("it was done, but the result could not be read yet: %w", unread)
	}
	return true, err
}

// course follows something that Nova was asked to do.
type course struct {
	s      *Store
	action api.ServerAction
	name   string         // of the server
	flavor string         // the name of the flavor to resize to; "" for none
	step   ops.Step       // the step that is carried out
	shown  *nova.Instance // to whoever decided on the action
	was    *novaServer    // before it was asked
	blind  bool           // the user may not see the server's actions
	report func(ops.StepDone)
	began  time.Time
	told   string // last report
	number int
	busy   bool // Nova was seen at work on the server
	asked  bool // the request was sent
}

// The answers of Nova about one server.
//
// Source: nova/api/openstack/compute/views/servers.py, instance_actions.py.
type (
	serverAnswer struct {
		Server novaServer `json:"server"`
	}
	actionsAnswer struct {
		Actions []novaAction `json:"instanceActions"` // newest first
	}
	actionAnswer struct {
		Action novaAction `json:"instanceAction"`
	}
	novaAction struct {
		Action  api.ServerVerb `json:"action"`
		Request string         `json:"request_id"`
		Message string         `json:"message"` // "Error" if something went wrong
		Events  []struct {
			Event   string `json:"event"`
			Result  string `json:"result"`
			Details string `json:"details"` // from 2.84 on
		} `json:"events"`
	}
)

// lookEvery is how long to wait between two looks at what Nova does.
const lookEvery = time.Second

// lookAfterwards is how long to read what has become of a request that is no longer
// followed.
const lookAfterwards = 5 * time.Second

// looksForBegun is how often to look before it is said that nothing has begun.
const looksForBegun = 30

// looksForLost is how often to look for an action whose answer was lost.
const looksForLost = 3

// run sends the request and follows it.
func (c *course) run(ctx context.Context) error {
	before, err := c.actions(ctx)
	c.blind = forbidden(err)
	if err == nil || c.blind {
		var answer serverAnswer
		if err = c.get(ctx, "", &answer); err == nil {
			c.was = &answer.Server
		}
	}
	if err == nil {
		err = c.changed()
	}
	if err != nil {
		return fmt.Errorf("%w; Nova was not asked to do anything", err)
	}
	c.asked = true
	err = c.s.ask(c.action.Call())
	if err != nil {
		if !unanswered(err) {
			c.s.refuse(c.action.Do, err)
			if own, _ := c.own(ctx, before); own != nil && own.wrong() == "" {
				return &inDoubtError{fmt.Errorf("%w; yet Nova has begun it: it may have been asked twice, or by others: check %s", err, c.name)}
			}
			return err
		}
		if err := c.lost(ctx, before, err); err != nil {
			return err
		}
	}
	c.tell("asked", c.title())
	return c.follow(ctx, before)
}

// changed returns an error if the server is not as it was shown: what is right for one that failed
// may end one that runs by now.
func (c *course) changed() error {
	is, was := c.was, c.shown
	now, before := stateOf(is.VMState, is.Task, is.Host), stateOf(was.VMState, was.TaskState, was.Host)
	if of, flavor := is.Flavor.Name, nova.FlavorName(was.Flavor); of != flavor {
		now, before = now+", of flavor "+clip(of), before+", of flavor "+flavor
	}
	if now == before {
		return nil
	}
	return placement.StateErrorf("%s is %s by now, and was %s when it was listed", c.name, now, before)
}

// stateOf says in which state a server is, and where.
func stateOf(vm nova.VMState, task nova.TaskState, host string) string {
	text := orElse(string(vm), "in an unknown state")
	if task != "" {
		text += " (" + string(task) + ")"
	}
	if host != "" {
		text += " on " + host
	}
	return text
}

func (c *course) title() string { return "ask Nova to " + c.step.Title }

// tell reports a step that Nova is seen to take.
func (c *course) tell(name, title string) {
	if title == c.told {
		return
	}
	c.told = title
	c.number++
	c.report(ops.StepDone{Number: c.number, Name: name, Title: title, Elapsed: c.s.clock().Sub(c.began), Tries: 1})
}

// actions returns the request ids of the server's actions.
func (c *course) actions(ctx context.Context) ([]string, error) {
	var answer actionsAnswer
	if err := c.get(ctx, "/os-instance-actions", &answer); err != nil {
		return nil, err
	}
	var out []string
	for _, a := range answer.Actions {
		out = append(out, a.Request)
	}
	return out, nil
}

// own returns the server's action for this request, the one of its kind that was not
// there before; nil if there is none.
func (c *course) own(ctx context.Context, before []string) (*novaAction, error) {
	var answer actionsAnswer
	if err := c.get(ctx, "/os-instance-actions", &answer); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(answer.Actions, func(a novaAction) bool {
		return a.Action == c.action.Do && !slices.Contains(before, a.Request)
	})
	if i < 0 {
		return nil, nil
	}
	var one actionAnswer
	if err := c.get(ctx, "/os-instance-actions/"+answer.Actions[i].Request, &one); err != nil {
		return nil, err
	}
	return &one.Action, nil
}

// lost looks for an action whose answer was lost. It returns nil if the action was begun.
func (c *course) lost(ctx context.Context, before []string, cause error) error {
	untold := &inDoubtError{fmt.Errorf("%w; Nova may or may not have started: check %s", cause, c.name)}
	for range looksForLost {
		own, err := c.own(ctx, before)
		switch {
		case own != nil, c.action.Do == api.DeleteServer && absent(err):
			return nil
		case err != nil:
			return untold
		}
		if c.s.reader.call.pause(ctx, lookEvery) != nil {
			return untold // it may still begin
		}
	}
	if answered(cause) {
		return fmt.Errorf("%w; Nova did not start", cause)
	}
	return &inDoubtError{fmt.Errorf("%w; Nova had not started when checked, but still may: check %s again", cause, c.name)}
}

// follow looks at the server until Nova is done with it. Where the user may not see its
// actions, the server alone tells.
func (c *course) follow(ctx context.Context, before []string) error {
	for looks := 1; ; looks++ {
		if err := c.s.reader.call.pause(ctx, lookEvery); err != nil {
			return c.left(err)
		}
		var answer serverAnswer
		err := c.get(ctx, "", &answer)
		switch {
		case ctx.Err() != nil:
			return c.left(ctx.Err())
		case absent(err) && c.action.Do == api.DeleteServer:
			c.tell("deleted", c.name+" is deleted")
			return nil
		case err != nil && mayRetry(err):
			c.tell("silent", "Nova does not say what becomes of it: still asking")
			continue
		case err != nil:
			return c.failed(fmt.Errorf("%w; Nova was asked: check what becomes of it", err))
		}
		is := answer.Server
		own, err := c.own(ctx, before)
		c.blind = c.blind || forbidden(err)
		switch {
		case ctx.Err() != nil:
			return c.left(ctx.Err())
		case err != nil && mayRetry(err):
			continue
		case err != nil && !gone(err) && !c.blind:
			return c.failed(fmt.Errorf("%w; Nova was asked: check what becomes of it", err))
		}
		c.busy = c.busy || is.Task != ""
		over, err := c.over(is, own)
		if err != nil {
			return c.failed(err)
		}
		if looks == looksForBegun && own == nil && !c.busy && !over {
			c.tell("waiting", "Nova was asked, and has not begun: still waiting")
		}
		if is.Task != "" {
			c.tell(string(is.Task), fmt.Sprintf("%s is %s on %s", c.name, is.Task, is.Host))
		}
		if over {
			c.tell("done", fmt.Sprintf("%s is %s on %s", c.name, is.VMState, is.Host))
			return nil
		}
	}
}

// over reports whether Nova is done, judged by the server and the action; the error says
// that it failed.
func (c *course) over(is novaServer, own *novaAction) (bool, error) {
	if is.Task != "" {
		return false, nil
	}
	if own != nil && own.wrong() != "" {
		return false, placement.StateErrorf("%s", own.wrong())
	}
	if is.VMState == nova.Broken && c.was.VMState != nova.Broken {
		return false, placement.StateErrorf("%s is in error: %s", c.name, clip(orElse(is.Fault.Message, "Nova gives no reason")))
	}
	done := own != nil && own.finished() || c.blind && c.busy
	moved := is.Host != c.was.Host || c.flavor != "" && is.Flavor.Name != c.was.Flavor.Name
	switch c.action.Do {
	case api.ResizeServer, api.MigrateServer, api.EvacuateServer, api.LiveMigrate:
		switch {
		case c.flavor != "" && moved && is.Flavor.Name != c.flavor:
			return false, placement.StateErrorf("%s was resized to %s, which somebody else has asked for", c.name, clip(is.Flavor.Name))
		case is.VMState == nova.Resized, moved: // it may be confirmed automatically at once
			return true, nil
		}
	case api.ConfirmServer, api.RevertServer:
		if is.VMState != nova.Resized {
			return true, nil
		}
	case api.DeleteServer:
		return is.VMState == nova.Deleted || is.VMState == nova.SoftDeleted, nil
	default:
		return done, nil
	}
	if done { // and rolled back, which its action does not tell
		return false, placement.StateErrorf("Nova has ended it, and %s is still %s on %s: it failed, or was cancelled", c.name, is.VMState, is.Host)
	}
	return false, nil
}

// wrong returns what failed, "" if nothing.
func (a *novaAction) wrong() string {
	if a.Message == "" {
		return ""
	}
	for _, e := range a.Events {
		if e.Result == "Error" && e.Details != "" {
			return clip(e.Details)
		}
	}
	return "Nova says: " + clip(a.Message)
}

// finished reports whether all its events have ended.
func (a *novaAction) finished() bool {
	for _, e := range a.Events {
		if e.Result == "" {
			return false
		}
	}
	return len(a.Events) > 0
}

// left returns the failure of somebody who stops waiting, for the reason err.
func (c *course) left(err error) error {
	return c.failed(fmt.Errorf("no longer following; %w: %w", ops.ErrCarriesOn, err))
}

func (c *course) failed(err error) error {
	return &ops.FailedError{Step: c.step, Cause: err}
}

// get reads a resource below the server, at the newest microversion.
func (c *course) get(ctx context.Context, path string, into any) error {
	return c.s.reader.call.read(ctx, api.Compute, "/servers/"+c.action.Server.String()+path, into)
}

// ask sends a call about a server. A refusal for one server says nothing about others.
func (s *Store) ask(call api.Call) error {
	return s.reader.call.once(s.ctx, call.Service, call.Method, call.Path, call.Body, call.Minor, nil)
}

// refuse remembers that the user may not request an action.
func (s *Store) refuse(do api.ServerVerb, err error) {
	if f := withStatus(err, http.StatusForbidden); f != nil {
		s.forbidden.Store(string(do), fmt.Sprintf("Nova refused to %s: %s", do, f.Why))
	}
}

// askable sets what Nova can be asked, nothing if there is no Nova.
func (s *Store) askable(can *cloud.Capabilities, call *caller) {
	if can.Servers = s.servers(call); can.Servers != nil {
		can.Quotas = s.quotas
	}
}

// servers returns how Nova can be asked to do something, or nil if there is no Nova.
func (s *Store) servers(call *caller) *cloud.Servers {
	of := call.services[api.Compute]
	if of == nil {
		return nil
	}
	return &cloud.Servers{Minor: of.newest(), Actions: s.actions, Cannot: func(action string) string {
		why, _ := s.forbidden.Load(action)
		text, _ := why.(string)
		return text
	}}
}

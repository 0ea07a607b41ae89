package remote

import (
	"context"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// actionsTold is how many actions are requested, newest first.
const actionsTold = "20"

// actions returns what Nova was last asked to do with a server, newest first. It takes
// one request, and is not read in the background.
//
// Errors: what Nova answered.
//
// Source: nova/api/openstack/compute/instance_actions.py, index; limit from 2.58 on.
func (s *Store) actions(ctx context.Context, server placement.ConsumerID) ([]nova.Action, error) {
	var answer struct {
		Actions []struct {
			Name    string `json:"action"`
			Request string `json:"request_id"`
			User    string `json:"user_id"`
			Message string `json:"message"`
			Began   when   `json:"start_time"`
		} `json:"instanceActions"`
	}
	call := s.reader.call
	path := "/servers/" + server.String() + "/os-instance-actions?limit=" + actionsTold
	if err := call.read(ctx, api.Compute, path, &answer); err != nil {
		return nil, err
	}
	out := make([]nova.Action, len(answer.Actions))
	for i, a := range answer.Actions {
		out[i] = nova.Action{Name: clip(a.Name), Request: clip(a.Request), User: clip(a.User), At: versioned.Time(int64(a.Began)), Wrong: a.Message != ""}
	}
	return out, nil
}

package api

import (
	"cmp"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// ServerVerb is what Nova can be asked to do with a server. It is the name under which
// Nova lists it among the actions of the server.
//
// Source: nova/compute/instance_actions.py.
type ServerVerb string

// The verbs.
const (
	ResizeServer   ServerVerb = "resize"
	ConfirmServer  ServerVerb = "confirmResize"
	RevertServer   ServerVerb = "revertResize"
	MigrateServer  ServerVerb = "migrate"
	LiveMigrate    ServerVerb = "live-migration"
	EvacuateServer ServerVerb = "evacuate"
	DeleteServer   ServerVerb = "delete"
)

// ServerAction is one thing that Nova is asked to do with a server. Nova does the rest
// by itself.
type ServerAction struct {
	Do     ServerVerb
	Server placement.ConsumerID
	Flavor string // id of the flavor to resize to
	Host   string // target host, where Do moves the server; "" for any
}

// The bodies of server actions.
type (
	hostBody struct {
		Host string `json:"host,omitempty"`
	}
	liveBody struct {
		Host  *string `json:"host"`
		Block string  `json:"block_migration"`
	}
	resizeBody struct {
		Flavor string `json:"flavorRef"`
	}
)

// row returns how a looks from outside. A host is named at the microversion from
// which the scheduler checks it.
//
// Source: nova/api/openstack/compute/{servers,migrate_server,evacuate}.py;
// python-openstackclient, openstackclient/compute/v2/server.py.
func (a ServerAction) row() row {
	at, status, path, name := microversion.ComputeFirst, statusAccepted, ServerPath(a.Server), string(a.Do)
	var body any
	var client command
	switch a.Do {
	case ResizeServer:
		body, client = resizeBody{a.Flavor}, say("server resize --flavor", a.Flavor)
	case ConfirmServer:
		status, client = statusNoContent, "server resize confirm"
	case RevertServer:
		client = "server resize revert"
	case MigrateServer:
		client = "server migrate"
		if a.Host != "" {
			at, body = microversion.MigrateHost, hostBody{a.Host}
		}
	case LiveMigrate:
		name, at, client = "os-migrateLive", microversion.LiveMigrateAuto, "server migrate --live-migration"
		live := liveBody{Block: "auto"}
		if a.Host != "" {
			at, live.Host = microversion.LiveChecked, &a.Host
		}
		body = live
	case EvacuateServer:
		at, status, body, client = microversion.EvacuateAnywhere, statusOK, hostBody{a.Host}, "server evacuate"
		if a.Host != "" {
			at = microversion.EvacuateChecked
		}
	case DeleteServer:
		return row{
			service: Compute, calls: call(Compute, "DELETE", path, at, statusNoContent, nil),
			client: []command{say("server delete", a.Server.String())},
		}
	}
	if a.Host != "" {
		client = client.and("--host", a.Host)
	}
	return row{
		service: Compute, calls: call(Compute, "POST", path+"/action", at, status, map[string]any{name: body}),
		client: []command{client.and(a.Server.String())},
	}
}

// Call returns the call that asks for a.
func (a ServerAction) Call() Call { return a.row().calls[0] }

// Command returns a as a command of the openstack client.
func (a ServerAction) Command() string { return a.row().commands()[0] }

// String returns what a does, in words for people: "resize", "confirm".
func (v ServerVerb) String() string {
	return cmp.Or(map[ServerVerb]string{
		ConfirmServer: "confirm", RevertServer: "revert", LiveMigrate: "live-migrate",
	}[v], string(v))
}

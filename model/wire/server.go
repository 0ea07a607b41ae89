package wire

import (
	"cmp"
	"encoding/json"

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

// Call returns the call that asks for a. A host is named at the microversion from
// which the scheduler checks it.
//
// Source: nova/api/openstack/compute/{servers,migrate_server,evacuate}.py.
func (a ServerAction) Call() Call {
	version, status := "2.1", statusAccepted
	var body any
	switch a.Do {
	case ResizeServer:
		body = map[string]any{"resize": resizeBody{a.Flavor}}
	case ConfirmServer:
		status, body = statusNoContent, map[string]any{"confirmResize": nil}
	case RevertServer:
		body = map[string]any{"revertResize": nil}
	case MigrateServer:
		body = map[string]any{"migrate": nil}
		if a.Host != "" {
			version, body = "2.56", map[string]any{"migrate": hostBody{a.Host}}
		}
	case LiveMigrate:
		live := liveBody{Block: "auto"}
		version = "2.25"
		if a.Host != "" {
			version, live.Host = "2.30", &a.Host
		}
		body = map[string]any{"os-migrateLive": live}
	case EvacuateServer:
		version, status = "2.14", statusOK
		if a.Host != "" {
			version = "2.29"
		}
		body = map[string]any{"evacuate": hostBody{a.Host}}
	case DeleteServer:
		return Call{Service: Compute, Method: "DELETE", Path: a.path(), Microversion: version, Answer: Answer{Status: statusNoContent}}
	}
	text, _ := json.Marshal(body) // it holds only strings
	return Call{Service: Compute, Method: "POST", Path: a.path() + "/action", Body: string(text), Microversion: version, Answer: Answer{Status: status}}
}

func (a ServerAction) path() string { return "/servers/" + a.Server.String() }

// Command returns a as a command of the openstack client.
//
// Source: python-openstackclient, openstackclient/compute/v2/server.py.
func (a ServerAction) Command() string {
	words, version := []string{"server"}, ""
	add := func(of string, w ...string) {
		words = append(words, w...)
		if a.Host != "" {
			words, version = append(words, "--host", a.Host), of
		}
	}
	switch a.Do {
	case ResizeServer:
		words = append(words, "resize", "--flavor", a.Flavor)
	case ConfirmServer:
		words = append(words, "resize", "confirm")
	case RevertServer:
		words = append(words, "resize", "revert")
	case MigrateServer:
		add("2.56", "migrate")
	case LiveMigrate:
		version = "2.25"
		add("2.30", "migrate", "--live-migration")
	case EvacuateServer:
		version = "2.14"
		add("2.29", "evacuate")
	case DeleteServer:
		words = append(words, "delete")
	}
	service := Service("")
	if version != "" {
		service = Compute
	}
	return command(service, version, append(words, a.Server.String())...)[0]
}

// String returns what a does, in words for people: "resize", "confirm".
func (v ServerVerb) String() string {
	return cmp.Or(map[ServerVerb]string{
		ConfirmServer: "confirm", RevertServer: "revert", LiveMigrate: "live-migrate",
	}[v], string(v))
}

package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/storage/storagetest"
)

func respond(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

func notThere(w http.ResponseWriter) {
	respond(w, http.StatusNotFound, object{"itemNotFound": object{"code": 404, "message": "it could not be found"}})
}

func at(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// cellOf returns the cell of a server: that of its host, or the first.
func (c *trueCloud) cellOf(s *trueServer) int {
	if h := c.hostOf(s.host); h != nil {
		return h.cell
	}
	return 1
}

func (c *trueCloud) serverRow(s *trueServer) object {
	f := c.flavors[s.flavor]
	flavor := object{"original_name": f.name, "vcpus": f.vcpus, "ram": f.ram, "disk": f.disk, "ephemeral": 0, "swap": 0}
	if c.tells.tellsSpecs() {
		flavor["extra_specs"] = f.specs
	}
	row := object{
		"id": s.id, "name": s.name, "tenant_id": s.project, "user_id": "u", "status": strings.ToUpper(string(s.vm)), "image": object{"id": "i"},
		"OS-EXT-SRV-ATTR:host": nil, "OS-EXT-SRV-ATTR:hypervisor_hostname": nil, "OS-EXT-STS:vm_state": s.vm, "OS-EXT-STS:task_state": nil,
		"created": at(c.now.Add(-24 * time.Hour)), "updated": at(s.updated),
		"flavor": flavor,
	}
	if s.host != "" {
		row["OS-EXT-SRV-ATTR:host"], row["OS-EXT-SRV-ATTR:hypervisor_hostname"] = c.serviceOf(s.host), s.host
	}
	if s.task != "" {
		row["OS-EXT-STS:task_state"] = s.task
	}
	return row
}

// serveNova answers as Nova does.
//
// Source: nova/api/openstack/compute/.
func (c *trueCloud) serveNova(w http.ResponseWriter, r *http.Request) {
	q, parts := r.URL.Query(), strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	down := func(cell int) bool { return cell == c.tells.down }
	var rows []object
	switch path := r.Method + " " + r.URL.Path; {
	case path == "GET /":
		respond(w, http.StatusOK, object{"versions": []object{{"max_version": "2." + strconv.Itoa(c.tells.nova)}}})
	case path == "GET /flavors/detail":
		for _, name := range []string{"small", "big", "gpu", "dev", "net", "metal", "reserved"} {
			f := c.flavors[name]
			row := object{"id": "id-" + name, "name": name, "vcpus": f.vcpus, "ram": f.ram, "disk": f.disk, "OS-FLV-EXT-DATA:ephemeral": 0, "swap": 0, "os-flavor-access:is_public": true}
			if c.tells.tellsSpecs() {
				row["extra_specs"] = f.specs
			}
			rows = append(rows, row)
		}
		c.tells.list(w, r, "flavors", rows)
	case path == "GET /os-hypervisors/detail":
		for _, h := range c.hosts {
			if down(h.cell) {
				continue
			}
			n := 0
			for _, s := range c.servers {
				if s.host == h.name && !s.gone {
					n++
				}
			}
			rows = append(rows, object{"id": h.root, "hypervisor_hostname": h.name, "hypervisor_type": "QEMU", "hypervisor_version": 1, "service": object{"host": h.service}, "running_vms": n})
		}
		c.tells.list(w, r, "hypervisors", rows)
	case path == "GET /os-aggregates":
		c.tells.list(w, r, "aggregates", []object{})
	case path == "GET /os-services":
		for n, h := range c.hosts {
			if h.service != h.name {
				continue // the first node of a service has its record
			}
			row := object{"id": storagetest.Number(uint64(900 + n)), "binary": "nova-compute", "host": h.name, "status": "enabled", "state": "up", "updated_at": at(c.now), "zone": "nova"}
			if h.disabled {
				row["status"] = "disabled"
			}
			if h.down {
				row["state"], row["updated_at"] = "down", at(c.now.Add(-time.Hour))
			}
			if down(h.cell) {
				if c.tells.nova < 69 {
					continue
				}
				row = object{"binary": "nova-compute", "host": h.name, "status": "UNKNOWN"}
			}
			rows = append(rows, row)
		}
		c.tells.list(w, r, "services", rows)
	case path == "GET /servers/detail" && q.Get("status") == "DELETED":
		if c.tells.project != "" {
			respond(w, http.StatusForbidden, object{"forbidden": object{"message": "Only administrators may list deleted instances"}})
			break
		}
		c.tells.list(w, r, "servers", nil)
	case path == "GET /servers/detail":
		for _, s := range c.servers {
			all := q.Get("deleted") == "true" && c.tells.project == ""
			switch {
			case q.Has("uuid") && q.Get("uuid") != s.id.String(), q.Has("host") && q.Get("host") != c.serviceOf(s.host), s.forgotten, s.gone && !all, s.vm == nova.SoftDeleted && !all:
			case q.Get("status") == "SOFT_DELETED" && s.vm != nova.SoftDeleted, all && !q.Has("status") && !s.gone, down(c.cellOf(s)):
			case c.tells.project != "" && !q.Has("all_tenants") && s.project != c.tells.project:
			default:
				rows = append(rows, c.serverRow(s))
				c.tells.saw(s)
			}
		}
		c.tells.list(w, r, "servers", rows)
	case path == "GET /os-migrations":
		for _, m := range slices.Backward(c.moves) {
			if q.Has("status") && q.Get("status") != string(m.status) || down(c.cellOf(m.of)) || m.of.forgotten {
				continue
			}
			rows = append(rows, object{
				"id": 1, "uuid": m.id, "instance_uuid": m.of.id, "migration_type": m.kind, "status": m.status, "source_compute": c.serviceOf(m.source), "dest_compute": c.serviceOf(m.dest),
				"source_node": m.source, "dest_node": m.dest, "created_at": at(m.updated), "updated_at": at(m.updated),
			})
			c.tells.sawMove(m)
		}
		c.tells.list(w, r, "migrations", rows)
	case parts[0] == "servers" && len(parts) > 1:
		s := c.serverNamed(parts[1])
		switch {
		case s == nil || s.gone || c.tells.project != "" && s.project != c.tells.project:
			if s != nil {
				c.tells.saw(s)
			}
			notThere(w)
		case down(c.cellOf(s)) && c.tells.nova < 69:
			respond(w, http.StatusInternalServerError, object{"computeFault": object{"message": "Cell is not responding"}})
		case down(c.cellOf(s)):
			respond(w, http.StatusOK, object{"server": object{"id": s.id, "status": "UNKNOWN", "tenant_id": s.project, "created": at(c.now)}})
		case r.Method == http.MethodGet && len(parts) == 2:
			c.tells.saw(s)
			respond(w, http.StatusOK, object{"server": c.serverRow(s)})
		case r.Method == http.MethodGet && len(parts) == 3:
			respond(w, http.StatusOK, object{"instanceActions": c.tells.actions[s.id]})
		case r.Method == http.MethodGet:
			respond(w, http.StatusOK, object{"instanceAction": object{"action": "x", "request_id": parts[3], "events": []object{{"event": "e", "result": "Success"}}}})
		default:
			c.act(w, r, s)
		}
	case r.Method == http.MethodPut && parts[0] == "os-services":
		body, _ := io.ReadAll(r.Body)
		for n, h := range c.hosts {
			if strings.Contains(string(body), `"`+h.name+`"`) || strings.Contains(r.URL.Path, storagetest.Number(uint64(900+n)).String()) {
				h.disabled = strings.Contains(string(body)+r.URL.Path, "disable")
			}
		}
		respond(w, http.StatusOK, object{})
	default:
		notThere(w)
	}
}

func (c *trueCloud) serverNamed(id string) *trueServer {
	for _, s := range c.servers {
		if s.id.String() == id {
			return s
		}
	}
	return nil
}

// act carries out at once what Nova is asked to do with a server, if its state allows that.
func (c *trueCloud) act(w http.ResponseWriter, r *http.Request, s *trueServer) {
	body := map[string]json.RawMessage{}
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &body)
	do := "delete"
	for key := range body {
		do = key
	}
	m := c.waits(s)
	others := func() *trueHost {
		for _, h := range c.hosts {
			if h.service != c.serviceOf(s.host) && !h.down {
				return h
			}
		}
		return c.hosts[0]
	}
	busy := s.task != "" || s.host == "" || s.vm != nova.Active && s.vm != nova.Stopped
	done := true
	switch do {
	case "delete":
		c.remove(s)
	case "confirmResize":
		if done = m != nil && s.task == ""; done {
			c.confirm(m)
		}
	case "revertResize":
		if done = m != nil && s.task == ""; done {
			c.revert(m)
		}
	case "resize", "migrate":
		if done = !busy; done {
			flavor, kind := s.flavor, nova.ColdMigration
			if do == "resize" {
				var of struct{ FlavorRef string }
				_ = json.Unmarshal(body[do], &of)
				flavor, kind = strings.TrimPrefix(of.FlavorRef, "id-"), nova.Resize
			}
			to := others()
			m := c.move(s, to, kind, nova.Finished, flavor)
			s.host, s.flavor, s.vm = to.name, flavor, nova.Resized
			c.touchMove(m)
		}
	case "os-migrateLive", "evacuate":
		if done = !busy; done {
			c.land(s, others(), s.flavor)
		}
	}
	if !done {
		respond(w, http.StatusConflict, object{"conflictingRequest": object{"code": 409, "message": "Cannot '" + do + "' instance while it is in vm_state " + string(s.vm)}})
		return
	}
	c.tells.did++
	name := map[string]string{"os-migrateLive": "live-migration"}[do]
	if name == "" {
		name = do
	}
	c.tells.actions[s.id] = append([]object{{"action": name, "request_id": "req-" + strconv.Itoa(c.tells.total)}}, c.tells.actions[s.id]...)
	respond(w, http.StatusAccepted, object{})
}

func (c *trueCloud) arqRow(a *trueARQ) object {
	row := object{
		"uuid": a.id, "state": a.state, "device_profile_name": "dp", "device_profile_group_id": 0, "hostname": a.host.name, "device_rp_uuid": a.host.cyborg,
		"instance_uuid": a.of, "attach_handle_type": "MDEV", "attach_handle_uuid": derived("handle", a.id.String()), "attach_handle_info": object{"asked_type": "nvidia-35"},
		"project_id": "p", "created_at": at(c.now.Add(-time.Hour)), "updated_at": at(c.now.Add(-time.Hour)),
	}
	if a.of.IsZero() {
		row["instance_uuid"] = nil
	}
	return row
}

// serveCyborg answers as Cyborg does.
//
// Source: cyborg/api/controllers/v2/.
func (c *trueCloud) serveCyborg(w http.ResponseWriter, r *http.Request) {
	q, path := r.URL.Query(), strings.TrimPrefix(r.URL.Path, "/v2")
	var rows []object
	one, _ := uuid.Parse(path[strings.LastIndexByte(path, '/')+1:])
	switch {
	case path == "" || path == "/":
		respond(w, http.StatusOK, object{"versions": []object{{"max_version": "2.3"}}})
	case path == "/devices":
		for n, h := range c.hosts {
			rows = append(rows, object{"id": n, "uuid": storagetest.Number(uint64(800 + n)), "type": "GPU", "vendor": "10de", "model": "T4", "hostname": h.name, "status": "enabled"})
		}
		c.tells.list(w, r, "devices", rows)
	case path == "/deployables":
		for n, h := range c.hosts {
			rows = append(rows, object{"uuid": storagetest.Number(uint64(700 + n)), "device_id": n, "name": h.name + "_0000:af:00.0", "num_accelerators": 8, "rp_uuid": h.cyborg, "attributes_list": fmt.Sprintf(`[{"rc": %q}]`, c.device)})
		}
		c.tells.list(w, r, "deployables", rows)
	case path == "/device_profiles":
		c.tells.list(w, r, "device_profiles", []object{{"uuid": storagetest.Number(600), "name": "dp", "groups": []object{{"resources:" + string(c.device): "1", "trait:OWNER_CYBORG": "required"}}}})
	case path == "/accelerator_requests" && r.Method == http.MethodGet:
		for _, a := range c.arqs {
			if !q.Has("instance") || q.Get("instance") == a.of.String() {
				rows = append(rows, c.arqRow(a))
			}
		}
		c.tells.list(w, r, "arqs", rows)
	case path == "/accelerator_requests" && r.Method == http.MethodDelete:
		c.tells.did++
		c.arqs = slices.DeleteFunc(c.arqs, func(a *trueARQ) bool { return slices.Contains(strings.Split(q.Get("arqs"), ","), a.id.String()) })
		respond(w, http.StatusNoContent, nil)
	case strings.HasPrefix(path, "/accelerator_requests/") && r.Method == http.MethodGet:
		for _, a := range c.arqs {
			if a.id == one {
				respond(w, http.StatusOK, c.arqRow(a))
				return
			}
		}
		respond(w, http.StatusNotFound, object{"faultcode": "Client", "faultstring": "ARQ " + one.String() + " not found."})
	default:
		respond(w, http.StatusNotFound, object{"faultcode": "Client", "faultstring": "not found"})
	}
}

// bound reports whether a request keeps a device.
func (a *trueARQ) bound() bool {
	return a.state == cyborg.ARQBound || a.state == cyborg.ARQBindStarted || a.state == cyborg.ARQUnbindFailed
}

//go:build etcd

package etcd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/storage/rest"
)

// TestServersAnswerAsOne sends each request of a client to another of three servers, as a
// balancer does: what one has answered the next one knows.
func TestServersAnswerAsOne(t *testing.T) {
	c := begin(t)
	var servers []*rest.Handler
	for range 3 {
		servers = append(servers, rest.New(open(t, c.place("served"), time.Now), rest.Options{Clock: time.Now}))
	}
	var clients sync.WaitGroup
	defer clients.Wait()
	for n := range 4 {
		clients.Go(func() {
			next := n
			ask := func(want int, method, path, body string) {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Header.Set("OpenStack-API-Version", "placement 1.39")
				if body != "" {
					r.Header.Set("Content-Type", "application/json")
				}
				caller := rest.Caller{User: "nova", Project: "service", Roles: []string{rest.RoleAdmin, rest.RoleService}}
				w := httptest.NewRecorder()
				servers[next%len(servers)].ServeHTTP(w, r.WithContext(rest.WithCaller(r.Context(), caller)))
				if next++; w.Code != want {
					t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
				}
			}
			for range 25 {
				host, vm := uuid.NewString(), "/allocations/"+uuid.NewString()
				ask(http.StatusOK, "POST", "/resource_providers", fmt.Sprintf(`{"name": %q, "uuid": %q}`, host, host))
				ask(http.StatusOK, "PUT", "/resource_providers/"+host+"/inventories", `{"resource_provider_generation": 0, "inventories": {"VCPU": {"total": 8}}}`)
				ask(http.StatusNoContent, "PUT", vm, fmt.Sprintf(`{"allocations": {%q: {"resources": {"VCPU": 8}}}, "consumer_generation": null, "project_id": "p", "user_id": "u", "consumer_type": "INSTANCE"}`, host))
				ask(http.StatusConflict, "PUT", "/resource_providers/"+host+"/inventories", `{"resource_provider_generation": 1, "inventories": {}}`)
				ask(http.StatusNoContent, "DELETE", vm, "")
				ask(http.StatusNotFound, "DELETE", vm, "")
				ask(http.StatusNoContent, "DELETE", "/resource_providers/"+host, "")
				ask(http.StatusNotFound, "GET", "/resource_providers/"+host, "")
			}
		})
	}
}

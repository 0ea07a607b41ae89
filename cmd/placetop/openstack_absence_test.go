//go:build openstack

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestOpenStackReleasesNothing repairs a real cloud of which a part cannot be seen: a cell
// does not answer, nova-api is stopped, or the user sees only the servers of one project.
// The servers live all the same, and none of their allocations is released. Once all is
// seen, an orphan is released, and nothing else.
func TestOpenStackReleasesNothing(t *testing.T) {
	script, dir, ok := strings.Cut(os.Getenv("OPENSTACK_CONTROL"), " ")
	if !ok {
		t.Skip("nobody may stop its services: name the script and its directory with OPENSTACK_CONTROL")
	}
	do := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	sql := func(statement string) string {
		t.Helper()
		return do("mariadb", "--no-defaults", "-uroot", "-S", filepath.Join(dir, "db.sock"), "-Ne", statement)
	}
	control := func(args ...string) { t.Helper(); do(script, append(args, "--dir", dir)...) }
	again := func() { t.Helper(); control("stop", "nova-api"); control("start", "nova-api") }
	policy := func(of, text string) {
		t.Helper()
		must.Succeed(t, os.WriteFile(filepath.Join(dir, "etc", of+"-policy.yaml"), []byte(text), 0o600))
	}
	allocations := func() string {
		t.Helper()
		return sql("select consumer_id, resource_provider_id, resource_class_id, used from placement.allocations order by 1, 2, 3")
	}
	placetop := func(args ...string) (out, said string, code int) {
		var stdout, stderr strings.Builder
		code = run(args, strings.NewReader(""), &stdout, &stderr, os.Environ())
		return stdout.String(), stderr.String(), code
	}

	orphan := uuid.NewString()
	alive := allocations()
	project, user, _ := strings.Cut(strings.TrimSpace(sql("select p.external_id, u.external_id from placement.consumers c join placement.projects p on p.id = c.project_id join placement.users u on u.id = c.user_id limit 1")), "\t")
	if _, said, code := placetop("allocate", orphan, "VCPU=1", "--on", "cmp-01", "--project", project, "--user", user, "--cloud", "admin", "--write"); code != exitDone {
		t.Fatalf("allocate: %d: %s", code, said)
	}
	t.Cleanup(func() { placetop("release", orphan, "--force", "--cloud", "admin", "--write") })
	before := allocations()

	const seesAllButServers = `
os_compute_api:os-services:list: "@"
os_compute_api:os-hypervisors:list-detail: "@"
os_compute_api:os-migrations:index: "@"
os_compute_api:os-aggregates:index: "@"
`
	cell := strings.TrimSpace(sql("select database_connection from nova_api.cell_mappings where name = 'cell1'"))
	for _, test := range []struct {
		name, cloud string
		begin, end  func()
		why         string
	}{
		{
			"a cell does not answer", "admin",
			func() {
				sql("update nova_api.cell_mappings set database_connection = replace(database_connection, 'nova_cell1', 'nowhere') where name = 'cell1'")
				again()
			},
			func() {
				sql("update nova_api.cell_mappings set database_connection = '" + cell + "' where name = 'cell1'")
				again()
			},
			"a cell does not answer",
		},
		{
			"nova-api is stopped", "admin", func() { control("stop", "nova-api") }, func() { control("start", "nova-api") }, "servers: ",
		},
		{
			"rights of a project", "member",
			func() {
				policy("placement", `system_admin_api: "role:member"`+"\n"+`system_reader_api: "role:member"`+"\n")
			},
			func() { policy("placement", "") },
			"only those of the user's own project were read",
		},
		{
			"rights of a project to see servers, and to see all else", "member",
			func() {
				policy("placement", `system_admin_api: "role:member"`+"\n"+`system_reader_api: "role:member"`+"\n")
				policy("nova", seesAllButServers)
			},
			func() { policy("placement", ""); policy("nova", "") },
			"only those of the user's own project were read",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.begin()
			defer test.end()
			for _, with := range [][]string{nil, {"--with", "release"}} {
				out, said, code := placetop(append([]string{"check", "--fix", "--cloud", test.cloud, "--write"}, with...)...)
				t.Logf("exit %d\n%s\n%s", code, out, said)
				if now := allocations(); now != before {
					t.Errorf("there were\n%sand now\n%s", before, now)
				}
				if code == exitDone || !strings.Contains(out+said, "not judged") || !strings.Contains(out+said, test.why) {
					t.Errorf("it does not say why it judged nothing: exit %d", code)
				}
			}
			out, said, code := placetop("release", orphan, "--cloud", test.cloud, "--write")
			if now := allocations(); code == exitDone || now != before {
				t.Errorf("nobody knows whether it is an orphan: exit %d\n%s%s", code, out, said)
			}
		})
	}
	out, said, code := placetop("check", "--fix", "--only", "a01", "--cloud", "admin", "--write")
	if now := allocations(); now != alive {
		t.Errorf("exit %d\n%s%s\nthere were\n%sand now\n%s", code, out, said, alive, now)
	}
}

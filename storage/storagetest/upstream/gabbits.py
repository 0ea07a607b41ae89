"""Runs Placement's own functional suite against the server at URL: python gabbits.py URL.

Each file of the suite begins with a fixture, which writes to a database of Placement's. What it wrote is read
through Placement's own API and sent to URL/__load__ as an export. The last line of output says how many tests ran and
names those that failed, as JSON.
"""
import json
import os
import sys
import unittest
import urllib.request

from gabbi import driver
import webob

from placement import deploy
from placement.tests import functional
from placement.tests.functional.fixtures import gabbits as fixtures

url = sys.argv.pop()
HEADERS = {"X-Auth-Token": "admin", "X-Roles": "admin,service", "OpenStack-API-Version": "placement 1.39"}


def export():
    app = deploy.loadapp(fixtures.CONF)

    def get(path):
        return webob.Request.blank(path, headers=HEADERS).get_response(app).json

    def custom(names):
        return [name for name in names if name.startswith("CUSTOM_")]

    records, consumers = [], {}

    def record(kind, **data):
        records.append({"kind": kind, "version": "1.0", "data": data})

    for n, name in enumerate(custom(c["name"] for c in get("/resource_classes")["resource_classes"])):
        record("resource_class", id=10000 + n, name=name)
    for n, name in enumerate(custom(get("/traits")["traits"])):
        record("trait", id=10000 + n, name=name)
    for p in get("/resource_providers")["resource_providers"]:
        path = "/resource_providers/" + p["uuid"]
        data = {"uuid": p["uuid"], "name": p["name"], "generation": p["generation"],
                "inventories": get(path + "/inventories")["inventories"],
                "aggregates": get(path + "/aggregates")["aggregates"]}
        if p["parent_provider_uuid"]:
            data["parent_provider_uuid"] = p["parent_provider_uuid"]
        record("resource_provider", **data)
        record("resource_provider_traits", resource_provider_uuid=p["uuid"], traits=get(path + "/traits")["traits"])
        consumers.update(get(path + "/allocations")["allocations"])
    for uuid in consumers:
        c = get("/allocations/" + uuid)
        data = {"uuid": uuid, "project_id": c["project_id"], "user_id": c["user_id"],
                "generation": c["consumer_generation"],
                "allocations": {rp: of["resources"] for rp, of in c["allocations"].items()}}
        if c["consumer_type"] != "unknown":
            data["consumer_type"] = c["consumer_type"]
        record("consumer", **data)
    return "\n".join(json.dumps(line) for line in [{"placetop_export": 1, "records": len(records)}] + records)


def loading(cls):
    start = cls.start_fixture

    def start_fixture(self):
        start(self)
        if type(self) is cls:
            urllib.request.urlopen(url + "/__load__", data=(export() + "\n").encode()).read()

    cls.start_fixture = start_fixture


for cls in list(vars(fixtures).values()):
    if isinstance(cls, type) and issubclass(cls, fixtures.APIFixture):
        loading(cls)

host, port = url.removeprefix("http://").split(":")
suite = driver.build_tests(
    os.path.join(os.path.dirname(functional.__file__), "gabbits"), unittest.TestLoader(), host=host, port=int(port),
    test_loader_name="gabbits", fixture_module=fixtures)
result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
print("result " + json.dumps({"ran": result.testsRun, "failed": sorted({t.id() for t, _ in result.failures + result.errors + [
    (t, "") for t in result.unexpectedSuccesses]})}), flush=True)

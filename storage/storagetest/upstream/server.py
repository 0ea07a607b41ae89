"""Serves Placement on a free loopback port until stdin ends.

Prints "port N" when it is ready, among whatever the service logs. POST /__wipe__ empties the database of
everything but the standard resource classes and traits.
"""
import os
import socketserver
import sqlite3
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

state = sys.argv.pop()  # what is left is for the service, which knows no such argument
os.environ["OS_PLACEMENT_CONFIG_DIR"] = state

from placement import wsgi  # noqa: E402  (reads the environment)

TABLES = ("allocations", "consumers", "inventories", "resource_provider_traits",
          "resource_provider_aggregates", "placement_aggregates", "resource_providers",
          "projects", "users", "consumer_types")


def wipe():
    db = sqlite3.connect(os.path.join(state, "placement.db"), timeout=30)
    for table in TABLES:
        db.execute("DELETE FROM " + table)
    db.execute("DELETE FROM traits WHERE name LIKE 'CUSTOM@_%' ESCAPE '@'")
    db.execute("DELETE FROM resource_classes WHERE name LIKE 'CUSTOM@_%' ESCAPE '@'")
    db.commit()
    db.close()


def app(environ, start_response):
    if environ["PATH_INFO"] == "/__wipe__":
        wipe()
        start_response("204 No Content", [])
        return []
    return placement(environ, start_response)


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


placement = wsgi.init_application()
server = make_server("127.0.0.1", 0, app, server_class=Server, handler_class=Handler)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
print("port", server.server_port, flush=True)
server.serve_forever()

"""Answers what Nova makes of flavors and images, one JSON object a line, until stdin ends.

In: {"vcpus", "memory_mb", "root_gb", "ephemeral_gb", "swap", "extra_specs", "image", "volume"}, image a dict of
properties and disk_format. Out: {"create": why the API takes no such flavor, "boot": why it boots nothing with
it, "query": what the scheduler asks}, each null or absent where there is nothing to say.
"""
import json
import sys
from urllib import parse

from nova import objects
from nova.api.validation.extra_specs import validators
from nova.compute import api
import nova.conf
from nova.scheduler import request_filter
from nova.scheduler import utils

objects.register_all()
CONF = nova.conf.CONF
CONF([], project="nova", version="1", default_config_files=[])
CONF.set_override("query_placement_for_image_type_support", True, "scheduler")
CONF.set_override("image_metadata_prefilter", True, "scheduler")

# Debian's stable release does not have all of them.
FILTERS = [f for f in (getattr(request_filter, name, None) for name in (
    "require_image_type_support", "compute_status_filter", "transform_image_metadata", "packed_virtqueue_filter",
    "ephemeral_encryption_filter", "virtio_sound_filter", "tpm_secret_security_filter")) if f]


def answer(case):
    out = {}
    for key, value in case["extra_specs"].items():
        try:
            validators.validate(key, value)
        except Exception as e:
            out["create"] = str(e)
            break
    flavor = objects.Flavor(
        name="f", vcpus=case["vcpus"], memory_mb=case["memory_mb"], root_gb=case["root_gb"],
        ephemeral_gb=case["ephemeral_gb"], swap=case["swap"], extra_specs=case["extra_specs"])
    properties = dict(case["image"])
    image = {"id": "155d900f-4e14-4e4c-a73d-069cbf4541e6", "name": "i", "status": "active",
             "disk_format": properties.pop("disk_format", "raw"), "properties": properties}
    try:
        api.API._validate_flavor_image_numa_pci(image, flavor, validate_numa=True, validate_pci=False)
        spec = objects.RequestSpec(
            flavor=flavor, image=objects.ImageMeta.from_dict(image), is_bfv=case["volume"],
            numa_topology=None, pci_requests=None, requested_destination=None,
            request_level_params=objects.RequestLevelParams())
        for f in FILTERS:
            f(None, spec)
        request = utils.resources_from_request_spec(None, spec, None)
        out["query"] = parse.unquote(request.to_querystring())
    except Exception as e:
        out["boot"] = "%s: %s" % (type(e).__name__, e)
    return out


print("ready", flush=True)
for line in sys.stdin:
    print("answer " + json.dumps(answer(json.loads(line))), flush=True)

#!/usr/bin/env python3
"""Checks scripts/kubernetes/mstune-agent.yaml against itself and against mstune-agent --help."""

import os
import re
import subprocess
import sys

import yaml


def main() -> int:
    manifest_path, agent_program = sys.argv[1:]
    with open(manifest_path, encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    assert len(documents) == 1
    manifest = documents[0]
    assert (manifest["apiVersion"], manifest["kind"]) == ("apps/v1", "DaemonSet")
    template = manifest["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert manifest["spec"]["selector"]["matchLabels"].items() <= labels.items()

    pod = template["spec"]
    (container,) = pod["containers"]
    arguments = dict(argument.split("=", 1) for argument in container["args"])
    help_text = subprocess.run(
        [agent_program, "--help"], check=True, capture_output=True, text=True
    ).stdout
    for option in arguments:
        assert re.search(rf"^\s+{option}\b", help_text, re.MULTILINE), f"unknown option {option}"

    first, last = map(int, arguments["--devices"].split("-"))
    limits = container["resources"]["limits"]
    assert limits == {"huawei.com/Ascend910": last - first + 1}, limits
    (port,) = container["ports"]
    assert arguments["--listen"].endswith(f":{port['containerPort']}")

    volumes = {volume["name"] for volume in pod["volumes"]}
    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    assert volumes == {mount["name"] for mount in mounts.values()}
    for option in ("--key", "--authorized"):
        # A file of its own: a whole Secret is mounted as links, which mstune-agent does not follow.
        mount = mounts[arguments[option]]
        assert mount["name"] == "keys" and mount["subPath"] == os.path.basename(arguments[option])
    assert mounts[os.path.dirname(arguments["--work-dir"])]["name"] == "work"
    secret = next(volume["secret"] for volume in pod["volumes"] if "secret" in volume)
    assert secret["defaultMode"] == 0o400  # mstune-agent refuses keys that others can read
    print("kubernetes: the manifest holds together")
    return 0


if __name__ == "__main__":
    sys.exit(main())

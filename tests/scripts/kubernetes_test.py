#!/usr/bin/env python3
"""Checks scripts/kubernetes/mstune-agent.yaml against itself, against mstune-agent --help-all and against
the types of Kubernetes' API.

  kubernetes_test.py MANIFEST MSTUNE-AGENT CACHE    CACHE: where the API's types are kept
"""

import copy
import os
import pathlib
import re
import subprocess
import sys

import yaml

from kubernetes_api import Types, fetch


def check_arguments(agent_program: str, arguments: list) -> dict:
    """Each is an option of the agent; what has a value, by name."""
    help_text = subprocess.run(
        [agent_program, "--help-all"], check=True, capture_output=True, text=True
    ).stdout
    values = {}
    for argument in arguments:
        option, _, value = argument.partition("=")
        assert re.search(rf"^\s+{option}\b", help_text, re.MULTILINE), f"unknown option {option}"
        values[option] = value
    return values


def check_itself(manifest: dict, agent_program: str) -> None:
    template = manifest["spec"]["template"]
    labels = template["metadata"]["labels"]
    assert manifest["spec"]["selector"]["matchLabels"].items() <= labels.items()

    pod = template["spec"]
    (container,) = pod["containers"]
    arguments = check_arguments(agent_program, container["args"])
    first, last = map(int, arguments["--devices"].split("-"))
    limits = container["resources"]["limits"]
    assert limits == {"huawei.com/Ascend910": last - first + 1}, limits
    (port,) = container["ports"]
    assert arguments["--listen"].endswith(f":{port['containerPort']}")

    program, *asked = container["readinessProbe"]["exec"]["command"]
    assert [program] == container["command"]
    asked = check_arguments(agent_program, asked)
    assert "--probe" in asked and asked["--listen"] == arguments["--listen"]

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


def check_types(manifest: dict, types: Types) -> None:
    faults = types.check(manifest)
    assert not faults, faults

    def spoilt(change) -> list:
        other = copy.deepcopy(manifest)
        change(other["spec"]["template"]["spec"])
        return types.check(other)

    # What a person gets wrong is found.
    container = "DaemonSet.spec.template.spec.containers[0]"
    assert spoilt(lambda pod: pod["containers"][0].update(readynessProbe={})) == [
        f"{container}: there is no field readynessProbe"]
    assert spoilt(lambda pod: pod["containers"][0]["ports"][0].update(containerPort="18600")) == [
        f"{container}.ports[0].containerPort: '18600' is no number"]
    assert spoilt(lambda pod: pod["containers"][0].pop("name")) == [f"{container}: name is missing"]
    assert spoilt(lambda pod: pod["containers"][0]["resources"]["limits"].update(memory=["1Gi"]))
    assert spoilt(lambda pod: pod.update(containers={}))


def main() -> int:
    manifest_path, agent_program, cache = sys.argv[1:]
    with open(manifest_path, encoding="utf-8") as file:
        (manifest,) = yaml.safe_load_all(file)
    assert (manifest["apiVersion"], manifest["kind"]) == ("apps/v1", "DaemonSet")
    check_itself(manifest, agent_program)
    print("kubernetes: the manifest holds together")
    where = pathlib.Path(cache)
    if not fetch(where):
        print("kubernetes: not held against the API's types, because npm has no package of them here")
        return 77
    check_types(manifest, Types(where))
    print("kubernetes: the manifest is of the API's types")
    return 0


if __name__ == "__main__":
    sys.exit(main())

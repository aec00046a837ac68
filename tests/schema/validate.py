#!/usr/bin/env python3
"""Holds JSON documents against their published schemas.

    validate.py SCHEMA_DIRECTORY NAME=FILE...     one document in each file
    validate.py SCHEMA_DIRECTORY NAME*=FILE...    one in each line of it

The published schemas let keys be added. Here a key that no schema describes is an error, so that
nothing is written that is not documented.
"""

import json
import pathlib
import sys

import jsonschema


def whole(node, schemas):
    """The schema with those that it refers to put in, so that it stands alone."""
    if isinstance(node, list):
        return [whole(item, schemas) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return whole(schemas[node["$ref"]], schemas)
    return {
        key: whole(value, schemas) for key, value in node.items() if key not in ("$id", "$schema")
    }


def close(node):
    """Refuses keys that are not described, in every object; parts of an allOf are one object."""
    if "properties" in node:
        node.setdefault("unevaluatedProperties", False)
    for child in node.get("properties", {}).values():
        close(child)
    if "items" in node:
        close(node["items"])
    for choice in node.get("anyOf", []) + node.get("oneOf", []):
        close(choice)


def problems_of(argument, schemas):
    """What is wrong with the documents of one NAME=FILE or NAME*=FILE."""
    name, path = argument.split("=", 1)
    lines = name.endswith("*")
    name = name.rstrip("*")
    text = pathlib.Path(path).read_text(encoding="utf-8")
    schema = whole(schemas[f"{name}.schema.json"], schemas)
    close(schema)
    validator = jsonschema.Draft202012Validator(schema)
    documents = [json.loads(line) for line in text.splitlines()] if lines else [json.loads(text)]
    if not documents:
        return [f"{path}: no document"]
    return [
        f"{path}: {number}: {'/'.join(map(str, error.absolute_path))}: {error.message}"
        for number, document in enumerate(documents, 1)
        for error in validator.iter_errors(document)
    ]


def main() -> int:
    schemas = {}
    for path in pathlib.Path(sys.argv[1]).glob("*.schema.json"):
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[schema["$id"]] = schema
    problems = [line for argument in sys.argv[2:] for line in problems_of(argument, schemas)]
    print("\n".join(problems) if problems else "all fit")
    return 1 if problems or len(sys.argv) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Holds a JSON document against its published schema.

    validate.py SCHEMA_DIRECTORY NAME DOCUMENT         one document
    validate.py SCHEMA_DIRECTORY NAME --lines FILE     one document in each line

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


def main() -> int:
    directory, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    lines = sys.argv[3] == "--lines"
    text = pathlib.Path(sys.argv[-1]).read_text(encoding="utf-8")
    schemas = {}
    for path in directory.glob("*.schema.json"):
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[schema["$id"]] = schema
    schema = whole(schemas[f"{name}.schema.json"], schemas)
    close(schema)
    validator = jsonschema.Draft202012Validator(schema)
    documents = [json.loads(line) for line in text.splitlines()] if lines else [json.loads(text)]
    problems = [
        f"{number}: {'/'.join(map(str, error.absolute_path))}: {error.message}"
        for number, document in enumerate(documents, 1)
        for error in validator.iter_errors(document)
    ]
    print("\n".join(problems) if problems else f"{len(documents)} documents fit {name}")
    return 1 if problems or not documents else 0


if __name__ == "__main__":
    sys.exit(main())

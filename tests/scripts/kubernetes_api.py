"""Holds Kubernetes objects against the API's types, as the npm package kubernetes-models declares
them (made from Kubernetes' own OpenAPI document): names of fields, kinds of values, what has to be
there. Formats of strings are not looked at."""

import pathlib
import re
import subprocess
import tarfile

PACKAGES = ("kubernetes-models@5.1.0", "@kubernetes-models/apimachinery@3.0.2")
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";', re.MULTILINE)
FIELD = re.compile(r'^    "([^"]+)"(\??): (\{[^}]*\}|[^;{]*);$', re.MULTILINE)
COMMENT = re.compile(r"/\*\*.*?\*/", re.DOTALL)
PRIMITIVES = {"string": str, "boolean": bool, "number": (int, float)}


def fetch(cache: pathlib.Path) -> bool:
    """Unpacks the packages below `cache`, once. False where npm or its registry is not there."""
    if (cache / "whole").exists():
        return True
    cache.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(["npm", "pack", "--silent", *PACKAGES], cwd=cache, timeout=60,
                              capture_output=True, text=True, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False
    names = done.stdout.split()
    if done.returncode != 0 or len(names) != len(PACKAGES):
        return False
    for package, name in zip(PACKAGES, names):
        with tarfile.open(cache / name) as archive:
            archive.extractall(cache / package.rsplit("@", 1)[0])
    (cache / "whole").touch()
    return True


class Types:
    """The declarations, read as they are needed."""

    def __init__(self, cache: pathlib.Path):
        self.cache = cache
        self.files = {}

    def _file(self, path: pathlib.Path):
        """The imports of a file, and the text of the first type that it declares."""
        if path not in self.files:
            text = COMMENT.sub("", path.read_text(encoding="utf-8"))
            imports = {}
            for names, source in IMPORT.findall(text):
                for name in names.split(","):
                    imports[name.strip()] = self._resolve(source, path)
            body = re.search(r"export interface \w+[^{]*\{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)
            alias = re.search(r"export type \w+ = ([^;]+);", text)
            self.files[path] = (imports, body.group(1) if body else None, alias and alias.group(1))
        return self.files[path]

    def _resolve(self, source: str, importer: pathlib.Path) -> pathlib.Path:
        if source.startswith("."):
            return (importer.parent / re.sub(r"\.js$", "", source)).with_suffix(".d.ts")
        package = re.match(r"(?:@[^/]+/)?[^/]+", source).group(0)
        return self.cache / package / "package" / (source[len(package) + 1:] + ".d.ts")

    def faults(self, value, kind: str, path: pathlib.Path, at: str):
        """What is wrong with a value of a type that is named in the file `path`."""
        kind = kind.strip()
        imports, _, _ = self._file(path)
        if kind in PRIMITIVES:
            fits = isinstance(value, PRIMITIVES[kind]) and (kind == "boolean") == isinstance(value, bool)
            return [] if fits else [f"{at}: {value!r} is no {kind}"]
        if kind.startswith("Array<"):
            if not isinstance(value, list):
                return [f"{at}: {value!r} is no list"]
            return [fault for index, item in enumerate(value)
                    for fault in self.faults(item, kind[6:-1], path, f"{at}[{index}]")]
        if mapped := re.fullmatch(r"\{\s*\[key: string\]: (.*?);?\s*\}", kind, re.DOTALL):
            if not isinstance(value, dict):
                return [f"{at}: {value!r} is no map"]
            return [fault for key, item in value.items()
                    for fault in self.faults(item, mapped.group(1), path, f"{at}.{key}")]
        if " | " in kind:
            return [] if any(not self.faults(value, each, path, at) for each in kind.split(" | ")) \
                else [f"{at}: {value!r} is none of {kind}"]
        if kind.startswith('"'):
            return [] if value == kind.strip('"') else [f"{at}: {value!r} is not {kind}"]
        return self.faults_of_object(value, imports[kind], at)

    def faults_of_object(self, value, path: pathlib.Path, at: str):
        _, body, alias = self._file(path)
        if body is None:
            return self.faults(value, alias, path, at)
        if not isinstance(value, dict):
            return [f"{at}: {value!r} is no object"]
        fields = {name: (kind, not optional) for name, optional, kind in FIELD.findall(body)}
        faults = [f"{at}: there is no field {name}" for name in value if name not in fields]
        faults += [f"{at}: {name} is missing"
                   for name, (_, needed) in fields.items() if needed and name not in value]
        for name in value.keys() & fields.keys():
            faults += self.faults(value[name], fields[name][0], path, f"{at}.{name}")
        return faults

    def check(self, manifest: dict):
        """Faults of a whole object, by its apiVersion and kind."""
        file = self.cache / "kubernetes-models" / "package" / manifest["apiVersion"]
        return self.faults_of_object(manifest, file / f"{manifest['kind']}.d.ts", manifest["kind"])

#!/usr/bin/env python3
"""Holds pass/, samples/ and the stand-in's headers against what is known of the real ones.

  check_headers.py ROOT                the sources and tests/standin/include of a checkout
  check_headers.py --cann INCLUDE      the include directory of a CANN: is all there that pass/ and
                                       samples/ use, by the header and of the kind that they expect?

includes.json says what each real header includes, names.json where it declares what the sources use.
A pass that compiles only because a header of the stand-in is more generous than the real one would
measure nothing on a real machine. The compiler is $CXX, else c++.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDES = json.loads((HERE / "includes.json").read_text(encoding="utf-8"))["headers"]
NAMES = json.loads((HERE / "names.json").read_text(encoding="utf-8"))["names"]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
# Names of CANN in a source of ours: those with its prefixes, and members, which unlike ours begin
# with a capital or have one inside.
FREE_NAME = re.compile(r"\b(ge::\w+(?:::\w+)?|acl[a-z]*[A-Z]\w*|ACL_\w+|REGISTER_\w+)")
MEMBER = re.compile(r"(?:\.|->)([A-Z]\w*|[a-z]+[A-Z]\w*)\b")

# Words of a type that take others behind them, and the template that makes the C++ of it.
MAKERS = {
    "pointer to": "pointer_to",
    "reference to": "reference_to",
    "shared pointer to": "std::shared_ptr",
    "constant": "constant",
    "vector of": "std::vector",
}
# Headers of templates in the assertions, included where they occur: most of the time goes into them.
TEMPLATES = {"std::map": "map", "std::shared_ptr": "memory", "std::vector": "vector",
             "std::string_view": "string_view"}
PRELUDE = """
#include <type_traits>
template <class T> using pointer_to = T*;
template <class T> using reference_to = T&;
template <class T> using constant = const T;
"""


def included(path):
    text = path.read_text(encoding="utf-8")
    return INCLUDE.findall(re.sub(r"//.*", "", text))


def plain(header):
    """One name for <cstdint> and <stdint.h>."""
    return header[1:] if re.fullmatch(r"c[a-z]+", header) else header.removesuffix(".h")


def reach(header, includes):
    """All that a header offers, itself included; standard headers under one name."""
    seen, todo = set(), [header]
    while todo:
        at = todo.pop()
        key = at if at in includes else plain(at)
        if key not in seen:
            seen.add(key)
            todo += includes.get(at, [])
    return seen


def check_includes(headers):
    """What the headers of a directory offer more than the real ones of those names."""
    names = sorted(str(path.relative_to(headers)) for path in headers.rglob("*.h"))
    includes = {name: included(headers / name) for name in names}
    problems = []
    for name in names:
        if name not in INCLUDES:
            problems.append(f"{name}: a real toolkit has no header of that name")
            continue
        more = reach(name, includes) - reach(name, INCLUDES)
        problems += [f"{name}: offers {header}, which the real one does not" for header in sorted(more)]
    return problems


def without_comments_and_texts(text):
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"//.*", "", text)


def expected_names(text):
    """(name, whether a member) of all that a source uses of CANN."""
    code = without_comments_and_texts(re.sub(INCLUDE, "", text))
    return {(name, False) for name in FREE_NAME.findall(code)} | {
        (name, True) for name in MEMBER.findall(code)}


def is_included(fact, own):
    return any(header in own for header in [fact["header"], *fact.get("by", [])])


def check_source(path):
    text = path.read_text(encoding="utf-8")
    own = set(included(path))
    header = path.with_suffix(".h")
    if path.suffix == ".cpp" and header.exists():
        own |= set(included(header))
    problems = []
    for name, is_member in sorted(expected_names(text)):
        if is_member:
            facts = [fact for known, fact in NAMES.items() if known.endswith(f"::{name}")]
            if not facts:
                problems.append(f"{path}: {name} is a member of nothing in names.json")
            continue
        fact = NAMES.get(name)
        if fact is None:
            problems.append(f"{path}: {name} is not in names.json")
        elif not is_included(fact, own):
            wanted = " or ".join(f"<{one}>" for one in [*fact.get("by", []), fact["header"]])
            problems.append(f"{path}: uses {name} and does not include {wanted}")
    return problems


def check_sources(root):
    sources = [path for folder in ("pass", "samples")
               for path in sorted((root / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
    return [problem for source in sources for problem in check_source(source)]


def type_of(words):
    """The C++ of a type in words."""
    words = words.strip()
    for word, maker in MAKERS.items():
        if words.startswith(word + " "):
            return f"{maker}<{type_of(words[len(word):])}>"
    if match := re.fullmatch(r"map from (\S+) to (.+)", words):
        return f"std::map<{type_of(match[1])}, {type_of(match[2])}>"
    if match := re.fullmatch(r"array of (\d+) (.+)", words):
        return f"{type_of(match[2])}[{match[1]}]"
    if not re.fullmatch(r"[\w:]+", words):
        raise ValueError(f"not the words of a type: {words}")
    return words


def types_of(words):
    return ", ".join(type_of(one) for one in words.split(",") if one.strip())


def assertion(name, words):
    """C++ that compiles where the name is what the words say."""
    if words == "type":
        return f"using pointer_to_{name} = {name}*;"
    if words == "class":
        return f"static_assert(sizeof({name}) > 0);"
    if words == "macro":
        return f"#ifndef {name}\n#error {name} is no macro\n#endif"
    if match := re.fullmatch(r"value (\d+)", words):
        return f"static_assert(static_cast<unsigned long>({name}) == {match[1]}UL);"
    if match := re.fullmatch(r"text (\w+)", words):
        return f'static_assert(std::string_view({name}) == "{match[1]}");'
    if match := re.fullmatch(r"alias of (.+)", words):
        return f"static_assert(std::is_same_v<{name}, {type_of(match[1])}>);"
    if match := re.fullmatch(r"field of (.+)", words):
        return f"static_assert(std::is_same_v<decltype({name}), {type_of(match[1])}>);"
    if match := re.fullmatch(r"made of \((.*)\)", words):
        types = ", ".join(filter(None, [name, types_of(match[1])]))
        return f"static_assert(std::is_constructible_v<{types}>);"
    if match := re.fullmatch(r"(function|member|constant member) of \((.*)\) giving (.+)", words):
        owner = "" if match[1] == "function" else name.rpartition("::")[0] + "::"
        tail = " const" if match[1] == "constant member" else ""
        signature = f"{type_of(match[3])} ({owner}*)({types_of(match[2])}){tail}"
        return f"static_assert(static_cast<{signature}>(&{name}) != nullptr);"
    raise ValueError(f"{name}: not understood: {words}")


def unit_for(header):
    """A source that includes this one header and states what names.json says of it."""
    assertions = "\n".join(assertion(name, words) for name, fact in NAMES.items()
                           if fact["header"] == header for words in fact["is"])
    templates = [f"#include <{file}>" for name, file in TEMPLATES.items() if name in assertions]
    # The header comes first: it must not need what others include.
    return "\n".join([f"#include <{header}>", *templates, PRELUDE, assertions, ""])


def compile_unit(header, directory):
    command = [*os.environ.get("CXX", "c++").split(), "-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0",
               "-fsyntax-only", "-x", "c++", "-"]
    for folder in ("", "external", "graph", "ge", "register"):
        command += ["-isystem", str(directory / folder)]
    done = subprocess.run(command, input=unit_for(header), text=True, capture_output=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode == 0:
        return []
    return [f"{header}: {line}" for line in errors[:5] or [done.stderr.strip()]]


def check_names(directory, headers):
    """Each header compiles alone, and declares what names.json says."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        found = pool.map(lambda header: compile_unit(header, directory), headers)
    return [problem for problems in found for problem in problems]


def declaring_headers():
    return sorted({fact["header"] for fact in NAMES.values()})


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--cann":
        problems = check_names(pathlib.Path(arguments[1]), declaring_headers())
    elif len(arguments) == 1:
        root = pathlib.Path(arguments[0])
        headers = root / "tests/standin/include"
        offered = sorted(str(path.relative_to(headers)) for path in headers.rglob("*.h"))
        problems = (check_includes(headers) + check_sources(root) +
                    check_names(headers, sorted({*offered, *declaring_headers()})))
    else:
        sys.exit(__doc__)
    print("\n".join(problems) if problems else "headers are as known of the real ones")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Holds the catalogue of Chinese against the sources: check_words.py ROOT [MSTUNE]

Every message of the sources and every word of the report's page has a text, with the same
placeholders, and no text is for a message that is gone. With a program: its help is Chinese as well. `check_words.py --missing ROOT` prints what is missing, as lines to be
filled in.
"""

import collections
import pathlib
import re
import subprocess
import sys

LITERAL = r'"(?:[^"\\]|\\.)*"'
# "area.what_happened", and the English text that follows it.
# The name of a library is no id.
MESSAGE = re.compile(rf'"([a-z_]+\.(?!so")[a-z0-9_]+)"\s*,\s*((?:{LITERAL}\s*)+)')
IN_PAGE = re.compile(r'data-words="([a-z_]+\.[a-z0-9_]+)">([^<]*)<')
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def without_comments(path):
    return re.sub(r"(?m)^\s*//.*$", "", path.read_text(encoding="utf-8"))


def english_texts(root):
    """{id: {text, ...}} of everything that is said to people."""
    texts = collections.defaultdict(set)
    for folder in ("agent", "common", "coordinator", "protocol"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".js"):
                for id_, literals in MESSAGE.findall(without_comments(path)):
                    if id_.endswith(".log"):  # the name of a file
                        continue
                    parts = re.findall(LITERAL, literals)
                    text = "".join(part[1:-1] for part in parts).replace('\\"', '"')
                    texts[id_].add(text)
            elif path.suffix == ".html":
                for id_, text in IN_PAGE.findall(path.read_text(encoding="utf-8")):
                    texts[id_].add(text)
    return texts


def catalogue_of(root):
    lines = (root / "common/languages/zh.txt").read_text(encoding="utf-8").splitlines()
    entries = [line.split(" = ", 1) for line in lines if line and not line.startswith("#")]
    keys = [entry[0] for entry in entries]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        sys.exit(f"twice in the catalogue: {sorted(twice)}")
    return dict(entries)


def placeholders(text):
    return re.findall(r"\{\d?\}", text.replace("{{", "").replace("}}", ""))


def same_placeholders(english, chinese):
    count = len(placeholders(english))
    found = placeholders(chinese)
    return found == ["{}"] * count or sorted(found) == [f"{{{at}}}" for at in range(count)]


def wanted_lines(texts):
    """{key: English}: the id, or for one of several English texts "id | English"."""
    return {
        id_ if len(english) == 1 else f"{id_} | {text}": text
        for id_, english in texts.items()
        for text in english
    }


def names_in(text):
    """Options and error codes, which are the same in every language."""
    return set(re.findall(r"--[a-z][a-z-]*|E\d{5}", text))


def problems_of_texts(texts, catalogue):
    wanted = wanted_lines(texts)
    for key, english in sorted(wanted.items()):
        if key not in catalogue:
            yield f"{key} is missing: {english}"
        elif not same_placeholders(english, catalogue[key]):
            yield f"{key} has other placeholders than \"{english}\": \"{catalogue[key]}\""
        elif names_in(english) != names_in(catalogue[key]):
            yield f"{key} names other options or codes than \"{english}\": \"{catalogue[key]}\""
    for key in sorted(set(catalogue) - set(wanted)):
        yield f"{key} is in the catalogue and nowhere in the sources"


def help_in_chinese(program, *words):
    return subprocess.run([program, "--lang", "zh", *words, "--help-all"], check=True,
                          capture_output=True, text=True).stdout


def problems_of_help(program):
    completion = subprocess.run([program, "completion", "bash"], check=True, capture_output=True,
                                text=True).stdout
    commands = re.search(r'case " (.*) " in', completion).group(1).split()
    for words in [[], *([command] for command in commands)]:
        text = help_in_chinese(program, *words)
        # An option begins a line; what it says may begin on the next one. Examples are commands.
        for entry in re.split(r"\n(?=  \S)", text):
            if entry.startswith("  -") and not CHINESE.search(entry):
                yield f"the help of {' '.join(['mstune', *words])} is not Chinese: {entry.strip()}"


def main() -> int:
    if sys.argv[1] == "--missing":
        root = pathlib.Path(sys.argv[2])
        catalogue = catalogue_of(root)
        for key, english in sorted(wanted_lines(english_texts(root)).items()):
            if key not in catalogue:
                print(f"{key} = {english}")
        return 0
    root = pathlib.Path(sys.argv[1])
    texts = english_texts(root)
    catalogue = catalogue_of(root)
    problems = list(problems_of_texts(texts, catalogue))
    for program in sys.argv[2:]:
        problems += problems_of_help(program)
    print("\n".join(problems) if problems else f"{len(texts)} messages are Chinese as well")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

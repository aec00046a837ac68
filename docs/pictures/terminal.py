#!/usr/bin/env python3
"""Makes an SVG of what stood on a terminal, from a recording of its output.

    script -qec "mstune tune ..." recording        # at a terminal, or with COLUMNS set by stty
    docs/pictures/terminal.py recording >docs/pictures/terminal.svg

--draw N takes the screen as the live view left it after its N-th drawing instead of the last one;
--command TEXT shows what was typed. Knows the sequences that mstune writes, and no others.
"""

import argparse
import html
import re
import sys

COLOURS = {"1": "#ffffff", "2": "#8b949e", "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341",
           "36": "#79c0ff"}
PLAIN = "#d0d7de"
CELL_WIDTH, LINE_HEIGHT, MARGIN = 7.8, 18, 16
NO_BREAK = "\u00a0"  # a viewer would make one blank of several
TOKEN = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]")


def screen_of(output, draw):
    """The lines of the screen, each a list of (character, colour)."""
    lines, row, column, colour, drawings = [[]], 0, 0, PLAIN, 0
    for token in TOKEN.finditer(output):
        text, end = token.group(0), token.group(2)
        if text == "\r":
            column = 0
        elif text == "\n":
            row, column = row + 1, 0
            if row == len(lines):
                lines.append([])
        elif end == "A":
            row = max(0, row - int(token.group(1) or 1))
        elif end == "J":
            drawings += 1
            if drawings == draw + 1:
                return lines
            del lines[row][column:], lines[row + 1:]
        elif end == "m":
            code = token.group(1)
            colour = COLOURS.get(code, PLAIN)
        elif end is None:
            line = lines[row]
            line.extend([(" ", PLAIN)] * (column - len(line)))
            line[column:column + 1] = [(text, colour)]
            column += 1
    return lines


def runs_of(line):
    """Neighbours of one colour together: (column, text, colour)."""
    column = 0
    while column < len(line):
        end = column
        while end < len(line) and line[end][1] == line[column][1]:
            end += 1
        yield column, "".join(letter for letter, _ in line[column:end]), line[column][1]
        column = end


def svg_of(lines):
    width = max(map(len, lines)) * CELL_WIDTH + 2 * MARGIN
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
        '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" '
        'font-size="13">',
    ]
    for number, line in enumerate(lines):
        y = MARGIN + LINE_HEIGHT * (number + 0.75)
        for column, text, colour in runs_of(line):
            if text.strip():
                parts.append(
                    f'<text x="{MARGIN + column * CELL_WIDTH:.1f}" y="{y:.1f}" fill="{colour}" '
                    f'textLength="{len(text) * CELL_WIDTH:.1f}">{html.escape(text.replace(" ", NO_BREAK))}</text>')
    return "\n".join(parts + ["</g>", "</svg>"]) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("recording")
    options.add_argument("--draw", type=int, default=sys.maxsize - 1)
    options.add_argument("--command", default="")
    given = options.parse_args()
    with open(given.recording, encoding="utf-8", newline="") as file:
        output = re.sub(r"\AScript started on .*\n|\n?Script done on .*\n\Z", "", file.read())
    lines = screen_of(output, given.draw)
    while lines and not any(letter.strip() for letter, _ in lines[-1]):
        lines.pop()
    if given.command:
        lines.insert(0, [(letter, "#ffffff") for letter in "$ " + given.command])
    sys.stdout.write(svg_of(lines))


if __name__ == "__main__":
    main()

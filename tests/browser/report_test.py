#!/usr/bin/env python3
"""Looks at a report in a real browser: report_test.py REPORT.html DIRECTORY_FOR_PICTURES

Phone and desk, light and dark, both languages: no complaint on the console, nothing fetched,
nothing wider than the screen, every chart drawn. Exit status 77: no browser here.
"""

import json
import pathlib
import sys

import chromium

SKIPPED = 77
PHONE = (390, 844)
DESK = (1280, 900)

# Of each chart that is shown: how many different colours its picture has. A blank one has one.
COLOURS = """
[...document.querySelectorAll("canvas")].filter((each) => each.offsetParent !== null).map((each) => {
  const { data } = each.getContext("2d").getImageData(0, 0, each.width, each.height);
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4) {
    seen.add((data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]);
  }
  return [each.id, seen.size];
})
"""
# Relative luminance of a colour (WCAG 2.1), and the contrast of the text with its paper.
CONTRAST = """
(() => {
  const luminance = (text) => {
    const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((value) => {
      const part = Number(value) / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = luminance(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll("p, td, th, h1, h2, .good, .bad")]
    .filter((each) => each.offsetParent !== null)
    .reduce((least, each) => {
      const ink = luminance(getComputedStyle(each).color);
      const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
      return Math.min(least, contrast);
    }, 21);
})()
"""


class Look:
    def __init__(self, browser, report, pictures):
        self.browser = browser
        self.report = report
        self.pictures = pictures
        self.problems = []

    def check(self, true, what):
        if not true:
            self.problems.append(f"{self.name}: {what}")

    def at(self, size, dark, name):
        self.name = name
        browser = self.browser
        browser.open(self.report.as_uri(), *size, dark)
        for complaint in browser.complaints():
            self.check(False, f"the console says: {complaint}")
        fetched = [url for url in browser.requested() if url != self.report.as_uri()]
        self.check(not fetched, f"the page fetched {fetched}")
        wide = browser.evaluate("document.documentElement.scrollWidth")
        self.check(wide <= size[0], f"the page is {wide} pixels wide on a screen of {size[0]}")
        charts = browser.evaluate(COLOURS)
        self.check(len(charts) >= 4, f"only these charts are shown: {charts}")
        for chart, colours in charts:
            self.check(colours > 4, f"{chart} is blank")
        contrast = browser.evaluate(CONTRAST)
        self.check(contrast >= 4.5, f"text has a contrast of {contrast:.2f} only")
        browser.screenshot(self.pictures / f"{name}.png")

    def contents(self):
        """What the tables hold is what the data says."""
        self.name = "contents"
        browser = self.browser
        data = json.loads(browser.evaluate("document.getElementById('data').textContent"))
        rows = browser.evaluate("document.getElementById('ranking-table').tBodies[0].rows.length")
        self.check(rows == len(data["candidates"]), f"{rows} rows in the ranking")
        rows = browser.evaluate("document.getElementById('trials-table').tBodies[0].rows.length")
        self.check(rows == len(data["trials"]), f"{rows} rows of trials")
        void = [trial for trial in data["trials"] if not trial["valid"]]
        hidden = browser.evaluate("document.getElementById('void-section').hidden")
        self.check(hidden == (not void), "what does not count is hidden or shown wrongly")
        devices = {trial["device"] for trial in data["trials"] if trial.get("device")}
        hidden = browser.evaluate("document.getElementById('devices-section').hidden")
        self.check(hidden == (len(devices) < 2), f"{len(devices)} devices are hidden or shown")
        answer = browser.evaluate("document.getElementById('answer').innerText")
        self.check(data["recommendation"][0]["en"] in answer, f"the answer is {answer!r}")

    def other_language(self):
        self.name = "chinese"
        browser = self.browser
        browser.evaluate("document.getElementById('language').click()")
        heading = browser.evaluate("document.querySelector('h2').textContent")
        self.check(any(c > "\u2e80" for c in heading), f"the heading stays {heading!r}")
        for complaint in browser.complaints():
            self.check(False, f"the console says: {complaint}")
        browser.screenshot(self.pictures / "phone-light-zh.png")


def main() -> int:
    path = chromium.find()
    if path is None:
        print(f"SKIPPED: none of {', '.join(chromium.NAMES)} is installed (scripts/setup.sh)")
        return SKIPPED
    report = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2])
    pictures.mkdir(parents=True, exist_ok=True)
    with chromium.Browser(path) as browser:
        look = Look(browser, report, pictures)
        look.at(DESK, True, "desk-dark")
        look.at(DESK, False, "desk-light")
        look.at(PHONE, True, "phone-dark")
        look.at(PHONE, False, "phone-light")
        look.contents()
        look.other_language()
    print("\n".join(look.problems) if look.problems else f"looked at; pictures: {pictures}")
    return 1 if look.problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Shows that check_headers.py sees what it is for: each case changes one thing in a copy.

  check_headers_test.py ROOT
"""

import pathlib
import shutil
import sys
import tempfile
import unittest

import check_headers

ROOT = pathlib.Path(sys.argv.pop(1))


class Checkout(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="check_headers.")
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.headers = self.root / "tests/standin/include"
        for folder in ("pass", "samples", "tests/standin/include"):
            shutil.copytree(ROOT / folder, self.root / folder)

    def replace(self, file, old, new):
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_as_it_is_nothing_is_found(self):
        self.assertEqual(check_headers.check_includes(self.headers), [])
        self.assertEqual(check_headers.check_sources(self.root), [])

    def test_a_pass_without_the_header_of_what_it_uses_is_found(self):
        self.replace("pass/pass.cpp", "#include <graph/attr_value.h>\n", "")
        found = "\n".join(check_headers.check_sources(self.root))
        self.assertIn("uses ge::AttrValue and does not include <graph/attr_value.h>", found)

    def test_a_more_generous_header_of_the_stand_in_is_found(self):
        self.replace("tests/standin/include/graph/graph.h", "#include <vector>\n",
                     '#include <vector>\n\n#include "graph/attr_value.h"\n')
        self.assertIn("graph/graph.h: offers graph/attr_value.h, which the real one does not",
                      check_headers.check_includes(self.headers))

    def test_a_header_that_reaches_more_through_another_is_found(self):
        self.replace("tests/standin/include/graph/error_codes.h", "#include <cstdint>\n",
                     "#include <cstdint>\n#include <thread>\n")
        self.assertIn("graph/graph.h: offers thread, which the real one does not",
                      check_headers.check_includes(self.headers))

    def test_a_header_at_a_path_of_our_own_is_found(self):
        (self.headers / "graph/passes.h").write_text("#pragma once\n", encoding="utf-8")
        self.assertIn("graph/passes.h: a real toolkit has no header of that name",
                      check_headers.check_includes(self.headers))

    def test_a_name_that_nothing_is_known_of_is_found(self):
        self.replace("samples/run/main.cpp", "ge::GEFinalize()", "ge::GEFinalizeV2()")
        self.assertIn("ge::GEFinalizeV2 is not in names.json",
                      "\n".join(check_headers.check_sources(self.root)))

    def test_a_member_that_nothing_is_known_of_is_found(self):
        self.replace("samples/run/main.cpp", "output.GetSize()", "output.GetBytes()")
        self.assertIn("GetBytes is a member of nothing in names.json",
                      "\n".join(check_headers.check_sources(self.root)))

    def test_another_signature_than_the_real_one_is_found(self):
        self.replace("tests/standin/include/graph/error_codes.h", "using graphStatus = uint32_t",
                     "using graphStatus = int32_t")
        self.assertIn("graph/error_codes.h:",
                      "\n".join(check_headers.check_names(self.headers, ["graph/error_codes.h"])))

    def test_a_header_that_needs_another_first_is_found(self):
        self.replace("tests/standin/include/graph/error_codes.h", "#include <cstdint>\n", "")
        self.assertIn("uint32_t",
                      "\n".join(check_headers.check_names(self.headers, ["graph/error_codes.h"])))


if __name__ == "__main__":
    unittest.main()

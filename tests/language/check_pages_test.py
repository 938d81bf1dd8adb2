#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of pages against small trees with one planted fault each."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_pages  # noqa: E402
import tree  # noqa: E402

SOUND = {
    "LICENSE": "\n  Apache License\n  Version 2.0, January 2004\n…\n   END OF TERMS AND CONDITIONS\n",
    "CMakeLists.txt": "project(skmd VERSION 1.2.3 LANGUAGES CXX)\n",
    "CMakePresets.json": '{"configurePresets": [{"name": "base", "hidden": true}, {"name": "release"}]}',
    "CONTRIBUTING.md": "| `release` | `build/` |\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3\n\n## 1.0.0\n",
    "room/a.h": "// SPDX-License-Identifier: Apache-2.0\n",
    "docs/guide.md": "# The guide\n\n## What `a` is, and why\n\n`room/a.h`, `build/lib/a.h`; [there](#what-a-is-and-why), [changes](../CHANGELOG.md#changelog)\n"
                     "```sh\n# No heading\ncat `room/missing.h`\n```\n",
}


def faults_of(changes):
    with tree.planted({**SOUND, **changes}) as root:
        return check_pages.check(root)[0]


class Pages(unittest.TestCase):
    def found(self, path, text, *words):
        faults = faults_of({path: text})
        self.assertEqual(len(faults), len(words), faults)
        for fault, word in zip(faults, words):
            self.assertIn(word, fault)

    def test_a_sound_tree_has_no_fault(self):
        self.assertEqual(faults_of({}), [])

    def test_links_that_lead_nowhere(self):
        self.found("docs/b.md", "[x](missing.md)", "leads nowhere")
        self.found("docs/b.md", "[x](guide.md#no-heading)", "no heading for #no-heading")
        self.assertEqual(faults_of({"docs/b.md": "[x](https://example.org/a#b) [y](../room/a.h)"}), [])

    def test_paths_that_are_not_there(self):
        self.found("docs/b.md", "`room/b.h`", "there is no room/b.h")
        self.found("docs/b.md", "`b/a.h`", "there is no b/a.h")

    def test_sources_without_a_licence(self):
        self.found("room/b.cpp", "int b;\n", "room/b.cpp: does not begin")
        self.found("LICENSE", "all rights reserved\n", "is not the text")

    def test_presets_and_the_version(self):
        self.found("CONTRIBUTING.md", "", "no row for the preset release")
        self.found("CHANGELOG.md", "# Changelog\n\n## 1.0.0\n", "first version is not 1.2.3")


if __name__ == "__main__":
    unittest.main()

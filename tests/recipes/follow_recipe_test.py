#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The follower of recipes, over a small tree: what holds passes, and each kind of step that no longer holds fails."""
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import follow_recipe  # noqa: E402

SOUND = '''# A recipe
```c toy/number.txt
7
```
```sh
test "$(cat toy/number.txt)" = 7
test -e room/a.h
test -e build/compile_commands.json
echo never to be read >&2
printf 'took 3 ms\\nthen\\nmore\\nend\\n'
```
```output
took … ms
…
end
```
```copy
toy/number.txt room/number.txt
```
```diff
--- room/a.h
@@
 int one();
+int two();
--- room/a.cpp
@@
-int one() { return 1; }
+int one() { return two(); }
```
```text
nothing is done with this
```
'''


class Follow(unittest.TestCase):
    def follow(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source, build = os.path.join(folder, "source"), os.path.join(folder, "source", "build")
            follow_recipe.write(os.path.join(source, "room/a.h"), "int one();\nint other();\n")
            follow_recipe.write(os.path.join(source, "room/a.cpp"), '#include "room/a.h"\nint one() { return 1; }\n')
            entry = {"directory": source, "file": os.path.join(source, "room/a.cpp"), "command": f"/usr/bin/c++ -I{source} -o a.o -c {source}/room/a.cpp"}
            follow_recipe.write(os.path.join(build, "compile_commands.json"), json.dumps([entry]))
            follow_recipe.Recipe(source, build, os.path.join(folder, "work")).follow(text)
            self.assertEqual(follow_recipe.read(os.path.join(source, "room/a.h")), "int one();\nint other();\n", "the tree itself was changed")

    def fails(self, old, new, words):
        self.assertIn(old, SOUND)
        with self.assertRaisesRegex(follow_recipe.Failed, words):
            self.follow(SOUND.replace(old, new))

    def test_a_sound_recipe_is_followed(self):
        self.follow(SOUND)

    def test_a_command_that_fails(self):
        self.fails("= 7\n", "= 8\n", "exit status 1")
        self.fails("test -e room/a.h", "test -e room/b.h", "exit status 1")

    def test_output_that_has_changed(self):
        self.fails("took … ms", "took … s", "the output is not")
        self.fails("…\nend\n", "end\n", "the output is not")
        self.fails("…\nend\n", "…\nend\nmore\n", "the output is not")

    def test_lines_that_are_no_longer_there(self):
        self.fails(" int one();\n", " int three();\n", "there 0 times")

    def test_lines_that_are_there_twice(self):
        self.fails(" int one();\n+int two();\n", " int one();\n+int one();\n@@\n int one();\n+int two();\n", "there 2 times")

    def test_files_that_have_moved(self):
        self.fails("--- room/a.cpp", "--- room/b.cpp", "there is no room/b.cpp")
        self.fails("toy/number.txt room/number.txt", "toy/number.txt room/deep/number.txt", "its folder is not there")
        self.fails("toy/number.txt room/number.txt", "toy/number.txt room/a.h", "is there already")

    def test_what_does_not_compile(self):
        self.fails("+int two();\n", "+int two(int);\n", "does not compile")

    def test_pages_without_steps(self):
        with self.assertRaisesRegex(follow_recipe.Failed, "no block to follow"):
            self.follow("# Nothing\n```text\na\n```\n")
        self.fails("```c toy/number.txt", "```c", "without a file's name")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker must see what it is there for: each case is a small tree with one fault, or with none."""
import os
import tempfile
import unittest

import check_layers


def faults(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return [fault for path in check_layers.files_of(root) for fault in check_layers.check_file(path, root)]


def include(path, header, **more):
    """Faults of `path` when it includes `header`, which exists."""
    return faults({path: f'#include "{header}"\n', header: "", **more})


class Arrows(unittest.TestCase):
    def test_the_domain_includes_nothing_of_ours(self):
        for header in ("compiler/client/client.h", "intercept/observe/observer.h", "profiler/x.h"):
            self.assertEqual(len(include("partitioner/plan/a.cpp", header)), 1, header)

    def test_all_rooms_may_include_the_domain(self):
        for path in ("intercept/api/a.cpp", "compiler/tool/a.cpp", "intercept/observe/a.h", "profiler/a.cpp"):
            self.assertEqual(include(path, "partitioner/plan/partition.h"), [])

    def test_libraries_of_one_room(self):
        for owner, other, header in (("profiler/database/a.cpp", "profiler/commands/a.cpp", "sqlite3.h"),
                                     ("partitioner/model/a.cpp", "intercept/launch/a.cpp", "Eigen/Dense")):
            self.assertEqual(faults({owner: f"#include <{header}>\n"}), [])
            self.assertEqual(len(faults({other: f"#include <{header}>\n"})), 1)

    def test_nothing_points_back(self):
        for path, header in (
                ("intercept/object/queue.cpp", "intercept/command/write.h"),
                ("intercept/object/queue.cpp", "intercept/launch/make_launch.h"),
                ("intercept/backend/vendor/a.cpp", "intercept/object/queue.h"),
                ("intercept/backend/vendor/a.cpp", "intercept/backend/discovery/discovery.h"),
                ("intercept/backend/cpu/a.cpp", "intercept/backend/vendor/native_queue.h"),
                ("intercept/backend/port/a.h", "intercept/backend/vendor/native_queue.h"),
                ("intercept/machine/a.cpp", "intercept/memory/storage.h"),
                ("intercept/memory/a.cpp", "intercept/object/event.h"),
                ("partitioner/footprint/a.cpp", "partitioner/plan/partition.h"),
                ("partitioner/base/a.h", "partitioner/footprint/roots.h"),
                ("intercept/observe/a.cpp", "intercept/launch/make_launch.h"),
                ("intercept/launch/a.cpp", "intercept/api/entry.h"),
                ("intercept/launch/a.cpp", "intercept/command/write.h"),
                ("intercept/command/a.cpp", "intercept/launch/make_launch.h"),
                ("intercept/command/a.cpp", "compiler/client/client.h"),
                ("intercept/build/a.cpp", "compiler/analysis/analyse.h"),
                ("compiler/client/a.cpp", "compiler/analysis/analyse.h"),
                ("compiler/analysis/a.cpp", "compiler/merge/merge.h"),
                ("compiler/merge/a.cpp", "cpu-driver/codegen/source_position.h"),
                ("compiler/ir/a.cpp", "compiler/merge/merge.h"),
                ("compiler/ir/a.cpp", "compiler/analysis/analyse.h"),
                ("cpu-driver/codegen/pipeline/a.cpp", "compiler/merge/merge.h"),
                ("cpu-driver/codegen/vector/a.cpp", "cpu-driver/codegen/pipeline/a.h"),
                ("compiler/frontend/a.cpp", "compiler/analysis/analyse.h"),
                ("cpu-driver/codegen/vector/a.cpp", "compiler/frontend/compile.h"),
                ("profiler/a.cpp", "intercept/observe/observer.h"),
                ("compiler/tool/a.cpp", "intercept/object/queue.h")):
            self.assertEqual(len(include(path, header)), 1, f"{path} -> {header}")

    def test_arrows_of_the_house(self):
        for path, header in (
                ("intercept/api/a.cpp", "intercept/launch/make_launch.h"),
                ("intercept/build/a.cpp", "compiler/client/client.h"),
                ("intercept/launch/a.cpp", "intercept/observe/observer.h"),
                ("intercept/object/a.cpp", "intercept/backend/port/port.h"),
                ("intercept/memory/a.cpp", "intercept/machine/machine.h"),
                ("partitioner/plan/a.cpp", "partitioner/base/result.h"),
                ("compiler/tool/a.cpp", "compiler/merge/merge.h"),
                ("compiler/analysis/a.cpp", "compiler/ir/builtin.h"),
                ("cpu-driver/codegen/pipeline/a.cpp", "compiler/ir/native.h"),
                ("intercept/icd.cpp", "intercept/backend/discovery/discovery.h"),
                ("intercept/icd.cpp", "profiler/database.h"),
                ("tests/api/a.cpp", "intercept/api/entry.h")):
            self.assertEqual(include(path, header), [], f"{path} -> {header}")

    def test_benchmarks_include_nothing_of_ours(self):
        self.assertEqual(len(include("bench/a.cpp", "partitioner/plan/partition.h")), 1)
        self.assertEqual(include("bench/a.cpp", "bench/support/timer.h"), [])
        self.assertEqual(len(include("bench/a.cpp", "bench/micro/a.h")), 1)

    def test_micro_benchmarks_are_free(self):
        self.assertEqual(include("bench/micro/a.cpp", "intercept/backend/port/port.h"), [])

    def test_each_folder_with_sources_is_a_room(self):
        for path in ("partitioner/a.cpp", "compiler/a.h", "intercept/backend/a.cpp", "cpu-driver/codegen/new/a.cpp"):
            self.assertEqual(len(faults({path: ""})), 1, path)
        for path in ("partitioner/base/a.cpp", "intercept/a.cpp", "profiler/a.cpp", "bench/support/a.cpp", "tests/new/a.cpp", "docs/a.h"):
            self.assertEqual(faults({path: ""}), [], path)

    def test_no_two_rooms_may_include_each_other(self):
        self.assertEqual(check_layers.circles(check_layers.ALLOWED), [])
        self.assertEqual(check_layers.circles({"a": {"b"}, "b": {"a"}}), ["a -> b -> a"])
        self.assertEqual(check_layers.circles({"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}), ["b -> c -> d -> b"])
        self.assertEqual(check_layers.circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])
        self.assertEqual(check_layers.circles({"partitioner/base": {"compiler/client"}}), ["partitioner/base -> compiler/client -> partitioner/base"])
        self.assertEqual(check_layers.circles({"intercept/api": {"intercept"}}), ["intercept/api -> intercept -> intercept/api"])

    def test_mutexes_are_annotated(self):
        for line in ("std::mutex mutex_;", "mutable std::shared_mutex m;", "const std::lock_guard lock(mutex_);", "void rest(std::unique_lock<std::mutex>& lock);",
                     "std::condition_variable changed_;", "std::once_flag once;", "std::call_once(once, make);"):
            self.assertEqual(len(faults({"intercept/object/a.h": line + "\n"})), 1, line)
            for path in ("bench/a.cpp", "tests/object/a.cpp", "partitioner/base/mutex.h", "partitioner/base/condition.h"):
                self.assertEqual(faults({path: line + "\n"}), [], path)
        for line in ("Mutex mutex_{LockRank::pool};", "void rest(UniqueLock& lock);", "// as std::mutex does"):
            self.assertEqual(faults({"intercept/object/a.h": line + "\n"}), [], line)

    def test_angle_brackets_and_relative_paths_are_seen(self):
        header = "intercept/object/queue.h"
        self.assertEqual(len(faults({"partitioner/base/a.h": f"#  include <{header}>\n", header: ""})), 1)
        self.assertEqual(len(faults({"intercept/backend/port/a.h": '#include "../../object/queue.h"\n', header: ""})), 1)

    def test_system_headers_are_free(self):
        self.assertEqual(faults({"partitioner/base/a.h": "#include <vector>\n#include <CL/cl.h>\n"}), [])


class Texts(unittest.TestCase):
    def test_file_length(self):
        for name in ("a.cpp", "a.h", "a.cl", "a.py", "a.sh", "a.cmake", "CMakeLists.txt"):
            self.assertEqual(faults({f"partitioner/base/{name}": "\n" * 400}), [], name)
            self.assertEqual(len(faults({f"partitioner/base/{name}": "\n" * 401})), 1, name)
        # No reason that a file gives permits more, and texts may be as long as they have to be.
        self.assertEqual(len(faults({"partitioner/base/a.cpp": "// Over 400 lines, since it is a table.\n" + "\n" * 400})), 1)
        self.assertEqual(faults({"docs/a.md": "\n" * 401}), [])

    def test_length_of_functions(self):
        for lines, fits in ((59, True), (60, False)):
            self.assertEqual(faults({"scripts/a.py": "class A:\n    def b(self):\n" + "        self.c()\n" * lines}) == [], fits)

    def test_what_clang_tidy_is_not_to_say_has_a_reason(self):
        for line in ("int a;  // NOLINT", "int a;  // NOLINT(misc-unused)", "// NOLINTNEXTLINE(misc-unused)", "int a;  // NOLINT: why"):
            self.assertEqual(len(faults({"partitioner/base/a.cpp": line + "\n"})), 1, line)
        for line in ("int a;  // NOLINT(misc-unused): why", "// Why. NOLINTNEXTLINE(misc-unused)", "/// Why. NOLINTNEXTLINE(misc-unused, misc-other)"):
            self.assertEqual(faults({"partitioner/base/a.cpp": line + "\n"}), [], line)

    def test_words(self):
        for text in ("// TO" "DO: later", "/work" "/main/x", "path = '/root" "/x'"):
            self.assertEqual(len(faults({"docs/a.md": text})), 1, text)
        self.assertEqual(faults({"docs/a.md": "the workplace, a hackney, /workload, /homework"}), [])


if __name__ == "__main__":
    unittest.main()

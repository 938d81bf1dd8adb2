#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of the order of locks against small trees with one planted fault each."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_locks  # noqa: E402
import tree  # noqa: E402

ORDER = """SKMD_LOCK(0, made, "made")
SKMD_LOCK(1, move, "Storage::move_mutex_")
SKMD_LOCK(1, turns, "turns")
SKMD_LOCK(2, help, "Device::help()")
SKMD_LEAF(pool, "Pool::State::mutex")
"""
CODE = """class Storage {
  Mutex move_mutex_{LockRank::move};  // LockRank::unknown in a comment
};
struct Pool::State {
  Mutex mutex{LockRank::pool};
};
void help() { lock_order::expect_may_take(LockRank::help); }
void help_more() { lock_order::expect_may_take(LockRank::help); }
void share() { turns[i] = std::make_shared<Mutex>(LockRank::turns); }
OnceFlag made(LockRank::made);
"""
PAGE = """## Lock order

| level | mutex | locked under it | why |
|---|---|---|---|
| 0 | `made`, a once flag (`intercept/a.cpp`) | any | `first` |
| 1 | `Storage::move_mutex_` | 2 | |
| | `turns` of devices | | |
| 2 | `Device::help()` | | |

Leaves, under which nothing is locked: `Pool::State::mutex`.

## Others

| 3 | `Other::mutex_` | | |
"""


def faults_of(order=ORDER, code=CODE, page=PAGE):
    files = {check_locks.ORDER: order, "intercept/a.cpp": code, check_locks.PAGE: page, "tests/a.cpp": "Mutex other{LockRank::move};"}
    with tree.planted(files) as root:
        return check_locks.check(root)[0]


class Locks(unittest.TestCase):
    def fault(self, text, **files):
        faults = faults_of(**files)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(text, faults[0])

    def test_all_three_agree(self):
        self.assertEqual(faults_of(), [])

    def test_rows_ascend_and_differ(self):
        self.fault("is no row", order=ORDER + "SKMD_LOCK(x)\n")
        self.fault("do not ascend", order=ORDER.replace('SKMD_LOCK(0, made, "made")\n', "") + 'SKMD_LOCK(0, made, "made")\n')
        self.assertIn(f"{check_locks.ORDER}: two rows have the rank move", faults_of(order=ORDER.replace("turns,", "move,")))
        self.assertIn(f"{check_locks.ORDER}: two rows have the name made", faults_of(order=ORDER.replace('"turns"', '"made"')))

    def test_each_rank_has_one_mutex(self):
        self.fault("no mutex of the rank pool", code=CODE.replace("Mutex mutex{LockRank::pool};", ""))
        self.fault("no mutex of the rank help", code=CODE.replace("lock_order::expect_may_take(LockRank::help);", ""))
        self.fault("intercept/a.cpp:11: the rank move is that of intercept/a.cpp:2", code=CODE + "Mutex move_mutex_{LockRank::move};\n")
        self.fault("no rank unknown", code=CODE + "Mutex mutex_{LockRank::unknown};\n")
        self.fault("is given to no mutex here", code=CODE + "auto rank = LockRank::move;\n")

    def test_names_are_those_of_the_code(self):
        self.fault("has the rank move for Storage::move_mutex_", code=CODE.replace("Mutex move_mutex_", "Mutex mutex_"))
        self.fault("has the rank pool for Pool::State::mutex", code=CODE.replace("struct Pool::State", "struct Pool::Others"))
        self.fault("has the rank turns for turns", code=CODE.replace("turns[i]", "locks[i]"))
        self.fault("has the rank made for made", code=CODE.replace("OnceFlag made", "OnceFlag once"))

    def test_the_page_has_each_lock_in_its_level(self):
        moved = PAGE.replace("| 2 | `Device::help()`", "| 2 | `turns`, `Device::help()`").replace("| | `turns` of devices | | |\n", "")
        self.assertEqual(len(faults_of(page=moved)), 2)
        self.fault("level 0 lacks made", page=PAGE.replace("`made`", "made"))
        self.fault("level leaf lacks Pool::State::mutex", page=PAGE.replace("`Pool::State::mutex`", "others"))
        self.fault("Gone::mutex_ has another level than 2", page=PAGE.replace("| 2 | ", "| 2 | `Gone::mutex_`, "))
        self.fault("Gone::mutex_ has another level than leaf", page=PAGE.replace("locked: ", "locked: `Gone::mutex_`, "))


if __name__ == "__main__":
    unittest.main()

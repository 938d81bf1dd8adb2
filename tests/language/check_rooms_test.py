#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of rooms' pages against a small tree with one planted fault each."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_rooms  # noqa: E402

SOUND = "# A room\n\n**Door**: `a.h`.\n\n**May include**: `b`, `c/d`, and the domain. More of `e`.\n\n**Start reading**: `deep.cpp`.\n"


def faults_of(text, allowed=None, free=()):
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "room/below"))
        for name in ("a.h", "below/deep.cpp", "README.md"):
            with open(os.path.join(root, "room", name), "w", encoding="utf-8") as file:
                file.write(text)
        return check_rooms.check(root, ("room",), (), {"room": {"b", "c/d"}} if allowed is None else allowed, free)


class Rooms(unittest.TestCase):
    def test_a_sound_page_has_no_fault(self):
        self.assertEqual(faults_of(SOUND), [])

    def test_a_part_that_is_missing(self):
        self.assertEqual(faults_of(SOUND.replace("**Door**", "Door")), ["room/README.md: no part **Door**"])

    def test_a_file_that_has_moved(self):
        self.assertEqual(faults_of(SOUND.replace("`deep.cpp`", "`gone.cpp`")), ["room/README.md: there is no gone.cpp in the room"])

    def test_permissions_that_changed(self):
        self.assertEqual(faults_of(SOUND, {"room": {"b"}}), ["room/README.md: check_layers.py permits: **May include**: `b`, and the domain."])
        self.assertEqual(faults_of(SOUND, {}), ["room/README.md: check_layers.py permits: **May include**: nothing of ours but the domain."])
        everything = SOUND.replace("`b`, `c/d`, and the domain", "all rooms")
        self.assertEqual(len(faults_of(everything)), 1)
        self.assertEqual(faults_of(everything, {}, {"room"}), [])

    def test_a_room_without_a_page(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(check_rooms.check(root, ("room",), ("other",), {}, ()), ["room/README.md: is not there", "other/README.md: is not there"])


if __name__ == "__main__":
    unittest.main()

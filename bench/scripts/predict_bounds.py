# SPDX-License-Identifier: Apache-2.0
"""How fast a workload could be on these devices, from what was measured of them in the same run. Pure, but for copy_rate().

Three things take their time at least: an application's bytes are copied once from its memory and once into it; those that devices get and
give travel over their links, in one direction at a time, since it writes before it launches and reads after that; and the work takes as long as
all devices together need for it. The longest of the three is the bound."""
import ctypes
import os
import threading
import time


def link_seconds(links):
    """Of the slowest link, of [(bytes to, bytes from, bytes per second to, from)]; those without a rate count nothing."""
    times = [sum(count / rate for count, rate in ((to, to_rate), (back, from_rate)) if rate) for to, back, to_rate, from_rate in links]
    return max(times, default=0.0)


def devices_seconds(alone):
    """Of all devices together, of the seconds that each needs for the whole work alone; those of 0, which were not measured, do not take part."""
    rate = sum(1 / seconds for seconds in alone if seconds > 0)
    return 1 / rate if rate > 0 else 0.0


def bound(host_bytes, copy_bytes_per_second, links, alone):
    """(seconds, what takes them: "host memory", "links" or "devices")."""
    copies = host_bytes / copy_bytes_per_second if copy_bytes_per_second else 0.0
    parts = {"host memory": copies, "links": link_seconds(links), "devices": devices_seconds(alone)}
    name = max(parts, key=lambda part: parts[part])
    return parts[name], name


def pinned_rates(calibration):
    """{device: [to, from]}, bytes per second of page-locked memory, of what `skmd-profile --json calibrate` answers; without one, of the direct way."""
    rates = {}
    for link in calibration["links"]:
        if link["in_place"]:
            continue
        way = link["pinned"] or link["direct"] or link["staged"]
        rates.setdefault(link["device"], [0.0, 0.0])[0 if link["direction"] == "to" else 1] = way["bytes_per_second"] if way else 0.0
    return rates


def worked_seconds(stats, device):
    """Of one device by its own clock, of all kernels of a statistics file."""
    return sum(kernel["devices"][device]["seconds"] for kernel in stats["kernels"])


def moved_bytes(stats):
    return sum(entry["bytes_to"] + entry["bytes_from"] for entry in stats["transfers"])


def copy_rate(seconds=0.3, bytes_each=1 << 26):
    """Bytes per second that threads copy at once, of as many threads as are fastest. Takes some seconds; all processors should be idle."""
    copy = ctypes.CDLL(None).memmove
    copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]

    def work(end, counts, place):
        source, target = (ctypes.create_string_buffer(bytes_each) for _ in range(2))
        copy(target, source, bytes_each)  # makes the pages
        begin = time.monotonic()
        while time.monotonic() < end:
            copy(target, source, bytes_each)
            counts[place] += bytes_each
        counts[place] /= max(time.monotonic() - begin, 1e-9)

    best, threads = 0.0, 1
    while threads <= min(os.cpu_count() or 1, 64):
        counts = [0.0] * threads
        end = time.monotonic() + seconds + 0.05 * threads
        crew = [threading.Thread(target=work, args=(end, counts, place)) for place in range(threads)]
        for one in crew:
            one.start()
        for one in crew:
            one.join()
        best = max(best, sum(counts))
        threads *= 2
    return best

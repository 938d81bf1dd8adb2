# SPDX-License-Identifier: Apache-2.0
"""A source file from the page on which Doxygen shows it: ViennaCL's tests and examples are packaged in no other form.

usage: listing.py PAGE
"""
import html
import re
import sys

_LINE = re.compile(r'^.*?<div class="line">(.*?)</div>', re.MULTILINE)
_NUMBER = re.compile(r'<span class="lineno">.*?</span>&#160;')
_TAG = re.compile(r"<[^>]*>")


def source(page):
    return "".join(html.unescape(_TAG.sub("", _NUMBER.sub("", line))).replace("\xa0", " ") + "\n" for line in _LINE.findall(page))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(source(file.read()))

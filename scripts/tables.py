# SPDX-License-Identifier: Apache-2.0
"""Tables of Markdown, for redraw_results.py."""


def markdown(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head)] + rows]
    return "\n".join(lines) + "\n"

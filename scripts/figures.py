# SPDX-License-Identifier: Apache-2.0
"""Small charts as SVG text, the same on every machine: points and lines over logarithmic axes, and bars over logarithmic and linear ones. For
redraw_results.py."""
import math
from html import escape

COLOURS = ("#3b6ea5", "#d08b2c", "#6a9a4a", "#a54b6e", "#6b5ca5", "#4aa3a0")
FONT = 'font-family="sans-serif"'


def number(value):
    return f"{value:.6g}"


class LogAxis:
    """Positions in pixels, from `begin` to `end`, of values in decades around `values`."""

    def __init__(self, values, begin, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.begin, self.end = begin, end

    def at(self, value):
        return self.begin + (self.end - self.begin) * (math.log10(value) - self.low) / (self.high - self.low)

    def ticks(self):
        step = max(1, (self.high - self.low) // 5)
        return [(self.at(10.0 ** power), number(10.0 ** power)) for power in range(self.low, self.high + 1, step)]


def text(x, y, words, size=9, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" {FONT}{extra}>{escape(words)}</text>'


def path(points, **style):
    words = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
    look = " ".join(f'{key.replace("_", "-")}="{value}"' for key, value in style.items())
    return f'<path d="{words}" {look}/>'


def dots(points, colour):
    return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="{colour}"/>' for x, y in points)


def frame(x, y, left, top):
    """Axes with their ticks; `top` is the upper end of y in pixels."""
    lines = [path([(left, top), (left, y.begin), (x.end, y.begin)], fill="none", stroke="#444444")]
    for place, words in x.ticks():
        lines += [path([(place, y.begin), (place, y.begin + 3)], stroke="#444444"), text(place, y.begin + 12, words, 8)]
    for place, words in y.ticks():
        lines += [path([(left - 3, place), (left, place)], stroke="#444444"), text(left - 5, place + 3, words, 8, "end")]
    return lines


def panel(title, series, names, place, size):
    """One chart. `series`: dicts of label, points [(x, y)], optionally line [(x, y)] and band [(x, low, high)]. All values are positive."""
    (left, top), (width, height) = place, size
    xs = [x for one in series for key in ("points", "line") for x, _ in one.get(key, [])]
    ys = [y for one in series for key in ("points", "line") for _, y in one.get(key, [])]
    x, y = LogAxis(xs, left + 48, left + width - 12), LogAxis(ys, top + height - 34, top + 22)
    lines = frame(x, y, left + 48, top + 22)
    lines += [text(left + width / 2, top + 12, title, 10), text(left + width / 2, top + height - 8, names[0], 8),
              text(left + 10, top + height / 2, names[1], 8, extra=f' transform="rotate(-90 {left + 10:.1f} {top + height / 2:.1f})"')]
    bottom, upper = 10.0 ** y.low, 10.0 ** y.high
    for i, one in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        if one.get("band"):
            edge = [(x.at(at), y.at(min(max(high, bottom), upper))) for at, _, high in one["band"]]
            edge += [(x.at(at), y.at(min(max(low, bottom), upper))) for at, low, _ in reversed(one["band"])]
            lines.append(path(edge, fill=colour, fill_opacity=0.2))
        lines.append(dots([(x.at(at), y.at(value)) for at, value in one.get("points", [])], colour))
        if one.get("line"):
            lines.append(path([(x.at(at), y.at(value)) for at, value in one["line"]], fill="none", stroke=colour, stroke_dasharray=one.get("dash", "none")))
        lines.append(text(left + 56, top + 34 + 11 * i, one["label"], 8, "start", f' fill="{colour}"'))
    return lines


def bars(title, names, series, unit, place, size):
    """Groups of bars over a logarithmic axis. `series`: dicts of label and values, one for each of `names`; None where there is none."""
    (left, top), (width, height) = place, size
    values = [value for one in series for value in one["values"] if value]
    upper_end = top + 24 + 11 * len(series)
    y = LogAxis(values, top + height - 78, upper_end)
    begin, end = left + 48, left + width - 8
    lines = [path([(begin, upper_end), (begin, y.begin), (end, y.begin)], fill="none", stroke="#444444"), text(left + width / 2, top + 12, title, 10),
             text(left + 10, top + height / 2 - 20, unit, 8, extra=f' transform="rotate(-90 {left + 10:.1f} {top + height / 2 - 20:.1f})"')]
    for at, words in y.ticks():
        lines += [path([(begin, at), (end, at)], stroke="#dddddd"), text(begin - 5, at + 3, words, 8, "end")]
    step = (end - begin) / len(names)
    thick = step * 0.8 / len(series)
    for i, name in enumerate(names):
        middle = begin + step * (i + 0.5)
        lines.append(text(middle, y.begin + 10, name, 8, "end", f' transform="rotate(-35 {middle:.1f} {y.begin + 10:.1f})"'))
        for j, one in enumerate(series):
            if not one["values"][i]:
                continue
            upper = y.at(one["values"][i])
            lines.append(f'<rect x="{begin + step * i + step * 0.1 + thick * j:.1f}" y="{upper:.1f}" width="{thick:.1f}" height="{y.begin - upper:.1f}" '
                         f'fill="{COLOURS[j % len(COLOURS)]}"><title>{escape(name)}: {number(one["values"][i])} {escape(unit)}</title></rect>')
    for j, one in enumerate(series):
        lines.append(text(end, top + 24 + 11 * j, one["label"], 8, "end", f' fill="{COLOURS[j % len(COLOURS)]}"'))
    return lines


def round_step(largest):
    """A step of 1, 2 or 5 times a power of ten that goes four to ten times into `largest`."""
    power = 10.0 ** math.floor(math.log10(largest / 4))
    return next(step * power for step in (5, 2, 1) if step * power * 4 <= largest * 1.0001)


def linear_frame(title, names, labels, unit, largest, place, size):
    """(elements, left end, width of the place of a name, y of a value) of bars over an axis from 0 to `largest`, names below and labels above."""
    (left, top), (width, height) = place, size
    upper_end, begin, end, bottom = top + 24 + 11 * len(labels), left + 48, left + width - 8, top + height - 78

    def at(value):
        return bottom - (bottom - upper_end) * value / largest

    lines = [path([(begin, upper_end), (begin, bottom), (end, bottom)], fill="none", stroke="#444444"), text(left + width / 2, top + 12, title, 10),
             text(left + 10, top + height / 2 - 20, unit, 8, extra=f' transform="rotate(-90 {left + 10:.1f} {top + height / 2 - 20:.1f})"')]
    step = round_step(largest)
    for count in range(int(largest / step * 1.0001) + 1):
        y = at(count * step)
        lines += [path([(begin, y), (end, y)], stroke="#dddddd"), text(begin - 5, y + 3, number(count * step), 8, "end")]
    wide = (end - begin) / len(names)
    for i, name in enumerate(names):
        middle = begin + wide * (i + 0.5)
        lines.append(text(middle, bottom + 10, name, 8, "end", f' transform="rotate(-35 {middle:.1f} {bottom + 10:.1f})"'))
    for j, label in enumerate(labels):
        lines.append(text(end, top + 24 + 11 * j, label, 8, "end", f' fill="{COLOURS[j % len(COLOURS)]}"'))
    return lines, begin, wide, at


def bar(x, upper, width, lower, colour, words):
    return (f'<rect x="{x:.1f}" y="{upper:.1f}" width="{width:.1f}" height="{lower - upper:.1f}" fill="{COLOURS[colour % len(COLOURS)]}">'
            f'<title>{escape(words)}</title></rect>')


def linear_bars(title, names, series, unit, place, size, line=None):
    """Groups of bars from 0, with their values above. `series` as for bars(); `line`: a value to mark over all."""
    largest = max(value for one in series for value in one["values"] if value) * 1.1
    lines, begin, wide, at = linear_frame(title, names, [one["label"] for one in series], unit, largest, place, size)
    thick = wide * 0.8 / len(series)
    for i, name in enumerate(names):
        for j, one in enumerate(series):
            value = one["values"][i]
            if not value:
                continue
            x = begin + wide * (i + 0.1) + thick * j
            lines += [bar(x, at(value), thick, at(0), j, f"{name}, {one['label']}: {value:.2f} {unit}"), text(x + thick / 2, at(value) - 2, f"{value:.1f}", 6)]
    if line is not None:
        lines.append(path([(begin, at(line)), (begin + wide * len(names), at(line))], stroke="#a02020", stroke_dasharray="4 3"))
    return lines


def stacked(title, names, series, unit, place, size):
    """One bar for each of `names`, its parts on top of each other, in per cent."""
    lines, begin, wide, at = linear_frame(title, names, [one["label"] for one in series], unit, 100.0, place, size)
    for i, name in enumerate(names):
        below = 0.0
        for j, one in enumerate(series):
            value = one["values"][i]
            if value > 0:
                lines.append(bar(begin + wide * (i + 0.2), at(below + value), wide * 0.6, at(below), j, f"{name}, {one['label']}: {value:.1f} {unit}"))
            below += value
    return lines


def svg(width, height, lines):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(line for line in lines if line) + "\n</svg>\n")

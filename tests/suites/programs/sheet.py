# SPDX-License-Identifier: Apache-2.0
"""A sheet for programs that compute one: two columns of numbers, and a column for each formula below, as flat ODF. A program that imports this has their names.

usage: sheet.py FILE.fods
"""
import sys

ROWS = 400
FORMULAS = {
    "product": "[.A{0}]*[.B{0}]+2",
    "quotient": "SQRT([.A{0}])/[.B{0}]",
    "power": "POWER([.B{0}];1.5)-[.A{0}]^2",
    "angles": "SIN([.A{0}])+COS([.B{0}])*ATAN([.A{0}])",
    "exponentials": "EXP(-[.A{0}])+LN([.B{0}])",
    "choice": "IF([.A{0}]>[.B{0}];[.A{0}]-[.B{0}];[.A{0}]+[.B{0}])",
    "sum": "SUM([.A{0}:.A{1}])",
    "average": "AVERAGE([.B{0}:.B{1}])",
    "least": "MIN([.A{0}:.A{1}])",
    "most": "MAX([.A{0}:.B{1}])",
    "count": "COUNT([.A{0}:.B{1}])",
    "products": "SUMPRODUCT([.A{0}:.A{1}];[.B{0}:.B{1}])",
    "variance": "VAR([.A{0}:.A{1}])",
    "covariance": "COVAR([.A{0}:.A{1}];[.B{0}:.B{1}])",
    "correlation": "PEARSON([.A{0}:.A{1}];[.B{0}:.B{1}])",
    "slope": "SLOPE([.A{0}:.A{1}];[.B{0}:.B{1}])",
}
SPAN = 12  # rows of a range; the last ones reach beyond the numbers
NAMES = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
         'xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"')


def row(number):
    values = (number * 37 % 101 / 7, number * 53 % 89 / 3 + 1)
    cells = [f'<table:table-cell office:value-type="float" office:value="{value!r}"/>' for value in values]
    formulas = (formula.format(number, number + SPAN - 1).replace('>', '&gt;') for formula in FORMULAS.values())
    cells += [f'<table:table-cell table:formula="of:={formula}"/>' for formula in formulas]
    return f'<table:table-row>{"".join(cells)}</table:table-row>'


def document():
    rows = ''.join(row(number) for number in range(1, ROWS + 1))
    return (f'<?xml version="1.0" encoding="UTF-8"?><office:document {NAMES} office:version="1.3" '
            'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
            f'<table:table table:name="Sheet">{rows}</table:table></office:spreadsheet></office:body></office:document>')


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(document())

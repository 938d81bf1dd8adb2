#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which tests cover a source file: tests_of.sh [--all] [--run] [--build FOLDER] FILE…, or tests_of.sh --map. More by --help.
exec /usr/bin/python3 -B "$(dirname "$0")/tests_of.py" "$@"

#!/usr/bin/env bash
# format.sh SOURCE_ROOT: every C file that people write is as clang-format leaves it. Exit status 77 (skipped)
# without clang-format 14, Debian 12's: other versions format differently. With TENDEX_CHECKERS_REQUIRED set that is
# a failure.
set -euo pipefail

cd "$1"
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  echo "no clang-format 14"
  [ -z "${TENDEX_CHECKERS_REQUIRED:-}" ] || exit 1
  exit 77
fi
mapfile -t files < <(find src physics octree elliptic gw_extraction horizons cuda tests -not -path physics/generated/\* \
  \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \) | LC_ALL=C sort)
[ "${#files[@]}" -gt 0 ] || { echo "no C files found in $1" >&2; exit 1; }
clang-format --dry-run -Werror "${files[@]}" || {
  echo "format these files with: clang-format -i" >&2
  exit 1
}
echo "${#files[@]} files are formatted"

#!/usr/bin/env bash
# cuda_subset.sh SOURCE_ROOT: compile the arithmetic of a point, which gcc compiles for the CPU, with nvcc
# for the GPUs in use. Exit status 77 (skipped) where there is no nvcc.
set -euo pipefail

root=$1
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [ -z "$nvcc" ]; then
  echo "skipped: no nvcc"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
mapfile -t headers < <(find physics -name '*_point.h' | LC_ALL=C sort)
[ "${#headers[@]}" -gt 0 ] || { echo "no physics/..._point.h found in $root" >&2; exit 1; }
{
  printf '#include "%s"\n' "${headers[@]}"
  cat tests/unit/cuda_subset.cu
} >"$work/subset.cu"
"$nvcc" -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
  -Werror all-warnings -diag-suppress 177 -DTX_N=8 -I. -Isrc -c "$work/subset.cu" -o "$work/subset.o"
echo "compiled for sm_80 and sm_90: ${headers[*]} physics/generated/*.inc"

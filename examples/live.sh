#!/usr/bin/env bash
# The real classes of a release, imported with torch for the CPU and asked for their shims: `make live`.
# STACK names another release of benchmarks/releases.toml, WRAPPER another class, LIVE_PYTHON an interpreter
# that has the stack's libraries.
set -euo pipefail

STACK=${STACK:-0.5.9}
WRAPPER=${WRAPPER:-KimiK25ForConditionalGeneration}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stubs=(--stub sgl_kernel --stub flashinfer --stub torchvision --stub torchaudio)

run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

# A benchmark's checkout is Python files only; some modules look for files beside them when they are imported.
cd "$here"
"${PYTHON:-python}" -m benchmarks.releases "$STACK" "$work/sglang" >/dev/null
wheel=$("${PYTHON:-python}" -c 'import sys; from benchmarks.releases import fetch; print(fetch(sys.argv[1]))' "$STACK")
"${PYTHON:-python}" -m zipfile -e "$wheel" "$work/sglang"
cd "$work"
run shimgen verify sglang --wrapper "$WRAPPER" --severity all --python "$LIVE_PYTHON" "${stubs[@]}"

# The whole series. A model whose own libraries are not there cannot be imported, which is a failed check (exit 4).
status=0
run shimgen verify sglang --python "$LIVE_PYTHON" "${stubs[@]}" || status=$?
git -C sglang diff --quiet || { echo "live: the checkout was changed" >&2; exit 1; }
[ "$status" -eq 0 ] || [ "$status" -eq 4 ]

#!/usr/bin/env bash
# The real classes of a release, imported with torch for the CPU and asked for their shims: `make live`.
# STACK=vllm asks those of vLLM. VERSION names another release of benchmarks/releases.toml, WRAPPER another class,
# LIVE_PYTHON an interpreter that has the stack's libraries.
set -euo pipefail

STACK=${STACK:-sglang}
case $STACK in
    sglang)
        VERSION=${VERSION:-0.5.9} WRAPPER=${WRAPPER:-KimiK25ForConditionalGeneration}
        stubs=(--stub sgl_kernel --stub flashinfer --stub torchvision --stub torchaudio)
        ;;
    vllm)
        VERSION=${VERSION:-0.16.0} WRAPPER=${WRAPPER:-DotsOCRForCausalLM}
        stubs=(--stub torchvision --stub torchaudio --stub timm --stub cv2)
        ;;
    *) echo "live: STACK is sglang or vllm, not $STACK" >&2; exit 2 ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

cd "$here"
"${PYTHON:-python}" -m benchmarks.releases --name "$STACK" "$VERSION" "$work/$STACK" >/dev/null
if [ "$STACK" = sglang ]; then  # some modules look for files beside them, which are no Python, when they are imported
    wheel=$("${PYTHON:-python}" -c 'import sys; from benchmarks.releases import fetch; print(fetch(sys.argv[1]))' "$VERSION")
    "${PYTHON:-python}" -m zipfile -e "$wheel" "$work/$STACK"
fi
cd "$work"
run shimgen verify "$STACK" --wrapper "$WRAPPER" --severity all --python "$LIVE_PYTHON" "${stubs[@]}"

# The whole series. A model whose own libraries are not there cannot be imported, which is a failed check (exit 4).
status=0
run shimgen verify "$STACK" --severity all --python "$LIVE_PYTHON" "${stubs[@]}" || status=$?
git -C "$STACK" diff --quiet || { echo "live: the checkout was changed" >&2; exit 1; }
[ "$status" -eq 0 ] || [ "$status" -eq 4 ]

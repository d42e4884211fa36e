#!/usr/bin/env bash
# The story of one upgrade, on a real release in a temporary checkout: `make demo`.
# STACK=vllm tells it of vLLM (a download of 500 MB, once). VERSION names another release of benchmarks/releases.toml,
# WRAPPER, MEMBER and INTERFACE another gap.
set -euo pipefail

STACK=${STACK:-sglang}
case $STACK in
    sglang) VERSION=${VERSION:-0.5.9} WRAPPER=${WRAPPER:-KimiK25ForConditionalGeneration} MEMBER=${MEMBER:-get_embed_and_head} ;;
    vllm) VERSION=${VERSION:-0.16.0} WRAPPER=${WRAPPER:-DotsOCRForCausalLM} MEMBER=${MEMBER:-SupportsEagle3} ;;
    *) echo "demo: STACK is sglang or vllm, not $STACK" >&2; exit 2 ;;
esac
INTERFACE=${INTERFACE:-eagle3}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n# %s\n' "$*"; }
run() {
    printf '$ %s\n' "$*"
    "$@"
}
same() { # exits when two files differ, so that the demo cannot tell a story that is not true
    cmp --quiet "$1" "$2" || { printf 'demo: %s and %s differ\n' "$1" "$2" >&2; exit 1; }
}

say "$STACK $VERSION, as on PyPI, committed to a fresh git repository"
(cd "$here" && "${PYTHON:-python}" -m benchmarks.releases --name "$STACK" "$VERSION" "$work/$STACK" >/dev/null)
cd "$work"
run git -C "$STACK" log --oneline

say "Which serving stack is this? The answer is kept in shimgen.toml, with the commit as pin."
run shimgen init "$STACK" --interface "$INTERFACE" --wrapper "$WRAPPER"

say "What does the engine ask of this model that the model cannot answer?"
run shimgen scan

say "Why? The whole chain, for the one that crashes first."
run shimgen explain "$WRAPPER.$MEMBER"

say "The patch. The member that crashes second is in it, too."
printf '$ shimgen diff\n'
shimgen diff | tee patch

say "Apply it: verified first, all or nothing. git sees exactly that patch."
run shimgen apply
git -C "$STACK" diff >applied
same patch applied
run git -C "$STACK" diff --stat

say "A second run finds nothing to do, and the CI gate is open."
run shimgen diff
run shimgen check

say "Take it back, byte for byte."
run shimgen revert
run git -C "$STACK" status --short
test -z "$(git -C "$STACK" status --short)"

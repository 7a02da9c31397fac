#!/usr/bin/env bash
# The readers of the product under inputs that nobody would write, for a minute in all (GU-13); the nightly run
# takes ten minutes for each target, with other seeds. CONTEXTURE_FUZZ_MINUTES and CONTEXTURE_FUZZ_SEED set another
# time and seed; the seed is the same by default, so that a change fails for what it changes. Then half-written
# programs in the language server (TY-10), CONTEXTURE_FUZZ_MUTATIONS of them.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

find_contexture
export CONTEXTURE_BIN=$contexture
# As in `find_contexture`: with the features of tests.
cargo build --quiet --workspace --bin contexture-dev --test durable
fuzz=${CARGO_TARGET_DIR:-target}/debug/contexture-dev
minutes=${CONTEXTURE_FUZZ_MINUTES:-1}
"$fuzz" fuzz --list >"$work/targets" || fail "the targets are not listed"
# What a target may take to start comes on top, and to make a failing input smaller.
limit=$(awk -v minutes="$minutes" 'END { print int(minutes * 60 + NR * 90) }' "$work/targets")
timeout "$limit" "$fuzz" fuzz --minutes "$minutes" --seed "${CONTEXTURE_FUZZ_SEED:-1}" || fail "an input failed; see the line above for its replay"
ok "$(wc -l <"$work/targets") targets held for $minutes min in all"
mutations=${CONTEXTURE_FUZZ_MUTATIONS:-20000}
CONTEXTURE_FUZZ_MUTATIONS=$mutations cargo test --quiet "$(chosen contexture-lsp)" --lib ty_10_half_written -- --nocapture ||
    fail "a half-written program failed; see above"
ok "$mutations half-written programs had answers"

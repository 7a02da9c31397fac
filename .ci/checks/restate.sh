#!/usr/bin/env bash
# Sets run over a real Restate server as they do without one, also while engine and service are killed in turn: no
# effect is lost or doubled, and what nobody knows is told uncertain (WA-12, FL-14).
#
# CONTEXTURE_ENGINE_KILLS says how often; .ci/nightly kills 100 times. With CONTEXTURE_ENGINE_TESTS, as there, the tests of
# sets, approvals and waits that a server passes without an engine pass over this one, too. Needs Python 3.9.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/restate.sh
cleanup() { remove_restate; }

script=$PWD/.ci/checks/restate.py
find_contexture

# -- a server whose engine is away says so at its start, and serves all but sets --
mkdir "$work/away"
echo 'main func(text string) { text }' >"$work/away/app.as"
away_port=$(free_port)
serve env -C "$work/away" "$contexture" serve app.as --listen "127.0.0.1:$away_port" --engine "restate=http://127.0.0.1:$(free_port)" \
  >"$work/away.log" 2>&1
ready "the server without its engine" curl -fs -o "$work/away.json" "http://127.0.0.1:$away_port/healthz"
said "$work/away.log" "warning: the engine of sets does not answer: new sets are refused until it does" "an engine that is away is told at the start"
stop_server "$server"

restate_place

# -- the tests of the server --
if [ -n "${CONTEXTURE_ENGINE_TESTS:-}" ]; then
  start_restate
  # Sets whose steps are in doubt stay as they are over an engine, which has ended them for good: ws::settle is not among them.
  # Left out: the order of progress of steps that run at once, and two tests that give a server less time to leave a set that waits
  # than the engine takes to let go of it (10 s).
  CONTEXTURE_TEST_ENGINE=restate=$restate_url CONTEXTURE_TEST_ENGINE_ADMIN=$restate_admin timeout 3000 \
    cargo test --workspace --test suite -- --test-threads=1 \
    ws::sets ws::approvals ws::waits ws::tools ws::services ws::batches --skip fl_12_set_reports_progress \
    --skip wa_1_call_is_asked_again_with_same_id_after_stop --skip wa_1_wait_ends_at_its_time_over_restart >"$work/suite.log" 2>&1 \
    || { grep -E "^test .*FAILED|panicked" "$work/suite.log" >&2; fail "the tests of the server over Restate"; }
  passed=$(sed -n 's/^test result: ok. \([0-9]*\) passed.*/\1/p' "$work/suite.log" | sort -n | tail -1)
  [ "${passed:-0}" -ge 40 ] || fail "only ${passed:-0} tests ran"
  ok "$passed tests of the server pass over Restate"
  stop_server "$server"
fi

mkdir -p "$work/project"
export EFFECTS_PORT SERVE_OUT=$work/serve.log RESTATE_OUT=$work/restate.log
EFFECTS_PORT=$(free_port)
cat >"$work/project/contexture.toml" <<TOML
[network]
allow_private = ["127.0.0.1"]

[serve]
engine_admin = "$restate_admin"

[serve.tools]
once = { http = "http://127.0.0.1:$EFFECTS_PORT/once", idempotent = false, kind = "action" }
again = { http = "http://127.0.0.1:$EFFECTS_PORT/again", idempotent = true, kind = "action" }
TOML
echo 'main func(text string) { text }' >"$work/project/app.as"

timeout 1500 python3 "$script" "$contexture" "$work/project" "$(free_port)" "$restate_url" "${CONTEXTURE_ENGINE_KILLS:-10}" \
  2>"$work/check.log" || fail "sets over Restate"

#!/usr/bin/env bash
# Models over a real server: llama.cpp's, which speaks OpenAI's protocol, with a tiny model of random
# weights. Schema, streaming, usage, time-out and cancellation are real; the words are noise.
#
# Needs Python 3 with venv. What is installed is kept in CONTEXTURE_CI_CACHE (default:
# ~/.cache/contexture-ci).
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

venv=$cache/llama-server
python=$venv/bin/python

# -- the server -------------------------------------------------------------------------------------------

make_venv "$venv" xllamacpp gguf numpy

"$python" .ci/checks/tiny_gguf.py "$work/tiny.gguf" >/dev/null
port=$(free_port)
serve "$python" .ci/checks/llama_server.py "$work/tiny.gguf" "$port" >"$work/server.log" 2>&1
answers() {
  "$python" - "$port" <<'PY'
import sys, urllib.request
try:
    urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/v1/models", timeout=1)
except OSError:
    sys.exit(1)
PY
}
ready "llama.cpp's server" answers
uri="openai+http://127.0.0.1:$port/v1/tiny"

# -- the library, through its example program ---------------------------------------------------------------

cargo build --quiet "$(chosen contexture-llm)" --example ask
target=${CARGO_TARGET_DIR:-target}
probe() { timeout 120 "$target/debug/examples/ask" "$@"; }
unset OPENAI_API_KEY OPENAI_BASE_URL

echo "Say something." | probe "$uri" --max-output 40 >"$work/plain.json"
holds "$work/plain.json" 'len(d["text"]) > 0 and not d["usage_estimated"]' "an answer with the server's own usage"
# The server counts an answer by reading its text again, so noise counts for a little more than it was.
holds "$work/plain.json" 'd["finish_reason"] == "length" and 0 < d["usage"]["completion_tokens"] < 160' "the limit of tokens is kept to"

echo "Say something." | probe "$uri" --max-output 40 --stream >"$work/stream.json"
holds "$work/stream.json" 'd["pieces"] > 3 and len(d["text"]) > 0' "text comes piece by piece"
holds "$work/stream.json" 'd["usage"]["completion_tokens"] > 0' "a stream has its usage"

schema='{"type":"object","properties":{"ok":{"type":"boolean"},"kind":{"type":"string","enum":["red","green"]}},"required":["ok","kind"]}'
for stream in "" --stream; do
  echo "Judge." | probe "$uri" --schema "$schema" --max-output 400 $stream >"$work/schema.json"
  holds "$work/schema.json" 'isinstance(json.loads(d["text"])["ok"], bool) and json.loads(d["text"])["kind"] in ("red", "green")' \
    "the schema is enforced${stream:+ in a stream}"
done

if echo "Talk." | probe "$uri" --max-output 600 --timeout 20 2>"$work/late.txt"; then
  fail "no time-out after 20 ms"
fi
said "$work/late.txt" 'within 20 ms' "a time-out ends the call"

if echo "Talk." | probe "$uri" --max-output 600 --stream --cancel-after 40 2>"$work/cancelled.txt"; then
  fail "the call was not cancelled"
fi
said "$work/cancelled.txt" cancelled "cancelling ends the call"
echo "Still there?" | probe "$uri" --max-output 5 >"$work/after.json"
holds "$work/after.json" 'd["usage"]["completion_tokens"] > 0' "the server serves on"

if echo "x" | probe "openai+http://127.0.0.1:$port/nowhere/tiny" 2>"$work/path.txt"; then
  fail "a wrong address was answered"
fi
said "$work/path.txt" 'has nothing at the path' "a wrong address is an error"

# -- the binary -------------------------------------------------------------------------------------------

find_contexture
mkdir "$work/program"
cat >"$work/program/judge.as" <<'AS'
main agent Judge {
  role "a judge"
  main func(input { text string }) {
    use input.text as text
    generate({ input: "Judge the text.", max_output: 400, attempts: 2 }) -> {
      ok boolean
      kind "red" | "green"
    }
  }
}
AS
cat >"$work/program/late.as" <<'AS'
main func(input) {
  generate({ input: "Talk at length.", max_output: 600, timeout: 20 })
}
AS
cd "$work/program"
input='{"text":"It works."}'

"$contexture" run judge.as --input "$input" --model "$uri" --json --record answers.jsonl >run.json
holds run.json 'isinstance(d["value"]["ok"], bool) and d["value"]["kind"] in ("red", "green")' "a program gets a value of its shape"
holds run.json 'd["usage"]["prompt_tokens"] > 0 and d["usage"]["completion_tokens"] > 0' "a run has its usage"

if "$contexture" run late.as --model "$uri" --quiet 2>late.txt; then
  fail "no time-out in the program"
fi
said late.txt '20 ms' "a program's time-out ends its run"

stop_server "$server"
"$contexture" run judge.as --input "$input" --model "$uri" --json --replay answers.jsonl >again.json
"$python" -c 'import json; a, b = (json.load(open(f))["value"] for f in ("run.json", "again.json")); assert a == b, (a, b)' \
  || fail "the replay gives another value"
ok "a recording replays without the server"

if "$contexture" run judge.as --input "$input" --model "$uri" --quiet 2>gone.txt; then
  fail "a server that is gone answered"
fi
said gone.txt "127.0.0.1:$port" "a server that is gone is an error"

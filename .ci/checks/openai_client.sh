#!/usr/bin/env bash
# `contexture serve` for apps that were written for OpenAI: the official Python package lists the agents, talks to
# them with and without a stream, is refused as it expects, and goes away in the middle of an answer.
#
# Needs Python 3.9 with venv. What is installed is kept in CONTEXTURE_CI_CACHE (default: ~/.cache/contexture-ci).
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

package=3.54.0
venv=$cache/openai-python-$package
python=$venv/bin/python
make_venv "$venv" "openai==$package"
find_contexture
export HOME=$work/home
mkdir -p "$HOME" "$work/project"

# -- a model that answers word by word, and says when nobody listens any more -------------------------------

model_port=$(free_port)
serve "$python" .ci/checks/openai_client.py model "$model_port" "$work/model.json" >"$work/model.log" 2>&1
ready "the model" connects "$model_port"

cat >"$work/project/agents.as" <<'AS'
// Says what it was asked, and what came with it.
main agent Echo {
  main func(input { text string, messages list, attachments list, metadata json }) {
    ({ text: input.text, messages: input.messages, attachments: input.attachments, metadata: input.metadata })
  }
}

// Asks a model, which takes its time.
agent Slow {
  main func(text string) { generate({ input: text }) }
}

agent 天气 {
  main func(text string) { "今天晴，" + text }
}

agent Broken {
  main func(text string) { 1 / (2 - 2) }
}
AS
export OPENAI_API_KEY=sk-of-the-model-behind
port=$(free_port)
serve "$contexture" serve "$work/project/agents.as" --root "$work/project" --listen "127.0.0.1:$port" \
  --model "openai+http://127.0.0.1:$model_port/v1/slow" >"$work/serve.out" 2>"$work/serve.log"
ready "contexture serve" connects "$port"

timeout 300 "$python" .ci/checks/openai_client.py client "http://127.0.0.1:$port" "$work/model.json" \
  || fail "the official client"

# -- the end: a turn that runs is finished, a second signal ends at once ------------------------------------

# said_so_far WORDS: begins to talk to the model in the background, until it has said something.
said_so_far() {
  curl -sN "http://127.0.0.1:$port/v1/chat/completions" -H 'Content-Type: application/json' \
    -d "{\"model\": \"Slow\", \"stream\": true, \"messages\": [{\"role\": \"user\", \"content\": \"$1\"}]}" >"$work/said.out" &
  talk=$!
  for _ in $(seq 1 100); do
    ! grep -q word1 "$work/said.out" || return 0
    sleep 0.05
  done
  fail "the model says nothing"
}

said_so_far "Go"
stop_server "$server"
[ "$ended" -eq 0 ] || fail "the server ended with $ended"
wait "$talk" || fail "the answer was broken off"
said "$work/said.out" 'word5' "the turn that ran was finished"
said "$work/said.out" 'data: \[DONE\]' "and the server ended in order"

serve "$contexture" serve "$work/project/agents.as" --root "$work/project" --listen "127.0.0.1:$port" \
  --model "openai+http://127.0.0.1:$model_port/v1/slow" >"$work/serve.out" 2>"$work/serve.log"
ready "contexture serve" connects "$port"
said_so_far "forever"
kill -TERM "$server"
for _ in $(seq 1 40); do
  status=$(curl -s -o "$work/ready.json" -w '%{http_code}' "http://127.0.0.1:$port/readyz" || true)
  [ "$status" != 200 ] && break
  sleep 0.05
done
[ "$status" = 503 ] || fail "a server that is about to end is ready: $status"
stop_server "$server"
[ "$ended" -eq 143 ] || fail "the second signal ended the server with $ended"
wait "$talk" || true
ok "a second signal ends it at once"

# -- with tokens --------------------------------------------------------------------------------------------

printf '[serve]\nrequire_token = true\n' >"$work/project/contexture.toml"
token=$("$contexture" token add app --workspace "$work/project" 2>>"$work/token.log")
reader=$("$contexture" token add reader --scope read --workspace "$work/project" 2>>"$work/token.log")
serve "$contexture" serve "$work/project/agents.as" --root "$work/project" --listen "127.0.0.1:$port" \
  >"$work/serve.out" 2>"$work/serve.log"
ready "contexture serve with tokens" connects "$port"
timeout 60 "$python" .ci/checks/openai_client.py tokens "http://127.0.0.1:$port" "$token" "$reader" \
  || fail "the official client with tokens"

#!/usr/bin/env bash
# The doors for OpenAI's clients, with the clients that people use: OpenAI's packages for Python and Node, LangChain,
# and Vercel's AI SDK bring tools, ask for objects, stream, and continue responses. The cases of Open Responses'
# suite are run by `llm-comply`, which has them and the schemas as a package; with OPEN_RESPONSES=FOLDER, a checkout of
# github.com/openresponses/openresponses, the suite itself is run, too.
#
# Needs Python 3.10 with venv, and npm. What is installed is kept in CONTEXTURE_CI_CACHE (default:
# ~/.cache/contexture-ci).
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/typescript.sh

venv=$cache/openai-doors-1
python=$venv/bin/python
make_venv "$venv" "openai==3.54.0" "langchain-openai==1.7.3" "llm-comply==0.5.0"
modules=$cache/openai-doors-node-1
find_node
npm_install "$modules" "openai@6.49.0" "ai@6.0.326" "@ai-sdk/openai@3.0.141" "@ai-sdk/openai-compatible@2.0.92" \
  "@ai-sdk/open-responses@1.0.39" "zod@4.6.7"
find_contexture
export HOME=$work/home
mkdir -p "$HOME" "$work/project"

model_port=$(free_port)
serve python3 .ci/checks/openai_model.py "$model_port" "$work/asked.jsonl" >"$work/model.log" 2>&1
ready "the model" connects "$model_port"

cat >"$work/project/agents.as" <<'AS'
import tool File from "file://workspace"

main agent Helper {
  main func(input { text string, messages list, attachments list }) {
    use input.messages as earlier
    use input.attachments as shown
    generate({ input: input.text })
  }
}

// The answer is a part of an object, and the model has a tool of the program.
agent Wrapped {
  main func(text string) {
    said = generate({ input: text, tools: [File.read, File.write] })
    ({ text: said, sources: ["a"] })
  }
}

agent Fixed { main func(text string) { "fixed" } }
AS
export OPENAI_API_KEY=sk-of-the-model-behind
port=$(free_port)
serve "$contexture" serve "$work/project/agents.as" --root "$work/project" --listen "127.0.0.1:$port" \
  --model "openai+http://127.0.0.1:$model_port/v1/stub" >"$work/serve.out" 2>"$work/serve.log"
ready "contexture serve" connects "$port"
base=http://127.0.0.1:$port/v1

timeout 300 "$python" .ci/checks/openai_doors.py "$base" "$work/asked.jsonl" || fail "the Python clients"
cp .ci/checks/openai_doors.mjs "$work/"
ln -s "$modules/node_modules" "$work/node_modules"
(cd "$work" && timeout 300 node openai_doors.mjs "$base") || fail "the Node clients"

# -- Open Responses -----------------------------------------------------------------------------------------

# comply FORMAT: every case passes but those about what this server does not have.
comply() {
  local try
  for try in 1 2 3; do
    timeout 120 "$venv/bin/llm-comply" --format "$1" -u "$base" -k x -m Helper --json >"$work/comply.json" 2>"$work/comply.log" || true
    # A server may close a kept connection after a 404 whose body it did not read; the tool then does not try again.
    grep -q "closed connection without response" "$work/comply.json" || break
  done
  "$python" .ci/checks/openai_doors.py comply "$work/comply.json" || fail "the cases of $1"
  ok "the cases of $1"
}
comply open-responses
comply openai-chat

if [ -n "${OPEN_RESPONSES:-}" ]; then
  npm_install "$cache/open-responses-1" "tsx@4.23.15" "zod@3.25.76"
  cp -r "$OPEN_RESPONSES" "$work/suite"
  rm -rf "$work/suite/node_modules"
  ln -s "$cache/open-responses-1/node_modules" "$work/suite/node_modules"
  cases=basic-response,assistant-phase,response-output-phase-schema,streaming-response,system-prompt,tool-calling,image-input,multi-turn
  (cd "$work/suite" && timeout 120 node_modules/.bin/tsx bin/compliance-test.ts --base-url "$base" --api-key x --model Helper --filter "$cases") \
    || fail "Open Responses' suite"
  ok "Open Responses' suite, without WebSockets and compaction"
fi

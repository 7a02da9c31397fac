"""The work of openai_client.sh: `model PORT FILE` is a slow model, `client URL FILE` the checks."""

import asyncio
import json
import os
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def model(port, file):
    """A model in OpenAI's form that says `word1 word2 …`, one every 50 ms; notes what became of each answer."""
    told = []
    lock = threading.Lock()

    def note(fact):
        with lock:
            told.append(fact)
            with open(file + ".new", "w") as out:
                json.dump(told, out)
            os.replace(file + ".new", file)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = json.dumps(asked["messages"])
            words = 200 if "forever" in text else 6
            limit = asked.get("max_completion_tokens") or asked.get("max_tokens")
            finish = "length" if limit and limit < words else "stop"
            note({"asked": asked.get("temperature"), "limit": limit})
            usage = {"prompt_tokens": 11, "completion_tokens": words, "total_tokens": 11 + words}
            try:
                if not asked.get("stream"):
                    time.sleep(0.05 * words)
                    said = " ".join(f"word{n}" for n in range(words))
                    body = {
                        "id": "1", "object": "chat.completion", "created": 1, "model": "slow", "usage": usage,
                        "choices": [{"index": 0, "finish_reason": finish,
                                     "message": {"role": "assistant", "content": said}}],
                    }
                    body = json.dumps(body).encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                    return note("whole")
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for n in range(words):
                    self.event({"content": f"word{n} "}, None)
                    time.sleep(0.05)
                self.event({}, finish, usage)
                self.wfile.write(b"data: [DONE]\n\n")
                note("streamed")
            except OSError:
                note("left alone")
            self.close_connection = True

        def event(self, delta, finish, usage=None):
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "slow",
                     "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


def client(url, file):
    import openai

    def told():
        with open(file) as facts:
            return json.load(facts)

    def get(path):
        with urllib.request.urlopen(url + path, timeout=10) as answer:
            return answer.read().decode()

    def refused(kind, **asked):
        base = {"model": "Echo", "messages": [{"role": "user", "content": "x"}]}
        try:
            ai.chat.completions.create(**{**base, **asked})
        except kind as error:
            return error
        raise AssertionError(f"{asked} was not refused")

    def ok(what):
        print(f"ok: {what}")

    ai = openai.OpenAI(base_url=url + "/v1", api_key="sk-whatever", max_retries=0)

    models = ai.models.list()
    assert [one.id for one in models] == ["Echo", "Slow", "天气", "Broken"], models
    one = ai.models.retrieve("Slow")
    assert (one.id, one.object, one.owned_by) == ("Slow", "model", "contexture"), one
    assert abs(one.created - time.time()) < 600, one
    assert ai.models.retrieve("天气").id == "天气"
    try:
        ai.models.retrieve("Slo")
        raise AssertionError("a model that is not there")
    except openai.NotFoundError as error:
        assert error.code == "model_not_found" and "Slow" in error.message, error
    ok("the agents are models")

    answer = ai.chat.completions.create(
        model="Echo", user="u1", store=True, seed=7, top_p=0.5, metadata={"tour": "7"},
        messages=[
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi!"},
            {"role": "user", "content": [
                {"type": "text", "text": "What is"},
                {"type": "text", "text": "this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
                {"type": "file", "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,YQ=="}},
            ]},
        ],
    )
    choice = answer.choices[0]
    assert answer.object == "chat.completion" and answer.id.startswith("chatcmpl"), answer
    assert (choice.message.role, choice.message.content) == ("assistant", "What is\n\nthis?"), choice
    assert choice.finish_reason == "stop" and answer.model == "Echo", answer
    value = answer.contexture["value"]
    assert [(past["role"], past["text"]) for past in value["messages"]] == [
        ("system", "Be brief."), ("system", "Be kind."), ("user", "Hello"), ("model", "Hi!")], value
    assert [one["type"] for one in value["attachments"]] == ["IMAGE", "FILE"], value
    assert value["attachments"][1]["metadata"]["fileName"] == "a.txt", value
    assert value["metadata"] == {"tour": "7"}, value
    assert "contextId" not in answer.contexture, answer
    ok("a conversation with history, attachments and metadata")

    answer = ai.chat.completions.create(
        model="Slow", messages=[{"role": "user", "content": "Go"}], temperature=0.3, max_completion_tokens=99)
    assert answer.choices[0].message.content.split() == [f"word{n}" for n in range(6)], answer
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (11, 6, 17), answer
    # Beside what it was asked, the model notes that it has said all, perhaps a moment later.
    asked = [fact for fact in told() if isinstance(fact, dict)]
    assert asked[-1] == {"asked": 0.3, "limit": 99}, told()
    answer = ai.chat.completions.create(
        model="Slow", messages=[{"role": "user", "content": "Go"}], max_tokens=3)
    assert answer.choices[0].finish_reason == "length", answer
    ok("the wishes reach the model; usage and the reason come back")

    began = time.monotonic()
    first = None
    chunks = []
    for chunk in ai.chat.completions.create(
            model="Slow", messages=[{"role": "user", "content": "Go"}], stream=True,
            stream_options={"include_usage": True}):
        first = first or time.monotonic() - began
        chunks.append((time.monotonic() - began, chunk))
    texts = [(at, chunk.choices[0].delta.content) for at, chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert "".join(text for _, text in texts).split() == [f"word{n}" for n in range(6)], texts
    assert len(texts) == 6 and texts[-1][0] - texts[0][0] > 0.15, texts
    head = chunks[0][1].choices[0].delta
    assert head.role == "assistant" and head.content == "", head
    assert [chunk.choices[0].finish_reason for _, chunk in chunks if chunk.choices][-1] == "stop"
    last = chunks[-1][1]
    assert last.choices == [] and last.usage.total_tokens == 17, last
    assert len({chunk.id for _, chunk in chunks}) == 1
    plain = list(ai.chat.completions.create(
        model="天气", messages=[{"role": "user", "content": "北京？"}], stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in plain) == "今天晴，北京？", plain
    assert all(chunk.usage is None and chunk.choices for chunk in plain), plain
    ok("streams come as they are said, with usage when it is asked for")

    long = "长文 and more 🚀\n" * 20_000
    answer = ai.chat.completions.create(model="Echo", messages=[{"role": "user", "content": long}])
    assert answer.choices[0].message.content == long
    stream = ai.chat.completions.create(model="Echo", messages=[{"role": "user", "content": long}], stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == long
    ok("a long text in Chinese comes back whole")

    error = refused(openai.NotFoundError, model="Slwo")
    assert error.code == "model_not_found" and error.param == "model" and "Slow" in error.message, error
    for param, asked in [
        ("n", {"n": 2}),
        ("tools", {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]}),
        ("response_format.type", {"response_format": {"type": "xml"}}),
        ("logprobs", {"logprobs": True}),
        ("stop", {"stop": ["\n"]}),
        ("temperature", {"temperature": 3}),
        ("max_tokens", {"max_tokens": 0}),
        ("stream_options", {"stream_options": {"include_usage": True}}),
        ("messages", {"messages": []}),
        ("messages", {"messages": [{"role": "system", "content": "x"}]}),
        ("messages[0].role", {"messages": [{"role": "king", "content": "x"}]}),
        ("messages[0].content[0].type", {"messages": [{"role": "user", "content": [{"type": "smell"}]}]}),
        ("temprature", {"extra_body": {"temprature": 1}}),
    ]:
        error = refused(openai.BadRequestError, **asked)
        assert error.param == param and error.type == "invalid_request_error", (param, error.body)
    harmless = {"n": 1, "tools": [], "tool_choice": "none", "response_format": {"type": "text"}, "logprobs": False, "stop": None}
    ai.chat.completions.create(model="Echo", messages=[{"role": "user", "content": "x"}], **harmless)
    ok("what can't be done is refused with its parameter")

    eager = ai.with_options(max_retries=3)
    turns = lambda: sum(int(line.split()[-1]) for line in get("/metrics").splitlines() if line.startswith('contexture_turns_total{agent="Broken"'))
    before = turns()
    for asked in [{}, {"stream": True}]:
        try:
            eager.chat.completions.create(model="Broken", messages=[{"role": "user", "content": "x"}], **asked)
            raise AssertionError("no error")
        except openai.InternalServerError as error:
            assert error.code == "AS9011" and "could not answer" in error.message, error.body
    assert turns() == before + 2, "a failed agent was run again"
    ok("an agent that fails is not run again by the client")

    context = f"ctx_{int(time.time() * 1000)}"
    for text in ["one", "two"]:
        answer = ai.chat.completions.create(
            model="Echo", messages=[{"role": "user", "content": text}], extra_body={"metadata": {"contextId": context}})
        assert answer.contexture["contextId"] == context, answer
    assert [past["text"] for past in answer.contexture["value"]["messages"]] == ["one", "one"], answer
    answer = ai.chat.completions.create(
        model="Slow", messages=[{"role": "user", "content": "three"}], stream=True, extra_headers={"X-Context-Id": context})
    assert "".join(chunk.choices[0].delta.content or "" for chunk in answer).split()[0] == "word0"
    kept = json.loads(get(f"/v1/contexts/{context}"))
    assert [one["type"] for one in kept["messages"]] == ["USER_INPUT", "MODEL_RESPONSE"] * 3, kept
    ok("a context that is named keeps what is said")

    stream = ai.chat.completions.create(model="Slow", messages=[{"role": "user", "content": "forever"}], stream=True)
    seen = 0
    for chunk in stream:
        seen += 1
        if seen == 5:
            break
    stream.close()
    for _ in range(100):
        if told()[-1] == "left alone":
            break
        time.sleep(0.05)
    assert told()[-1] == "left alone", told()[-3:]
    for _ in range(100):
        if "contexture_turns_running 0" in get("/metrics"):
            break
        time.sleep(0.05)
    assert 'contexture_turns_total{agent="Slow",outcome="cancelled"} 1' in get("/metrics"), get("/metrics")
    try:
        ai.with_options(timeout=0.5).chat.completions.create(model="Slow", messages=[{"role": "user", "content": "forever"}])
        raise AssertionError("no time-out")
    except openai.APITimeoutError:
        pass
    for _ in range(100):
        if 'contexture_turns_total{agent="Slow",outcome="cancelled"} 2' in get("/metrics"):
            break
        time.sleep(0.05)
    assert 'contexture_turns_total{agent="Slow",outcome="cancelled"} 2' in get("/metrics"), get("/metrics")
    ok("a client that goes away ends its turn")

    async def together():
        async with openai.AsyncOpenAI(base_url=url + "/v1", api_key="sk-whatever", max_retries=0) as many:
            async def one(number):
                said = await many.chat.completions.create(
                    model="Echo", messages=[{"role": "user", "content": f"number {number}"}])
                return said.choices[0].message.content
            assert await asyncio.gather(*map(one, range(20))) == [f"number {n}" for n in range(20)]
            stream = await many.chat.completions.create(
                model="Slow", messages=[{"role": "user", "content": "Go"}], stream=True)
            said = [chunk.choices[0].delta.content or "" async for chunk in stream]
            assert "".join(said).split() == [f"word{n}" for n in range(6)], said

    asyncio.run(together())
    ok("twenty at once, and a stream, without threads")

    page = get("/metrics")
    for line in [
        'contexture_tokens_total{model="openai+http://127.0.0.1:',
        'contexture_http_requests_total{route="/v1/chat/completions",status="200"}',
        'contexture_http_requests_total{route="/v1/models/{*id}",status="404"} 1',
        'contexture_messages_total{type="USER_INPUT",outcome="ok"} 3',
        "contexture_turn_duration_seconds_count ",
    ]:
        assert line in page, (line, page)
    assert "北京" not in page and context not in page
    assert json.loads(get("/healthz"))["status"] == "ok" and json.loads(get("/readyz"))["status"] == "ready"
    ok("it stands in the figures")


def tokens(url, token, reader):
    import openai

    def ai(key):
        return openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0)

    asked = {"model": "Echo", "messages": [{"role": "user", "content": "x"}]}
    assert ai(token).chat.completions.create(**asked).choices[0].message.content == "x"
    for work in [lambda key: ai(key).models.list(), lambda key: ai(key).chat.completions.create(**asked)]:
        try:
            work("sk-wrong")
            raise AssertionError("a wrong key came in")
        except openai.AuthenticationError as error:
            assert error.code == "invalid_api_key" and error.status_code == 401, error.body
    assert len(ai(reader).models.list().data) == 4
    try:
        ai(reader).chat.completions.create(**asked)
        raise AssertionError("a token that may only read had an agent run")
    except openai.PermissionDeniedError as error:
        assert "run" in error.message, error.body
    print("ok: keys are tokens: a wrong one and one that may only read are refused")


if __name__ == "__main__":
    if sys.argv[1] == "model":
        model(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == "client":
        client(sys.argv[2], sys.argv[3])
    else:
        tokens(*sys.argv[2:5])

"""A model in OpenAI's form for the checks of the doors for OpenAI's clients: python3 openai_model.py PORT FILE

It does what the request asks for: it calls the tools that it is offered, once for each town in the text, says what
tools gave it, fills in schemas, and says `one two three` otherwise. FILE gets each request as a line of JSON.
"""

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOWNS = ["Paris", "Rome", "Boston", "San Francisco", "Oslo"]
LOCK = threading.Lock()


def filled(schema, root, depth=0):
    """A value of a schema."""
    if "$ref" in schema:
        found = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            found = found[part] if part else found
        return filled(found, root, depth + 1) if depth < 8 else {}
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return filled(schema[word][-1 if depth > 3 else 0], root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        needed = schema.get("required", list(schema.get("properties", {})))
        return {name: filled(schema["properties"][name], root, depth + 1) for name in needed}
    if kind == "array":
        return [filled(schema.get("items", {"type": "string"}), root, depth + 1)] * 2 if depth < 6 else []
    return {"string": "Größe “7”\n", "integer": 7, "number": 1.5, "boolean": True, "null": None}.get(kind, {"any": 1})


def content(message):
    text = message.get("content") or ""
    return text if isinstance(text, str) else "".join(part.get("text", "") for part in text)


def answer(asked):
    """Text and calls."""
    last = asked["messages"][-1]
    said = content(last)
    tools = [tool["function"] for tool in asked.get("tools") or []]
    choice = asked.get("tool_choice", "auto")
    if last["role"] == "tool":
        given = [content(message) for message in asked["messages"] if message["role"] == "tool"]
        return "The tools said: " + " | ".join(given), []
    if isinstance(choice, dict):
        tools = [tool for tool in tools if tool["name"] == choice["function"]["name"]]
    if tools and choice != "none" and "without a tool" not in said:
        towns = [town for town in TOWNS if town in said] or TOWNS[:1]
        if asked.get("parallel_tool_calls") is False:
            towns = towns[:1]
        schema = tools[0].get("parameters") or {}
        arguments = [filled(schema, schema) if schema.get("properties") else {} for _ in towns]
        for given, town in zip(arguments, towns):
            for name in ("location", "city"):
                if name in given:
                    given[name] = town
        return "Let me look.", [(tools[0]["name"], json.dumps(one, ensure_ascii=False)) for one in arguments]
    form = asked.get("response_format") or {}
    if form.get("type") == "json_schema":
        schema = form["json_schema"]["schema"]
        return json.dumps(filled(schema, schema), ensure_ascii=False), []
    if form.get("type") == "json_object":
        return '{"a": [1, "two"], "b": {"c": null}}', []
    repeated = re.findall(r"repeat <<(.*?)>>", said, re.S)
    return (repeated[-1] if repeated else "one two three"), []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with LOCK, open(sys.argv[2], "a") as out:
            print(json.dumps(asked), file=out)
        text, calls = answer(asked)
        calls = [
            {"index": at, "id": f"call_{len(asked['messages'])}_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for at, (name, arguments) in enumerate(calls)
        ]
        finish = "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": 11, "completion_tokens": 6, "total_tokens": 17}
        if not asked.get("stream"):
            for call in calls:
                del call["index"]
            message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
            return self.whole({
                "id": "1", "object": "chat.completion", "created": 1, "model": "stub", "usage": usage,
                "choices": [{"index": 0, "finish_reason": finish, "message": message}],
            })
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for at in range(0, len(text), 3):
            self.event({"content": text[at:at + 3]}, None)
        for call in calls:
            arguments = call["function"]["arguments"]
            self.event({"tool_calls": [{**call, "function": {"name": call["function"]["name"], "arguments": ""}}]}, None)
            for at in range(0, len(arguments), 5):
                part = {"index": call["index"], "function": {"arguments": arguments[at:at + 5]}}
                self.event({"tool_calls": [part]}, None)
        self.event({}, finish, usage)
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def whole(self, body):
        body = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def event(self, delta, finish, usage=None):
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "stub",
                 "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

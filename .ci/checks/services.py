"""A user, a model service and a tool service, each a process of its own, play the example 9.1 of the protocol's
source through `contexture serve` (WA-6).

  python3 services.py tool PORT TOKEN LOG [stuck]   registers weather_api, and answers calls; stuck never does
  python3 services.py model PORT TOKEN EXAMPLES     answers what users say with the messages of the source
  python3 services.py user PORT TOKEN EXAMPLES      asks, and checks what it is told
"""

import base64
import json
import os
import re
import socket
import struct
import sys


class Client:
    """A WebSocket client that knows as much of the protocol as it needs."""

    def __init__(self, port, token, name, kind):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.sender = {"id": name, "type": kind}
        self.count = 0
        key = base64.b64encode(os.urandom(16)).decode()
        # A server without tokens needs none.
        access = f"Authorization: Bearer {token}\r\n" if token else ""
        self.stream.sendall(
            f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{access}\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.read(1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        self.send("HELLO", {"protocolVersion": "1.0.0"})
        assert self.next()["type"] == "WELCOME"

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.stream.recv(count - len(data))
            assert piece, "the connection is closed"
            data += piece
        return data

    def frame(self, opcode, payload):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        self.stream.sendall(head + mask + masked)

    def whole(self, message):
        self.frame(1, json.dumps(message).encode())
        return message["messageId"]

    def send(self, kind, content, context=None, reply=None):
        self.count += 1
        message = {
            "messageId": f"{self.sender['id']}_{os.getpid()}_{self.count}",
            "timestamp": "2026-01-01T09:00:00Z",
            "type": kind,
            "sender": self.sender,
            "content": content,
        }
        if context:
            message["contextId"] = context
        if reply:
            message["metadata"] = {"inReplyTo": reply}
        return self.whole(message)

    def next(self):
        while True:
            first, second = self.read(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack(">H", self.read(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self.read(8))
            payload = self.read(size)
            if first & 0x0F == 9:
                self.frame(10, payload)
            elif first & 0x0F == 1:
                return json.loads(payload)
            else:
                raise SystemExit(f"the server closes: {payload!r}")

    def until(self, *kinds):
        while True:
            message = self.next()
            if message["type"] in kinds:
                return message
            assert message["type"] != "ERROR_RESPONSE", message


def example(folder, name):
    text = open(os.path.join(folder, name + ".jsonc"), encoding="utf-8").read()
    return json.loads(re.sub(r"(?m)\s//.*$", "", text))


def tool(port, token, log, is_stuck):
    client = Client(port, token, "weather_1", "TOOL")
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    weather = {"toolId": "weather_api", "class": "read", "parameters": schema}
    client.send("TOOL_REGISTRATION", {"clientId": "weather_1", "runtime": "BACKEND", "supportedTools": [weather]})
    while True:
        # A call that waited may come before the ACK.
        message = client.until("ACK", "TOOL_CALL_REQUEST")
        with open(log, "a", encoding="utf-8") as lines:
            lines.write(f"{'call' if message['type'] != 'ACK' else 'ready'}\n")
        if message["type"] == "ACK" or is_stuck:
            continue
        call = message["content"]["calls"][0]
        result = {"callId": call["callId"], "status": "SUCCESS",
                  "result": {"city": call["parameters"]["city"], "temperature": "5°C", "by": os.getpid()}}
        client.send("TOOL_CALL_RESPONSE", {"results": [result]}, message["contextId"], message["messageId"])


def model(port, token, examples):
    client = Client(port, token, "model_gpt4", "MODEL")
    wish, answer = example(examples, "9_1_2"), example(examples, "9_1_4")
    while True:
        asked = client.until("USER_INPUT")
        at = asked["messageId"]
        client.whole({**wish, "messageId": f"wish_{at}", "contextId": asked["contextId"]})
        results = client.until("TOOL_CALL_RESPONSE")["content"]["results"]
        assert results[0]["status"] == "SUCCESS", results
        client.whole({**answer, "messageId": f"said_{at}", "contextId": asked["contextId"]})


def user(port, token, examples):
    client = Client(port, token, "user_123", "USER")
    question = example(examples, "9_1_1")
    client.whole(question)
    wish = client.until("MODEL_RESPONSE")
    assert wish["content"]["finishReason"] == "TOOL_CALLS", wish
    results = client.until("TOOL_CALL_RESPONSE")
    assert results["sender"]["id"] == "system", results
    assert results["content"]["results"][0]["result"]["temperature"] == "5°C", results
    answer = client.until("MODEL_RESPONSE")
    assert answer["content"] == example(examples, "9_1_4")["content"], answer
    assert answer["metadata"]["inReplyTo"] == question["messageId"], answer
    print(results["content"]["results"][0]["result"]["by"])


if __name__ == "__main__":
    task, port, token, rest = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    if task == "tool":
        tool(port, token, rest[0], "stuck" in rest)
    elif task == "model":
        model(port, token, rest[0])
    else:
        user(port, token, rest[0])

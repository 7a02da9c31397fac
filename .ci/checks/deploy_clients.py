"""People who talk to servers behind a proxy while those are updated, and a page that leaves a call unanswered
meanwhile (WA-13). Every request succeeds, and the call is answered at the end.

  python3 deploy_clients.py URL TOKEN FOLDER

Makes FOLDER/talking when all talk, ends after FOLDER/updated is there, and writes what came of it into FOLDER/told.
"""

import http.client
import json
import os
import pathlib
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(__file__))
from services import Client  # noqa: E402

TALKERS = 8
url, token, folder = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
faults, counts, slowest = [], [0] * TALKERS, [0.0] * TALKERS


def message(kind, identity, content, context=None):
    whole = {"messageId": identity, "timestamp": "2026-01-01T09:00:00Z", "type": kind,
             "sender": {"id": "ann", "type": "USER"}, "content": content}
    return {**whole, "contextId": context} if context else whole


def asked(connection, method, path, body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    if answer.status != 200:
        raise RuntimeError(f"{method} {path} is answered with {answer.status}: {text}")
    return json.loads(text)


def connected():
    return http.client.HTTPConnection(url.hostname, url.port, timeout=30)


def is_over():
    return bool(faults) or (folder / "updated").exists()


def talk(one):
    """Half of them keep their connection."""
    context, connection = None, connected()
    try:
        while not is_over():
            began = time.monotonic()
            said = message("USER_INPUT", f"said_{one}_{counts[one]}", {"text": f"你好 {counts[one]}"}, context)
            answer = asked(connection, "POST", "/v1/messages", said)
            if answer["type"] != "MODEL_RESPONSE":
                raise RuntimeError(f"an answer is {answer}")
            context = answer["contextId"]
            counts[one] += 1
            slowest[one] = max(slowest[one], time.monotonic() - began)
            if one % 2:
                connection.close()
                connection = connected()
        stored = asked(connection, "GET", f"/v1/contexts/{context}/messages?before=&limit=1000")["messages"]
        answers = [m["metadata"]["inReplyTo"] for m in stored if m["type"] == "MODEL_RESPONSE"]
        if len(set(answers)) != len(answers):
            raise RuntimeError("a message has two answers")
    except Exception as error:  # noqa: BLE001: each is a finding
        faults.append(f"talker {one} after {counts[one]} messages: {error!r}")


class Page:
    """A page with a tool that thinks for a long time."""

    def __init__(self):
        self.seen, self.client = [], None

    def connect(self):
        while True:
            try:
                self.client = Client(url.port, token, "page_1", "USER")
                return
            except (OSError, AssertionError):
                time.sleep(0.2)

    def next(self):
        """Gives the next message; after a break it is that of a new connection."""
        while True:
            try:
                return self.client.next()
            except TimeoutError:
                raise
            except (OSError, AssertionError, SystemExit):
                self.connect()

    def call(self):
        """Waits for the call."""
        while True:
            came = self.next()
            if came["type"] == "ERROR_RESPONSE":
                raise RuntimeError(f"the page is told {came}")
            if came["type"] == "TOOL_CALL_REQUEST":
                self.seen.append(came["content"]["calls"][0]["callId"])
                return came


def main():
    context = asked(connected(), "POST", "/v1/messages", message("USER_INPUT", "first", {"text": "hello"}))["contextId"]
    page = Page()
    page.connect()
    tool = {"toolId": "pick", "runtime": "FRONTEND", "class": "read", "permissionLevel": "NONE",
            "parameters": {"type": "object"}}
    page.client.send("CLIENT_CAPABILITIES", {"clientId": "page_1", "supportedTools": [tool]})
    call = {"callId": "p", "name": "pick", "runtime": "FRONTEND", "parameters": {}}
    page.client.send("TOOL_CALL_REQUEST", {"calls": [call]}, context)
    page.call()

    talkers = [threading.Thread(target=talk, args=(one,)) for one in range(TALKERS)]
    for one in talkers:
        one.start()
    (folder / "talking").touch()
    page.client.stream.settimeout(1)
    last = None
    while not is_over():
        try:
            last = page.call()
            page.client.stream.settimeout(1)
        except TimeoutError:
            pass
    for one in talkers:
        one.join()
    if faults:
        sys.exit("\n".join(faults))
    if last is None or set(page.seen) != {"p"}:
        sys.exit(f"the page was sent {page.seen}")
    page.client.stream.settimeout(30)
    result = {"callId": "p", "status": "SUCCESS", "result": {"file": "f"}}
    page.client.send("TOOL_CALL_RESPONSE", {"results": [result]}, context, last["messageId"])
    for _ in range(100):
        stored = asked(connected(), "GET", f"/v1/contexts/{context}/messages?limit=1000")["messages"]
        told = [m["content"]["results"] for m in stored if m["type"] == "TOOL_CALL_RESPONSE"]
        if told:
            break
        time.sleep(0.1)
    if [r["status"] for results in told for r in results] != ["SUCCESS"]:
        sys.exit(f"the call that waited has {told}")
    waits = asked(connected(), "GET", "/v1/waits")["waits"]
    if waits:
        sys.exit(f"still waits: {waits}")
    text = (f"{sum(counts)} messages answered, none failed, the slowest after {max(slowest):.1f} s; a call waited over it, "
            f"was sent {len(page.seen)} times under one id and answered once")
    (folder / "told").write_text(text)


main()

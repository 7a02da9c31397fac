"""Servers on one database, killed and stopped under load; what they do is counted by an address of its own (WA-11).

  python3 cluster.py CONTEXTURE FOLDER DATABASE SECONDS
"""

import http.client
import http.server
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from services import Client

WRITERS = 64
# What a server is given to notice that another one is gone, and to go on with its work.
LONGEST = 5.0
# The longest wait of a writer under load. The bar is LONGEST, on a machine that does nothing else.
LONGEST_WAIT = float(os.environ.get("CONTEXTURE_CLUSTER_LONGEST", "40"))
# What is refused for now: the database is busy, or the server ends.
PASSING = ("INTERNAL", "RATE_LIMITED")
ANSWERS = ("MODEL_RESPONSE", "ERROR_RESPONSE", "TOOL_CALL_RESPONSE", "INSTRUCTION_RESPONSE")


class Oracle:
    """An address that counts what is sent to it, by its id."""

    def __init__(self):
        self.lock, self.effects = threading.Lock(), {}
        oracle = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with oracle.lock:
                    oracle.effects[body["id"]] = oracle.effects.get(body["id"], 0) + 1
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def count(self, name):
        with self.lock:
            return self.effects.get(name, 0)

    def doubled(self):
        with self.lock:
            return [name for name, count in self.effects.items() if count > 1]



PROGRAM = """import tool Page from "frontend://pick"
import tool Web from "http://{oracle}"

main func(input {{ text string }}) {{
  picked = Page.run({{ what: input.text }})
  Web.post({{ url: "/effect", body: {{ id: input.text }} }})
  return {{ picked: picked }}
}}
"""

SETTINGS = """[network]
allow_private = ["{oracle}"]

[serve]
actions = ["effect"]

[serve.tools]
effect = {{ http = "http://{oracle}/effect", kind = "action" }}
"""


def free_port():
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Server:
    """A server with a folder of its own."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.folder = os.path.join(cluster.folder, name)
        self.port, self.process = free_port(), None
        os.makedirs(self.folder, exist_ok=True)
        for file, text in [("ask.as", PROGRAM), ("contexture.toml", SETTINGS)]:
            with open(os.path.join(self.folder, file), "w", encoding="utf-8") as out:
                out.write(text.format(oracle=cluster.oracle.address))
        self.start()

    def start(self):
        self.log = os.path.join(self.cluster.folder, f"{self.name}.log")
        with open(self.log, "ab") as log:
            command = [self.cluster.contexture, "serve", "ask.as", "--listen", f"127.0.0.1:{self.port}",
                       "--data", self.cluster.database]
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)

    def ready(self):
        for _ in range(600):
            assert self.process.poll() is None, f"{self.name} ended: {open(self.log).read()[-2000:]}"
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"{self.name} is not up")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, body=None, timeout=30):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text.startswith(b"{") else text

    def page(self, name):
        """A client with the tool `pick`."""
        client = Client(self.port, None, name, "USER")
        client.stream.settimeout(20)
        return client


def announce(client):
    schema = {"type": "object", "properties": {"what": {"type": "string"}}}
    tools = [{"toolId": "pick", "runtime": "FRONTEND", "parameters": schema},
             {"toolId": "confirm_action", "runtime": "FRONTEND"}]
    name = client.sender["id"]
    client.send("CLIENT_CAPABILITIES", {"clientId": name, "supportedTools": tools})
    # What waited for it may come first.
    before = []
    while True:
        message = client.next()
        if message["type"] == "ACK":
            return before
        before.append(message)


def say(client, context, text):
    return client.send("USER_INPUT", {"text": text}, context)


def asked(client):
    """The next call: its id, the id of its message, its context."""
    message = client.until("TOOL_CALL_REQUEST")
    return message["content"]["calls"][0]["callId"], message["messageId"], message["contextId"]


def answer(client, call, result=1):
    name, message, context = call
    results = [{"callId": name, "status": "SUCCESS", "result": result}]
    client.send("TOOL_CALL_RESPONSE", {"results": results}, context, message)


class Cluster:
    def __init__(self, contexture, folder, database):
        self.contexture, self.folder, self.database = contexture, folder, database
        self.oracle, self.servers = Oracle(), []

    def server(self, name):
        server = Server(self, name)
        self.servers.append(server)
        return server

    def end(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.send_signal(signal.SIGCONT)
                server.process.terminate()
        for server in self.servers:
            try:
                server.process.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()


def answered(server, context, message, seconds=15):
    """Waits for the answer to a message, as a server reads it."""
    until = time.time() + seconds
    while time.time() < until:
        status, page = server.call("GET", f"/v1/contexts/{context}/messages")
        for one in page["messages"] if status == 200 else []:
            about = (one.get("metadata") or {}).get("inReplyTo")
            if about == message and one["type"] in ANSWERS:
                return one
        time.sleep(0.05)
    raise SystemExit(f"no answer to {message} in {context}: {page}")


def ok(text):
    print(f"ok: {text}", flush=True)


def slice_of_two(cluster):
    a, b = cluster.server("a"), cluster.server("b")
    a.ready()
    b.ready()
    status, made = a.call("POST", "/v1/contexts", {"contextId": "ctx_read", "state": {"text": "你好"}})
    assert status == 201, made
    assert a.call("GET", "/v1/contexts/ctx_read/export") == b.call("GET", "/v1/contexts/ctx_read/export")
    assert b.call("POST", "/v1/contexts", {"contextId": "ctx_read"})[0] == 409
    ok("what one of two servers acknowledged, the other reads")

    page = a.page("page_1")
    announce(page)
    message = say(page, "ctx_1", "once")
    call = asked(page)
    steps = [{"instructionId": "p", "action": "pick", "runtime": "FRONTEND", "parameters": {"what": "x"}},
             {"instructionId": "e", "action": "effect", "parameters": {"id": "set"}, "dependencies": ["p"]}]
    of_set = page.send("INSTRUCTION", {"instructions": steps}, "ctx_2")
    call_of_set = asked(page)
    time.sleep(1.5)
    version = b.call("GET", "/v1/contexts/ctx_1")[1]["version"]
    assert cluster.oracle.effects == {}, cluster.oracle.effects
    a.kill()
    killed = time.time()
    page = b.page("page_1")
    again = [asked(page), asked(page)]
    assert sorted(one[0] for one in again) == sorted([call[0], call_of_set[0]]), (again, call, call_of_set)
    ok("a client that comes back on the other server gets its calls again, by the same ids")
    announce(page)
    page.send("SUBSCRIBE", {"contextId": "ctx_1", "since": version}, "ctx_1")
    page.until("ACK")
    for one in again:
        answer(page, one)
    delta = page.until("CONTEXT_DELTA")
    assert delta["content"]["version"] > version
    told = answered(b, "ctx_1", message)
    assert told["type"] == "MODEL_RESPONSE" and told["metadata"]["value"] == {"picked": 1}, told
    took = time.time() - killed
    done = answered(b, "ctx_2", of_set)
    assert done["type"] != "ERROR_RESPONSE", done
    assert (cluster.oracle.count("once"), cluster.oracle.count("set")) == (1, 1), cluster.oracle.effects
    assert took < 2 * LONGEST, took
    ok(f"a turn and a set that waited on a killed server end on another one after {took:.1f} s, each effect once")
    return b


def message(name, kind, context, content):
    return {"messageId": name, "timestamp": "2026-01-01T09:00:00Z", "type": kind, "contextId": context,
            "sender": {"id": "writer", "type": "USER"}, "content": content}


def across(cluster, b):
    """Calls, answers, changes and orders over two servers that live."""
    c = cluster.server("c").ready()
    page = b.page("page_2")
    announce(page)
    page.send("SUBSCRIBE", {"contextId": "ctx_read"}, "ctx_read")
    page.until("ACK")
    c.call("POST", "/v1/messages", message("u1", "CONTEXT_UPDATE", "ctx_read",
                                           {"operation": "UPDATE_STATE", "path": "text", "value": "好"}))
    began = time.time()
    delta = page.until("CONTEXT_DELTA")
    assert delta["content"]["changes"][0]["value"] == "好", delta
    assert time.time() - began < 1, time.time() - began
    ok("a subscription follows what another server changed")

    # The turn runs on one server, and its client is on the other one.
    time.sleep(1)
    told = {}
    turn = threading.Thread(target=lambda: told.update(a=c.call(
        "POST", "/v1/messages", message("t1", "USER_INPUT", "ctx_3", {"text": "far"}))))
    turn.start()
    call = asked(page)
    second = threading.Thread(target=lambda: told.update(b=b.call(
        "POST", "/v1/messages", message("t2", "USER_INPUT", "ctx_3", {"text": "next"}))))
    second.start()
    repeated = threading.Thread(target=lambda: told.update(c=b.call(
        "POST", "/v1/messages", message("t1", "USER_INPUT", "ctx_3", {"text": "far"}))))
    repeated.start()
    time.sleep(1)
    assert cluster.oracle.count("far") == 0
    answer(page, call)
    turn.join()
    repeated.join()
    assert told["a"][1]["type"] == "MODEL_RESPONSE", told
    assert told["c"][1]["messageId"] == told["a"][1]["messageId"], told
    ok("a call reaches the server that has the client, whose answer wakes the turn on the other one")
    ok("a message that is sent again to another server gets the same answer")
    call = asked(page)
    status, listed = c.call("GET", "/v1/waits")
    assert [one["callId"] for one in listed["waits"]] == [call[0]], listed
    status, answered_now = c.call("POST", f"/v1/waits/{call[0]}", {"status": "SUCCESS", "result": 2})
    assert status == 200, answered_now
    second.join()
    assert told["b"][1]["metadata"]["value"] == {"picked": 2}, told
    status, page_of = b.call("GET", "/v1/contexts/ctx_3/messages")
    order = [one["metadata"].get("inReplyTo") for one in page_of["messages"] if one["type"] == "MODEL_RESPONSE"]
    assert [one for one in order if one] and order == ["t1", "t2"], order
    ok("the turns of a context run in the order of its messages, whichever servers got them")

    told.clear()
    turn = threading.Thread(target=lambda: told.update(a=c.call(
        "POST", "/v1/messages", message("t3", "USER_INPUT", "ctx_3", {"text": "cancelled"}))))
    turn.start()
    call = asked(page)
    # One that waits, nothing works on.
    time.sleep(1.2)
    page.send("CONTROL", {"action": "CANCEL", "target": "t3"}, "ctx_3")
    page.until("ACK")
    turn.join(10)
    assert told["a"][1]["content"]["errorCode"] == "CANCELLED", told
    assert cluster.oracle.count("cancelled") == 0
    ok("a turn is cancelled through another server")

    b.call("DELETE", "/v1/contexts/ctx_read")
    c.call("POST", "/v1/contexts", {"contextId": "ctx_gone"})
    page.send("SUBSCRIBE", {"contextId": "ctx_gone"}, "ctx_gone")
    page.until("ACK")
    c.call("DELETE", "/v1/contexts/ctx_gone")
    while True:
        notice = page.until("SYSTEM_MESSAGE")
        if notice["contextId"] == "ctx_gone":
            break
    ok("a context that another server deleted ends its subscriptions")
    return c


def slept(cluster, b, c):
    """A server that sleeps through its lease does nothing more; what it had is another one's."""
    page = c.page("page_3")
    announce(page)
    told = say(page, "ctx_4", "asleep")
    call = asked(page)
    time.sleep(1.2)
    c.process.send_signal(signal.SIGSTOP)
    page = b.page("page_3")
    assert asked(page)[0] == call[0]
    announce(page)
    began = time.time()
    answer(page, call)
    assert answered(b, "ctx_4", told)["type"] == "MODEL_RESPONSE"
    took = time.time() - began
    c.process.send_signal(signal.SIGCONT)
    ended = c.process.wait(20)
    text = open(c.log, encoding="utf-8").read()
    assert ended != 0 and "another one took over" in text, (ended, text[-1000:])
    time.sleep(1)
    status, page_of = b.call("GET", "/v1/contexts/ctx_4/messages")
    answers = [one for one in page_of["messages"] if one["type"] in ANSWERS and one["type"] != "TOOL_CALL_RESPONSE"]
    assert len(answers) == 1 and cluster.oracle.count("asleep") == 1, (answers, cluster.oracle.effects)
    assert took < 2 * LONGEST, took
    ok(f"a server that slept is followed by another one after {took:.1f} s, writes nothing more and ends (SRV1011)")


class Counts:
    def __init__(self):
        self.lock = threading.Lock()
        self.times, self.uncertain, self.longest, self.faults = {}, 0, (0.0, ""), []

    def note(self, kind, took, what):
        with self.lock:
            self.times.setdefault(kind, []).append(took)
            self.longest = max(self.longest, (took, f"{kind} {what}"))

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def waits(self):
        """How long the writers of each kind waited."""
        for kind, times in sorted(self.times.items()):
            times = sorted(times)
            half, most = times[len(times) // 2], times[len(times) * 99 // 100]
            late = [sum(took > limit for took in times) for limit in (2, LONGEST)]
            yield (f"{kind}: {len(times)}, half within {half:.2f} s, 99 of 100 within {most:.2f} s, "
                   f"{late[0]} over 2 s, {late[1]} over {LONGEST:.0f} s")


class Load:
    """Writers that lose no patience: what a server did not answer is sent again to another one."""

    def __init__(self, cluster, servers):
        self.cluster, self.servers, self.counts = cluster, servers, Counts()
        self.is_over, self.acknowledged, self.current = threading.Event(), {}, {}

    def send(self, one):
        """Sends a message until it is answered."""
        while True:
            server = random.choice(self.servers)
            try:
                status, told = server.call("POST", "/v1/messages", one, timeout=20)
                # What the server itself calls passing is tried again.
                is_answer = isinstance(told, dict) and told.get("type") in (*ANSWERS, "ACK")
                if is_answer and told["content"].get("errorCode") not in PASSING:
                    return told
            except (OSError, ValueError, http.client.HTTPException):
                pass
            time.sleep(0.02)

    def update(self, writer, number):
        name, context = f"m_{writer}_{number}", f"load_{writer}"
        inner = {"messageId": f"{name}_in", "type": "USER_INPUT", "content": {"text": name}}
        told = self.send(message(name, "CONTEXT_UPDATE", context, {"operation": "ADD_MESSAGE", "message": inner}))
        if told["type"] != "ACK":
            return self.counts.fault(f"{name}: {told}")
        self.acknowledged.setdefault(context, []).append(f"{name}_in")

    def set(self, writer, number):
        name, context = f"s_{writer}_{number}", f"load_{writer}"
        steps = [{"instructionId": "e", "action": "effect", "parameters": {"id": name}}]
        told = self.send(message(name, "INSTRUCTION", context, {"instructions": steps}))
        results = told["content"].get("results") or [{}]
        is_done = told["type"] == "INSTRUCTION_RESPONSE" and results[0].get("status") == "COMPLETED"
        count = self.cluster.oracle.count(name)
        if is_done and count != 1 or count > 1:
            return self.counts.fault(f"{name}: {count} effects, {told}")
        if not is_done:
            if "OUTCOME_UNCERTAIN" not in json.dumps(told):
                return self.counts.fault(f"{name}: {told}")
            with self.counts.lock:
                self.counts.uncertain += 1

    def turn(self, writer, number, state):
        """A turn that asks its page, which is on any server and comes back to any."""
        name, context = f"t_{writer}_{number}", f"load_{writer}"
        asking = message(name, "USER_INPUT", context, {"text": name})
        # Its calls are for the page that asks: another one may not come back.
        asking["sender"]["id"] = f"page_load_{writer}"
        if state.get("page"):
            try:
                state["page"].whole(asking)
            except OSError:
                state["page"] = None
        done, before = False, []
        while not done:
            try:
                if state.get("page") is None:
                    page = random.choice(self.servers).page(f"page_load_{writer}")
                    before = announce(page)
                    state["page"] = page
                    page.whole(asking)
                one = before.pop(0) if before else state["page"].next()
                if one["type"] == "TOOL_CALL_REQUEST":
                    call = one["content"]["calls"][0]["callId"], one["messageId"], one["contextId"]
                    answer(state["page"], call, name)
                about = (one.get("metadata") or {}).get("inReplyTo")
                if one["type"] == "ERROR_RESPONSE" and one["content"]["errorCode"] in PASSING:
                    time.sleep(0.2)
                    state["page"].whole(asking)
                elif one["type"] in ("MODEL_RESPONSE", "ERROR_RESPONSE") and about == name:
                    done = True
            except (OSError, AssertionError, SystemExit, ValueError):
                state["page"] = None
                time.sleep(0.02)
        count = self.cluster.oracle.count(name)
        if one["type"] == "MODEL_RESPONSE" and count != 1 or count > 1:
            return self.counts.fault(f"{name}: {count} effects, {one}")
        if one["type"] == "ERROR_RESPONSE":
            if one["content"]["errorCode"] != "OUTCOME_UNCERTAIN":
                return self.counts.fault(f"{name}: {one}")
            with self.counts.lock:
                self.counts.uncertain += 1

    def writer(self, number):
        kind = "turn" if number % 4 == 0 else "set" if number % 4 == 1 else "update"
        state, count = {}, 0
        while not self.is_over.is_set():
            began, count = time.time(), count + 1
            self.current[number] = (f"{kind[0].replace('u', 'm')}_{number}_{count}", f"load_{number}")
            try:
                if kind == "turn":
                    self.turn(number, count, state)
                else:
                    getattr(self, kind)(number, count)
            except Exception as error:
                self.counts.fault(f"{kind} {number}: {error!r}")
                return
            self.counts.note(kind, time.time() - began, f"{number}/{count}")
            time.sleep(0.05)

    def stuck(self, number):
        """What the servers know of the message that a writer still waits for."""
        name, context = self.current[number]
        _, page = self.servers[0].call("GET", f"/v1/contexts/{context}/messages?before=&limit=20")
        about = [one for one in page["messages"] if name in json.dumps(one)]
        _, waits = self.servers[0].call("GET", "/v1/waits?limit=500")
        waits = [one for one in waits["waits"] if one["contextId"] == context]
        return f"{name}: {json.dumps(about)}; waits {waits}; effects {self.cluster.oracle.count(name)}"

    def lost(self):
        missing = doubled = 0
        for context, names in self.acknowledged.items():
            found, after = [], 0
            while after is not None:
                status, page = self.servers[0].call("GET", f"/v1/contexts/{context}/messages?after={after}&limit=500")
                found += [one["messageId"] for one in page["messages"]]
                after = page.get("next")
            missing += len(set(names) - set(found))
            doubled += len(found) - len(set(found))
        return missing, doubled


def under_load(cluster, servers, seconds):
    load = Load(cluster, servers)
    writers = [threading.Thread(target=load.writer, args=(number,), daemon=True) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    until, kills = time.time() + seconds, 0
    while time.time() < until:
        time.sleep(5)
        server = random.choice(servers)
        server.kill()
        kills += 1
        time.sleep(0.5)
        server.start()
    for server in servers:
        server.ready()
    load.is_over.set()
    until = time.time() + 60
    for writer in writers:
        writer.join(max(0, until - time.time()))
    stuck = [number for number, writer in enumerate(writers) if writer.is_alive()]
    missing, doubled = load.lost()
    counts = load.counts
    print(f"   {kills} kills of {len(servers)} servers, {WRITERS} writers, {seconds:.0f} s", flush=True)
    for line in counts.waits():
        print(f"   {line}", flush=True)
    print(f"   lost {missing}, doubled {doubled}, effects twice {len(cluster.oracle.doubled())}, "
          f"uncertain {counts.uncertain}, stuck {len(stuck)}, longest wait {counts.longest[0]:.1f} s ({counts.longest[1]})",
          flush=True)
    for fault in counts.faults[:10] + [load.stuck(number) for number in stuck[:10]]:
        print(f"   {fault[:4000]}", flush=True)
    assert not counts.faults and not missing and not doubled and not stuck and not cluster.oracle.doubled()
    return counts.longest[0]


def main():
    contexture, folder, database, seconds = sys.argv[1:]
    cluster = Cluster(contexture, folder, database)
    try:
        b = slice_of_two(cluster)
        c = across(cluster, b)
        slept(cluster, b, c)
        if float(seconds) > 0:
            c.start()
            servers = [b, c.ready(), cluster.server("d").ready()]
            longest = under_load(cluster, servers, float(seconds))
            assert longest <= LONGEST_WAIT, f"a writer waited for {longest:.1f} s, more than {LONGEST_WAIT:.0f} s"
            ok("servers that are killed under load lose nothing and do nothing twice")
    finally:
        cluster.end()


if __name__ == "__main__":
    main()

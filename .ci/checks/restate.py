"""Drives sets over `contexture serve --engine restate=…`, and kills engine and service meanwhile.

Arguments: PROGRAM FOLDER PORT ENGINE ROUNDS, where ENGINE is the address of the ingress and the environment has
RESTATE_COMMAND, the command that starts the engine. Prints the counts of what was lost, doubled and uncertain.
"""

import collections
import http.server
import json
import os
import random
import shlex
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

program, folder, port, engine, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
base = f"http://127.0.0.1:{port}"
effects = collections.Counter()


class Effects(http.server.BaseHTTPRequestHandler):
    """A service that counts what it was asked for, and takes a while."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        effects[told["id"]] += 1
        time.sleep(told.get("ms", 0) / 1000)
        body = json.dumps({"id": told["id"]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 500

    def handle_error(self, *_):
        pass


def asked(method, path, body=None, timeout=120):
    request = urllib.request.Request(base + path, method=method, data=body and json.dumps(body).encode(),
                                     headers={"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def message(name, kind, content):
    return {"messageId": name, "contextId": "ctx", "timestamp": "2026-01-01T00:00:00Z", "type": kind,
            "sender": {"id": "me", "type": "USER"}, "content": content}


def send(name, instructions, mode="PARALLEL", **more):
    content = {"instructions": instructions, "executionMode": mode, **more}
    return asked("POST", "/v1/messages", message(name, "INSTRUCTION", content))


def step(name, action, parameters, **more):
    return {"instructionId": name, "action": action, "parameters": parameters, **more}


class Process:
    """A process that is started and killed again and again."""

    def __init__(self, command, log, probe):
        self.command, self.log, self.probe, self.process = command, log, probe, None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, cwd=folder)
        for _ in range(600):
            try:
                if urllib.request.urlopen(self.probe, timeout=5).status == 200:
                    return
            except (OSError, urllib.error.URLError):
                pass
            if self.process.poll() is not None:
                raise SystemExit(f"{self.command[0]} ended at once")
            time.sleep(0.1)
        raise SystemExit(f"{self.command[0]} is not up after a minute")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()


def outcomes(answer):
    return {one["instructionId"]: one for one in answer["content"]["results"]}


def simple(service):
    """What sets do without a kill: values, conditions, times, retries, control."""
    status, answer = send("m1", [
        step("a", "echo", {"n": 5}),
        step("b", "calculator", {"expression": "1+${dependencies.a.result.n}"}, dependencies=["a"]),
        step("c", "echo", {}, dependencies=["a"], condition="dependencies.a.result.n > 9"),
        step("d", "sleep", {"ms": 60000}, timeout=0.3),
        step("e", "fail", {"code": "X", "message": "m"}, recovery={"strategy": "RETRY", "attempts": 3, "delay": 0.1}),
    ])
    done = outcomes(answer)
    assert status == 200 and done["b"]["result"] == {"value": 6}, answer
    assert done["c"]["reason"]["code"] == "CONDITION_FALSE" and done["d"]["status"] == "TIMEOUT", answer
    assert done["e"]["error"]["code"] == "X" and answer["content"]["status"] == "FAILED", answer
    status, answer = send("m2", [step("late", "sleep", {"ms": 60000}), step("soon", "echo", {})], timeout=0.4)
    done = outcomes(answer)
    assert answer["content"]["status"] == "TIMEOUT" and done["soon"]["status"] == "COMPLETED", answer
    results = []
    waiting = threading.Thread(target=lambda: results.append(send("m3", [step("long", "sleep", {"ms": 60000})])))
    waiting.start()
    time.sleep(1)
    status, answer = asked("POST", "/v1/messages", message("m4", "CONTROL", {"action": "CANCEL", "target": "m3"}))
    assert status == 200, answer
    waiting.join()
    assert outcomes(results[0][1])["long"]["error"]["code"] == "CANCELLED", results
    print("ok: values, conditions, times, retries and CONTROL are those of a server without an engine")


def gone(engine_process):
    """Without its engine the server says so, and takes no set; what runs goes on afterwards."""
    results = []
    running = threading.Thread(target=lambda: results.append(send("g1", [
        step("g_once", "once", {"id": "g_once", "ms": 3000}), step("g_then", "echo", {}, dependencies=["g_once"])])))
    running.start()
    time.sleep(1)
    engine_process.kill()
    for _ in range(100):
        status, told = asked("GET", "/readyz")
        if status == 503:
            break
        time.sleep(0.1)
    assert status == 503 and told["reasons"] == ["the engine of sets does not answer"], told
    status, answer = send("g2", [step("g_refused", "echo", {})])
    content = answer["content"]
    assert status == 503 and content["recoverable"] and content["details"]["violatedPolicies"] == ["engine"], answer
    time.sleep(3)
    engine_process.start()
    running.join()
    done = outcomes(results[0][1])
    assert done["g_once"]["status"] == done["g_then"]["status"] == "COMPLETED" and effects["g_once"] == 1, results
    for _ in range(100):
        status, answer = send("g2", [step("g_refused", "echo", {})])
        if status == 200:
            break
        time.sleep(0.1)
    assert status == 200, answer
    print("ok: an engine that is gone is told, and nothing is lost or done twice")


def kills(service, engine_process):
    """Kills both in turn while sets run, and looks at every effect afterwards."""
    chance, counts = random.Random(12), collections.Counter()
    for number in range(rounds):
        name = f"k{number}"
        steps = [step(f"{name}_o{i}", "once", {"id": f"{name}_o{i}", "ms": chance.randrange(400)}) for i in range(4)]
        steps += [step(f"{name}_a{i}", "again", {"id": f"{name}_a{i}", "ms": chance.randrange(400)}) for i in range(2)]
        before = [one["instructionId"] for one in steps]
        ends = " OR ".join(f"dependencies.{one}.status == 'COMPLETED'" for one in before)
        steps.append(step(f"{name}_end", "echo", {"end": True}, dependencies=before, condition=ends))
        # What came from the web decides about it: a server that forgot that in a crash would send it.
        steps.append(step(f"{name}_denied", "once", {"id": f"{name}_denied"}, dependencies=before, condition=ends))
        answer = []

        def ask():
            while not answer:
                try:
                    status, told = send(name, steps)
                except (OSError, ValueError, urllib.error.URLError):
                    time.sleep(0.1)
                    continue
                if status == 200:
                    answer.append(told)
                elif not told["content"]["recoverable"]:
                    raise SystemExit(f"{name} was refused: {told}")
                else:
                    time.sleep(0.1)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        time.sleep(chance.random() * 0.6)
        victim = service if number % 2 == 0 else engine_process
        victim.kill()
        victim.start()
        asking.join(120)
        if not answer:
            raise SystemExit(f"{name} has no answer")
        for one in outcomes(answer[0]).values():
            judge(one, number % 2 == 0, counts)
    print("counts:", json.dumps({"kills": rounds, **counts}))
    if counts["lost"] or counts["doubled"] or counts["wrong"]:
        raise SystemExit("effects were lost or doubled")
    print("ok: no effect was lost or doubled, and what nobody knows was told uncertain")


def judge(one, was_service, counts):
    name, code = one["instructionId"], one.get("error", {}).get("code")
    times, is_once = effects[name], "_a" not in name
    counts["steps"] += 1
    if name.endswith("_denied"):
        counts["denied" if code == "POLICY_DENIED" and not times else "wrong"] += 1
    elif name.endswith("_end"):
        counts["wrong"] += one["status"] != "COMPLETED"
    elif one["status"] == "COMPLETED":
        counts["lost"] += times == 0
        counts["doubled"] += is_once and times > 1
        counts["repeated"] += not is_once and times > 1
    elif code == "OUTCOME_UNCERTAIN" and is_once and was_service:
        counts["uncertain"] += 1
        counts["doubled"] += times > 1
    else:
        counts["wrong"] += 1
        print("wrong:", json.dumps(one), "times:", times)


def main():
    effects_server = Server(("127.0.0.1", int(os.environ["EFFECTS_PORT"])), Effects)
    threading.Thread(target=effects_server.serve_forever, daemon=True).start()
    engine_process = Process(shlex.split(os.environ["RESTATE_COMMAND"]), os.environ["RESTATE_OUT"],
                             engine + "/restate/health")
    service = Process(
        [program, "serve", "app.as", "--listen", f"127.0.0.1:{port}", "--engine", f"restate={engine}"],
        os.environ["SERVE_OUT"], base + "/readyz")
    try:
        engine_process.start()
        service.start()
        asked("POST", "/v1/contexts", {"contextId": "ctx"})
        simple(service)
        gone(engine_process)
        kills(service, engine_process)
    finally:
        service.kill()
        engine_process.kill()


main()

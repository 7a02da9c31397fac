"""The language server under load: from a keystroke to the faults of the text, and 500 programs at once.

    python3 bench/lsp/run.py target/release/contexture

Each keystroke is a message with one character and the wait for the faults of that version of the text. Needs Linux,
for the memory of the process.
"""

import json
import pathlib
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time

FUNCTION = """func step_%d(input { question string, rows list[{ id integer, name string }] }) {
  notes = "The server listens on port 7878. See the handbook."
  use notes max 200 as notes %d
  for row in input.rows max 20 {
    if row.id > %d { notes = notes + row.name }
  }
  found = generate({ input: input.question, max_output: 300 }) -> { answer string, sure boolean }
  found.answer
}

"""
LINES = FUNCTION.count("\n")


class Server:
    def __init__(self, binary, root):
        self.process = subprocess.Popen(
            [binary, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root
        )
        self.id, self.inbox = 0, queue.Queue()
        # A client that only writes would fill both pipes: the server waits for its faults to be read.
        threading.Thread(target=self.receive, daemon=True).start()
        self.request("initialize", {"capabilities": {}, "rootUri": root.as_uri()})
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self):
        length = 0
        for line in self.process.stdout:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            elif line.strip() == b"":
                self.inbox.put(json.loads(self.process.stdout.read(length)))

    def read(self):
        return self.inbox.get(timeout=120)

    def request(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while (message := self.read()).get("id") != self.id:
            pass
        return message["result"]

    def open(self, uri, text):
        document = {"uri": uri, "languageId": "agentscript", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def faults(self, uri, version):
        while True:
            message = self.read()
            params = message.get("params", {})
            if message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri:
                if params.get("version") == version:
                    return params["diagnostics"]

    def megabytes(self, kind="VmHWM"):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split(kind + ":")[1].split()[0]) / 1024

    def end(self):
        self.request("shutdown", None)
        self.tell("exit", None)
        self.process.wait(10)


def program(lines):
    return "".join(FUNCTION % (at, at, at) for at in range(lines // LINES)) + "main func(input) { step_0(input) }\n"


def keystrokes(binary, lines, times=200):
    root = pathlib.Path(tempfile.mkdtemp())
    server, uri, text = Server(binary, root), (root / "main.as").as_uri(), program(lines)
    server.open(uri, text)
    server.faults(uri, 1)
    middle, took = text.count("\n") // 2 // LINES * LINES + 1, []
    for number in range(times):
        version = number + 2
        at = {"line": middle, "character": 11 + number % 40}
        change = {"range": {"start": at, "end": at}, "text": "x"}
        began = time.perf_counter()
        document = {"uri": uri, "version": version}
        server.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        server.faults(uri, version)
        took.append((time.perf_counter() - began) * 1000)
    memory = server.megabytes()
    server.end()
    cuts = statistics.quantiles(took, n=20)
    print(f"keystroke to faults, {lines:>6} lines: median {statistics.median(took):6.1f} ms, p95 {cuts[18]:6.1f} ms, {memory:.0f} MB")


def many(binary, count=500):
    root = pathlib.Path(tempfile.mkdtemp())
    (root / "lib.as").write_text("agent Lib { func run(x) { x } }\n")
    texts = {}
    for number in range(count):
        text = 'import agent Lib from "lib.as"\n' + program(5 * LINES).replace("step_0(input)", "Lib.run(input)")
        path = root / f"p{number:03}.as"
        path.write_text(text)
        texts[path.as_uri()] = text
    server = Server(binary, root)
    began = time.perf_counter()
    for uri, text in texts.items():
        server.open(uri, text)
    left = set(texts)
    while left:
        message = server.read()
        if message.get("method") == "textDocument/publishDiagnostics":
            left.discard(message["params"]["uri"])
    took = time.perf_counter() - began
    memory = server.megabytes()
    began = time.perf_counter()
    place = {"textDocument": {"uri": next(iter(texts))}, "position": {"line": 0, "character": 14}}
    found = server.request("textDocument/references", {**place, "context": {"includeDeclaration": True}})
    searched = time.perf_counter() - began
    print(f"opening {count} programs: {took:.2f} s, {memory:.0f} MB")
    print(f"references in {count} programs: {len(found)} in {searched:.2f} s, {server.megabytes():.0f} MB")
    server.end()


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    keystrokes(binary, 1_000)
    keystrokes(binary, 10_000)
    many(binary)


main()

"""Turns over HTTP, and what they cost the database and the server.

  turns.py URL PID PSQL PORT NAME TURNS CLIENTS
"""

import http.client
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.parse

url, pid, psql, port, name, turns, clients = sys.argv[1:8]
url, turns, clients = urllib.parse.urlsplit(url), int(turns), int(clients)
run = f"{name.replace(' ', '')}{time.time_ns()}"
QUERY = """select (select xact_commit from pg_stat_database where datname = current_database()),
  pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'),
  (select sum(pg_total_relation_size(c.oid)) from pg_class c where c.relname like 'contexture\\_%' and c.relkind = 'r')"""


def state():
    # What sessions did is told to others a second later.
    time.sleep(1.5)
    out = subprocess.run([psql, "-h", "127.0.0.1", "-p", port, "-U", "contexture", "-d", "postgres", "-qAtX", "-c", QUERY],
                         capture_output=True, text=True, check=True).stdout
    ticks = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return [int(float(one)) for one in out.strip().split("|")] + [int(ticks[11]) + int(ticks[12])]


def talk(one, took):
    connection, context = http.client.HTTPConnection(url.hostname, url.port, timeout=60), None
    for turn in range(turns // clients):
        whole = {"messageId": f"{run}_{one}_{turn}", "timestamp": "2026-01-01T00:00:00Z", "type": "USER_INPUT",
                 "sender": {"id": "me", "type": "USER"}, "content": {"text": "A question of some sixty characters, as people ask them here."}}
        if context:
            whole["contextId"] = context
        began = time.monotonic()
        connection.request("POST", "/v1/messages", json.dumps(whole), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        took.append(time.monotonic() - began)
        assert answer["type"] == "MODEL_RESPONSE", answer
        context = answer["contextId"]


before, took = state(), []
began = time.monotonic()
threads = [threading.Thread(target=talk, args=(one, took)) for one in range(clients)]
for one in threads:
    one.start()
for one in threads:
    one.join()
seconds = time.monotonic() - began
after = state()
done = len(took)
took.sort()
transactions, wal, tables, ticks = (b - a for a, b in zip(before, after))
memory = [line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")][0].split()[1]
print(f"{name:>10}: {done / seconds:7.0f} turns/s, p50 {took[done // 2] * 1000:6.1f} ms, p99 {took[done * 99 // 100] * 1000:6.1f} ms, "
      f"{transactions / done:5.2f} transactions, {wal / done:6.0f} bytes of log, {tables / done:6.0f} bytes of tables a turn, "
      f"{ticks * 10 / done:5.2f} ms of the server's processor, {int(memory) // 1024} MB")

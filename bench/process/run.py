#!/usr/bin/env python3
"""Whole processes beside their peers: start of a hello program, a first model call, whose prompt is counted, `parallel
for` over 1,000 items, and JSON of 10 and 50 MB as the input.

Usage: bench/process/run.py [path of the contexture binary]

Runs A B C A B C … in one go and prints medians of wall and processor time, the peak memory, and ratios. Absolute
times on a shared machine are noise; the ratios of one run are what counts. Peak memory needs the program `time`: a
child of this one would be charged with the memory of Python.
"""
import json, os, shutil, statistics, subprocess, sys, tempfile, time

ROUNDS = 21
ITEMS = 1000

HELLO = 'main func(input) { "hello" }\n'
SAID = "main func(input) { input.text }\n"
ASKED = """main func(input) {
  answer = generate({ input: input.text }) -> { answer string }
  answer.answer
}
"""
SENTENCES = "Say what this is. 这是什么？ Was ist das? "
MANY = """main func(input) {
  parallel for n in input.numbers max 100000 {
    use n as number
    answer = generate({ input: "Say the number." }) -> { said integer }
    answer.said
  }
}
"""


def spend(command, folder):
    """Wall and processor seconds of one process."""
    began = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{command} ended with {status}")
    return took, usage.ru_utime + usage.ru_stime


def peak_memory(command, folder):
    """Peak memory of one process, as text."""
    timer = shutil.which("time")
    if timer is None:
        return "–"
    report = os.path.join(folder, "peak.txt")
    command = [timer, "-f", "%M", "-o", report, *command]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with open(report) as file:
        return f"{int(file.read()) / 1024:.1f} MB"


def compare(title, commands, folder, rounds=ROUNDS):
    """Prints a table; gives the median wall and processor seconds of each command."""
    spent = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            spent[name].append(spend(command, folder))
    medians = {name: [statistics.median(column) for column in zip(*runs)] for name, runs in spent.items()}
    print(f"\n{title} ({rounds} rounds, interleaved)")
    ours = next(iter(medians.values()))[0]
    for name, (wall, processor) in medians.items():
        memory = peak_memory(commands[name], folder)
        print(f"  {name:<34} wall {wall * 1000:7.2f} ms  cpu {processor * 1000:7.2f} ms  {memory:>8}  {wall / ours:6.2f}x of ours")
    return list(medians.values())


def start(binary, folder, write):
    write("hello.as", HELLO)
    run = [binary, "run", "hello.as", "--quiet"]
    commands = {
        "contexture run hello.as": run,
        "contexture run hello.as, no trace": [*run, "--no-trace"],
        "/bin/true": ["/bin/true"],
        "python3 -c 0": ["python3", "-c", "0"],
    }
    compare("start of a hello program", commands, folder)


def first_count(binary, folder, write):
    """What counting adds is less than what a whole model call does: its prompt is laid out and answered, too."""
    write("said.as", SAID)
    write("asked.as", ASKED)
    for title, times in (("a sentence", 1), ("20 KB", 350)):
        write("text.json", json.dumps({"text": SENTENCES * times}))
        run = lambda name: [binary, "run", name, "--quiet", "--mock", "--no-trace", "--input-file", "text.json"]
        commands = {"counted, in a model call": run("asked.as"), "not counted": run("said.as")}
        counted, not_counted = compare(f"first count of a process, {title}", commands, folder)
        print(f"  the model call: {(counted[1] - not_counted[1]) * 1000:.2f} ms of processor time")


def parallel(binary, folder, write):
    write("many.as", MANY)
    write("many.json", json.dumps({"numbers": list(range(ITEMS))}))
    write("one.json", json.dumps({"numbers": [0]}))
    write("answers.json", json.dumps([json.dumps({"said": n}) for n in range(ITEMS)]))
    run = [binary, "run", "many.as", "--quiet"]
    spend([*run, "--input-file", "many.json", "--mock=answers.json", "--concurrency", "1", "--record", "recording.jsonl"], folder)
    for title, more in [("no trace", ["--no-trace"]), ("with its trace", [])]:
        replay = lambda name: [*run, "--input-file", name, "--replay", "recording.jsonl", *more]
        commands = {f"{ITEMS:,} items": replay("many.json"), "1 item, same recording": replay("one.json")}
        many, one = compare(f"parallel for over {ITEMS:,} items, replayed, {title}", commands, folder)
        wall, processor = ((a - b) / (ITEMS - 1) * 1e6 for a, b in zip(many, one))
        print(f"  overhead per item: {wall:.1f} µs, {processor:.1f} µs of processor time")


COUNT = "main func(input) { input.length }\n"

PYTHON_COUNT = "import json, sys; print(len(json.load(open(sys.argv[1]))))"

# Of `bench/interpreter`: a list of objects with texts of several scripts.
def item(number):
    return {"id": number, "name": f"name {number} 文字", "score": number * 0.37, "tags": ["a", "b", f"c{number % 7}"],
            "ok": number % 2 == 0, "nested": {"x": number, "y": None, "text": "a text that is longer than a word"}}


def inputs(binary, folder, write):
    write("count.as", COUNT)
    for megabytes, items in ((10, 55_000), (50, 275_000)):
        name = f"{megabytes}.json"
        write(name, json.dumps([item(number) for number in range(items)], ensure_ascii=False))
        run = [binary, "run", "count.as", "--quiet", "--input-file", name]
        commands = {
            "contexture --input-file": run,
            "contexture --input-file, no trace": [*run, "--no-trace"],
            "python3 json.load": ["python3", "-c", PYTHON_COUNT, name],
        }
        compare(f"JSON of {megabytes} MB as the input", commands, folder, rounds=7)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    default = os.path.join(here, "..", "..", "target", "release", "contexture")
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default)
    with tempfile.TemporaryDirectory() as folder:

        def write(name, text):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)

        start(binary, folder, write)
        first_count(binary, folder, write)
        parallel(binary, folder, write)
        inputs(binary, folder, write)


main()

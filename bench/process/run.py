#!/usr/bin/env python3
"""Whole processes beside their peers: start of a hello program, and `parallel for` over 1,000 items.

Usage: bench/process/run.py [path of the contexture binary]

Runs A B C A B C … in one go and prints the median wall time, the largest memory, and ratios. Absolute times on a
shared machine are noise; the ratios of one run are what counts.
"""
import json, os, statistics, subprocess, sys, tempfile, time

ROUNDS = 21


def measure(command, folder):
    """Wall seconds and peak memory (MB) of one process."""
    began = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{command} ended with {status}")
    return took, usage.ru_maxrss / 1024


def compare(title, commands, folder, rounds=ROUNDS):
    times = {name: [] for name in commands}
    memory = {name: 0.0 for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            took, peak = measure(command, folder)
            times[name].append(took)
            memory[name] = max(memory[name], peak)
    print(f"\n{title} ({rounds} rounds, interleaved)")
    ours = statistics.median(next(iter(times.values())))
    for name, values in times.items():
        median = statistics.median(values)
        print(f"  {name:<34} {median * 1000:8.2f} ms  {memory[name]:6.1f} MB  {median / ours:6.2f}x of ours")
    return times


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    default = os.path.join(here, "..", "..", "target", "release", "contexture")
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default)
    with tempfile.TemporaryDirectory() as folder:
        write = lambda name, text: open(os.path.join(folder, name), "w").write(text)
        write("hello.as", 'main func(input) { "hello" }\n')
        compare(
            "start of a hello program",
            {
                "contexture run hello.as": [binary, "run", "hello.as", "--quiet"],
                "contexture run hello.as, no trace": [binary, "run", "hello.as", "--quiet", "--no-trace"],
                "/bin/true": ["/bin/true"],
                "python3 -c 0": ["python3", "-c", "0"],
            },
            folder,
        )
        items = 1000
        write("many.as", """main func(input) {
  parallel for n in input.numbers max 100000 {
    use n as number
    answer = generate({ input: "Say the number." }) -> { said integer }
    answer.said
  }
}
""")
        write("many.json", json.dumps({"numbers": list(range(items))}))
        write("one.json", json.dumps({"numbers": [0]}))
        write("answers.json", json.dumps([json.dumps({"said": n}) for n in range(items)]))
        record = [binary, "run", "many.as", "--input-file", "many.json", "--mock=answers.json", "--concurrency", "1",
                  "--record", "recording.jsonl", "--quiet"]
        measure(record, folder)
        replay = lambda name: [binary, "run", "many.as", "--input-file", name, "--replay", "recording.jsonl", "--quiet", "--no-trace"]
        times = compare(
            f"parallel for over {items} items, replayed",
            {"1,000 items": replay("many.json"), "1 item (same recording)": replay("one.json")},
            folder,
            rounds=9,
        )
        many, one = (statistics.median(values) for values in times.values())
        print(f"  overhead per item: {(many - one) / (items - 1) * 1e6:.1f} µs")


main()

//! The programs in the language itself.

use crate::{Entry, entry, timed};
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::load;
use contexture_script::runtime::{
    Entry as Start, Executable, RunOptions, ScriptedHost, compile, run,
};
use futures_util::FutureExt;
use serde_json::{Value, json};

const SUM: i64 = 16_666_668_333_333;

const REPEAT: &str = "main func(input) {
    s = 0 i = 0
    repeat * 10000000 { if i % 3 == 0 { s += i } i += 1 }
    s
}";

const LOOP: &str = "main func(input) {
    s = 0 i = 0
    loop until i >= 10000000 max 10000000 { if i % 3 == 0 { s += i } i += 1 }
    s
}";

const FOR: &str = "main func(input) {
    s = 0
    items = []
    i = 0
    repeat * 1000 { items.add(i) i += 1 }
    base = 0
    repeat * 10000 {
        for x in items max 1000 { i = base + x if i % 3 == 0 { s += i } }
        base += 1000
    }
    s
}";

const FIB: &str = "func fib(n) { if n < 2 { return n } fib(n - 1) + fib(n - 2) }
main func(input) { fib(27) }";

const PARALLEL: &str = "import tool T from \"sh://grep\"
main func(input) {
    parallel for x in input.items max 1000 {
        use x as item
        generate({ input: \"Say something about the item.\" }) -> { text string }
    }
}";

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        plain("repeat 10M", REPEAT, json!(SUM)),
        plain("loop until 10M", LOOP, json!(SUM)),
        plain("for 10M", FOR, json!(SUM)),
        plain("fib(27)", FIB, json!(196_418)),
        parallel(),
    ]
}

fn plain(what: &'static str, source: &str, expected: Value) -> Entry {
    let program = compiled(source);
    entry(what, "contexture", move || {
        let host = ScriptedHost::new();
        let (value, seconds) = timed(|| outcome(&program, json!({}), &host));
        assert_eq!(value, expected, "{what}");
        Some(seconds)
    })
}

/// Seconds per item.
fn parallel() -> Entry {
    let program = compiled(PARALLEL);
    let items: Vec<Value> = (0..1000).map(|number| json!({ "id": number })).collect();
    let run = move || {
        let answer = json!({ "text": "done" });
        let host = (0..1000).fold(ScriptedHost::new(), |host, _| host.with_answer(answer.clone()));
        let (value, seconds) = timed(|| outcome(&program, json!({ "items": items }), &host));
        assert_eq!(value.as_array().map(Vec::len), Some(1000));
        Some(seconds / 1000.0)
    };
    Entry { scale: 1e6, unit: "µs per item", ..entry("parallel for, 1000", "contexture", run) }
}

pub(crate) fn compiled(source: &str) -> Executable {
    let root = LoadedSource { name: "bench.as".to_owned(), text: source.to_owned() };
    let program = load(root, &MemoryLoader::new(), &Default::default());
    assert!(program.files.iter().all(|file| file.parsed.is_valid()), "{source}");
    compile(&program)
}

pub(crate) fn outcome(program: &Executable, input: Value, host: &ScriptedHost) -> Value {
    let options = RunOptions::default();
    let start = Start::default();
    let running = run(program, &start, input, host, &options);
    running.now_or_never().expect("the host answers at once").result.expect("the program runs")
}

//! JSON by `import file` and as the input of a run, beside CPython's `json.load`: time and memory, each
//! in a process of its own (GR-5). What a record of the input costs is in `bench/process`.

use crate::ours::compiled;
use crate::{Entry, entry, timed};
use contexture_context::json::JsonText;
use contexture_script::host::{
    Event, FileImport, GenerateCall, Host, HostError, HostFuture, JsonFile, MemoryCall, Supplied,
    SuppliedFile, ToolCall,
};
use contexture_script::knowledge::KnowledgeCall;
use contexture_script::runtime::{Entry as Start, Given, RunOptions, run};
use contexture_script::template::TemplateCall;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The arguments by which this program is the process that imports, or that is given its input.
const IMPORT: &str = "--import";
const INPUT: &str = "--input";

const SIZES: [(&str, &str, usize); 2] = [
    ("JSON of 10 MB", "JSON of 10 MB, memory", 55_000),
    ("JSON of 100 MB", "JSON of 100 MB, memory", 550_000),
];

// What a process had before it became this one counts in `getrusage`, but not here.
const PYTHON: &str = "import json, sys, time
start = time.perf_counter()
data = json.load(open(sys.argv[1]))
seconds = time.perf_counter() - start
peak = [line for line in open('/proc/self/status') if line.startswith('VmHWM:')][0]
print(len(data), seconds, int(peak.split()[1]) / 1024)";

pub(crate) fn entries() -> Vec<Entry> {
    SIZES.iter().flat_map(|(time, memory, items)| of(time, memory, *items)).collect()
}

/// Does what `--import FILE` or `--input FILE` asks for, and reports whether it was asked for.
pub(crate) fn is_child() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, asked, file] = arguments.as_slice() else { return false };
    let source = match asked.as_str() {
        IMPORT => "import file data from \"data.json\" main func(input) { data.length }",
        INPUT => "main func(input) { input.length }",
        _ => return false,
    };
    let program = compiled(source);
    let host = Files(PathBuf::from(file));
    let (start, options) = (Start::default(), RunOptions::default());
    let (outcome, seconds) = timed(|| {
        let input = if asked == INPUT { given(file) } else { json!({}).into() };
        run(&program, &start, input, &host, &options).now_or_never()
    });
    let value = outcome.expect("the host answers at once").result.expect("the file is read");
    println!("{value} {seconds} {}", peak());
    true
}

fn given(file: &str) -> Given {
    let text = std::fs::read_to_string(file).expect("the file is there");
    JsonText::read(text).map_err(|(error, _)| error).expect("the file is JSON").into()
}

fn of(time: &'static str, memory: &'static str, items: usize) -> Vec<Entry> {
    let file = std::env::temp_dir().join(format!("contexture-bench-{items}.json"));
    let own = || Command::new(std::env::current_exe().expect("the path of this program"));
    let python = || Command::new("python3");
    let all: [(&'static str, fn() -> Command, &[&str]); 3] = [
        ("contexture", own, &[IMPORT]),
        ("as input", own, &[INPUT]),
        ("cpython", python, &["-c", PYTHON]),
    ];
    let each = |(who, command, arguments): (_, fn() -> Command, &'static [&'static str])| {
        [(time, 0, "s"), (memory, 1, "MB")].map(|(what, figure, unit)| {
            let file = file.clone();
            let run = move || {
                write(&file, items);
                let output = command().args(arguments).arg(&file).output().ok()?;
                let text = String::from_utf8(output.stdout).ok()?;
                let mut figures = text.split_whitespace();
                assert_eq!(figures.next()?, items.to_string(), "{what}");
                figures.nth(figure)?.parse().ok()
            };
            Entry { unit, ..entry(what, who, run) }
        })
    };
    all.into_iter().flat_map(each).collect()
}

/// Writes a list of objects with texts of several scripts, unless it is there.
fn write(file: &Path, items: usize) {
    if file.exists() {
        return;
    }
    let item = |number: usize| {
        json!({
            "id": number, "name": format!("name {number} 文字"), "score": number as f64 * 0.37,
            "tags": ["a", "b", format!("c{}", number % 7)], "ok": number % 2 == 0,
            "nested": { "x": number, "y": null, "text": "a text that is longer than a word" },
        })
    };
    let all: Vec<Value> = (0..items).map(item).collect();
    std::fs::write(file, json!(all).to_string()).expect("the file can be written");
}

/// Returns the greatest memory of this process so far, in MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let size = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    size.unwrap_or(f64::NAN) / 1024.0
}

/// A host that has one file and nothing else.
struct Files(PathBuf);

fn missing<'a, T: Send + 'a>() -> HostFuture<'a, T> {
    Box::pin(std::future::ready(Err(HostError::new("missing", "the programs have none"))))
}

impl Host for Files {
    fn generate<'a>(&'a self, _: GenerateCall) -> HostFuture<'a, Supplied> {
        missing()
    }

    fn tool<'a>(&'a self, _: ToolCall) -> HostFuture<'a, Supplied> {
        missing()
    }

    fn memory<'a>(&'a self, _: MemoryCall) -> HostFuture<'a, Supplied> {
        missing()
    }

    fn knowledge<'a>(&'a self, _: KnowledgeCall) -> HostFuture<'a, Supplied> {
        missing()
    }

    fn file<'a>(&'a self, import: FileImport) -> HostFuture<'a, SuppliedFile> {
        let text = std::fs::read_to_string(&self.0).expect("the file is there");
        let invalid = |name: &str, _: &_| HostError::new("file_invalid", name);
        let (name, label) = (import.path, Default::default());
        let file = SuppliedFile::Json(JsonFile { name, text, label, invalid });
        Box::pin(std::future::ready(Ok(file)))
    }

    fn template<'a>(&'a self, _: TemplateCall) -> HostFuture<'a, Supplied> {
        missing()
    }

    fn record(&self, _: Event) {}
}

use crate::features;
use crate::protocol::{Changed, OpenedDocument};
use crate::server::Refusal;
use crate::state::State;
use crate::workspace::{MemoryWorkspace, Workspace};
use contexture_diagnostic::SourceFile;
use serde_json::{Value, json};
use std::path::Path;

mod completion;
mod editing;
mod editors;
mod fuzz;
mod names;
mod session;
mod shown;

/// The mark of the place that is asked about.
const MARK: &str = "¦";

type Open = Box<dyn Fn(&Path) -> Result<Box<dyn Workspace>, String>>;

fn files(files: &[(&str, &str)]) -> Open {
    let empty = MemoryWorkspace::new("/w");
    let files = files.iter().fold(empty, |all, (name, text)| all.with(name, text));
    Box::new(move |_| Ok(Box::new(files.clone())))
}

fn uri(name: &str) -> String {
    format!("file:///w/{name}")
}

fn open(state: &mut State<'_>, name: &str, text: &str) {
    state.open(OpenedDocument { uri: uri(name), version: 1, text: text.to_owned() });
}

fn change(state: &mut State<'_>, name: &str, changes: Value) {
    let changed = json!({
        "textDocument": { "uri": uri(name), "version": 2 },
        "contentChanges": changes,
    });
    state.change(serde_json::from_value::<Changed>(changed).unwrap());
}

/// Asks about the marked place of a text in `main.as`, without the mark.
fn ask(files: &Open, text: &str, method: &str, more: Value) -> Result<Value, String> {
    let at = text.find(MARK).unwrap_or(text.len());
    let text = text.replace(MARK, "");
    let mut state = State::new(files);
    open(&mut state, "main.as", &text);
    let (line, character) = SourceFile::new("", text).utf16_position(u32::try_from(at).unwrap());
    let position = json!({ "line": line, "character": character });
    let mut params = json!({
        "textDocument": { "uri": uri("main.as") },
        "position": position,
        "range": { "start": position, "end": position },
    });
    if let (Some(params), Value::Object(more)) = (params.as_object_mut(), more) {
        params.extend(more);
    }
    features::answer(&mut state, method, params).map_err(|refusal| match refusal {
        Refusal::Unknown(text) | Refusal::Malformed(text) | Refusal::Impossible(text) => text,
    })
}

fn answer(text: &str, method: &str) -> Value {
    ask(&files(&[]), text, method, json!({})).unwrap()
}

fn whole(text: &str, method: &str) -> Value {
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": u32::MAX, "character": u32::MAX } });
    ask(&files(&[]), text, method, json!({ "range": all })).unwrap()
}

/// Returns a field of each item of a list.
fn each<'v>(list: &'v Value, path: &str) -> Vec<&'v str> {
    let items = list.as_array().unwrap().iter();
    items.map(|item| item.pointer(path).and_then(Value::as_str).unwrap_or("-")).collect()
}

/// Returns `line:start-end` for each range of a list.
fn ranges(list: &Value) -> Vec<String> {
    let number = |range: &Value, path: &str| range.pointer(path).unwrap().as_u64().unwrap();
    let items = list.as_array().unwrap().iter();
    items
        .map(|item| {
            let range = &item["range"];
            let (start, end) = (number(range, "/start/character"), number(range, "/end/character"));
            format!("{}:{start}-{end}", number(range, "/start/line"))
        })
        .collect()
}

/// Applies edits to a text.
fn edited(text: &str, edits: &Value) -> String {
    let mut text = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let source = SourceFile::new("", text.as_str());
        let at = |path: &str| {
            let place = edit.pointer(path).unwrap();
            let number = |name: &str| u32::try_from(place[name].as_u64().unwrap()).unwrap();
            source.utf16_offset(number("line"), number("character")) as usize
        };
        let range = at("/range/start")..at("/range/end");
        text.replace_range(range, edit["newText"].as_str().unwrap());
    }
    text
}

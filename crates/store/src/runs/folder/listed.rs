//! `runs/runs.index.jsonl`: an entry for each run that has ended, so that a list reads one file (IN-2).
//!
//! Decision: the entry is a copy of what the trace says. A run adds its own when it ends; a list
//! adds those that it misses, of runs that were killed or are older than the index. So a line that
//! is torn, lost in a race, or damaged costs one reading of a trace, and nothing is ever wrong.

use crate::home;
use crate::runs::{RunEntry, RunId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

const NAME: &str = "runs.index.jsonl";
/// The beginning of each line, which the id follows.
const BEGINNING: &str = "{\"run\":\"";

/// The index as it was read.
pub(super) struct Listed {
    path: PathBuf,
    text: String,
    /// The places of the lines; the last one of a run counts.
    lines: HashMap<String, Range<usize>>,
    /// The number of lines, those of runs that are gone included.
    count: usize,
    damaged: RefCell<Vec<usize>>,
}

impl Listed {
    /// Reads the index; one that can't be read is like none.
    pub(super) fn read(runs: &Path) -> Self {
        let path = runs.join(NAME);
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut listed = Self {
            path,
            text: String::new(),
            lines: HashMap::new(),
            count: 0,
            damaged: RefCell::default(),
        };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let place = start..start + line.len();
            start = place.end;
            listed.count += 1;
            let id = line.strip_prefix(BEGINNING).and_then(|rest| rest.split_once('"'));
            match id.filter(|_| line.ends_with("}\n")) {
                Some((id, _)) => drop(listed.lines.insert(id.to_owned(), place)),
                None => listed.damaged.borrow_mut().push(listed.count),
            }
        }
        listed.text = text;
        listed
    }

    /// Returns the entry of a run; a damaged one is noted.
    pub(super) fn get(&self, id: &RunId) -> Option<RunEntry> {
        let place = self.lines.get(id.as_str())?;
        let line = self.text.get(place.clone())?;
        let entry = serde_json::from_str(line.trim_end()).ok();
        if entry.is_none() {
            let before = self.text.get(..place.start).unwrap_or_default();
            self.damaged.borrow_mut().push(before.matches('\n').count() + 1);
        }
        entry
    }

    /// Adds the entries of runs; with damage, or many lines that no run needs, the index is written
    /// anew. Returns remarks on the damage.
    pub(super) fn add(&self, fresh: &[RunEntry], ids: &[RunId]) -> Vec<String> {
        let damaged = self.damaged.borrow();
        let is_long = self.count > 2 * ids.len() + 1_000;
        if damaged.is_empty() && !is_long {
            append(&self.path, &lines(fresh));
            return Vec::new();
        }
        let mut text = String::new();
        let new: HashMap<&str, ()> = fresh.iter().map(|one| (one.run.as_str(), ())).collect();
        for id in ids.iter().filter(|id| !new.contains_key(id.as_str())) {
            let line = self.lines.get(id.as_str()).and_then(|place| self.text.get(place.clone()));
            let is_whole = |line: &&str| serde_json::from_str::<RunEntry>(line.trim_end()).is_ok();
            text.push_str(line.filter(is_whole).unwrap_or_default());
        }
        text.push_str(&lines(fresh));
        replace(&self.path, &text);
        let name = |number: &usize| format!("{NAME}: line {number} is damaged and made anew");
        damaged.iter().take(3).map(name).collect()
    }
}

/// Adds the entry of a run that has ended.
pub(super) fn add(runs: &Path, entry: &RunEntry) {
    append(&runs.join(NAME), &lines(std::slice::from_ref(entry)));
}

fn lines(entries: &[RunEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        if let Ok(line) = serde_json::to_string(entry) {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// Adds lines. What can't be written is found again by the next list.
fn append(path: &Path, lines: &str) {
    if !lines.is_empty()
        && let Ok(mut file) = home::private_file().append(true).create(true).open(path)
    {
        let _ = file.write_all(lines.as_bytes());
    }
}

/// Writes the index anew, whole or not at all.
fn replace(path: &Path, text: &str) {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = home::create_private(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
}

//! `runs/runs.index.jsonl`: an entry for each run that has ended, so that a list reads one file (IN-2).
//!
//! Decision: the entry is a copy of what the trace says. A run adds its own when it ends; a list
//! adds those that it misses, of runs that were killed or are older than the index. So a line that
//! is torn, lost in a race, or damaged costs one reading of a trace, and nothing is ever wrong.

use crate::home;
use crate::runs::{RunEntry, RunId};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

const NAME: &str = "runs.index.jsonl";
/// The beginning of each line, which the id follows.
const BEGINNING: &str = "{\"run\":\"";

/// The bytes at the end that are read first: the last hundred runs and more. A list of these costs
/// the same however many there are before (GR-10).
const FIRST_BYTES: u64 = 64 << 10;

/// The end of the index, as far as it was needed.
pub(super) struct Listed {
    path: PathBuf,
    read: RefCell<Window>,
}

/// The lines from a place to the end of the file.
#[derive(Default)]
struct Window {
    /// The place of its first line in the file.
    start: u64,
    text: String,
    /// The places of the lines in the text; the last one of a run counts.
    lines: HashMap<String, Range<usize>>,
    /// The number of lines, those of runs that are gone included.
    count: usize,
    /// Damaged lines, counted from its first.
    damaged: Vec<usize>,
}

impl Window {
    /// Reads the last whole lines within so many bytes; a file that can't be read is like an empty one.
    fn read(path: &Path, most: u64) -> Self {
        Self::read_end(path, most).unwrap_or_default()
    }

    fn read_end(path: &Path, most: u64) -> std::io::Result<Self> {
        let mut file = File::open(path)?;
        let from = file.metadata()?.len().saturating_sub(most);
        // The sign before tells whether the first line is whole.
        let from_sign = from.saturating_sub(1);
        file.seek(SeekFrom::Start(from_sign))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let cut = match from {
            0 => 0,
            _ => memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |end| end + 1),
        };
        bytes.drain(..cut);
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        Ok(Self::of(from_sign + cut as u64, text))
    }

    fn of(start: u64, text: String) -> Self {
        let mut window = Self { start, ..Self::default() };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let place = at..at + line.len();
            at = place.end;
            window.count += 1;
            let id = line.strip_prefix(BEGINNING).and_then(|rest| rest.split_once('"'));
            match id.filter(|_| line.ends_with("}\n")) {
                Some((id, _)) => drop(window.lines.insert(id.to_owned(), place)),
                None => window.damaged.push(window.count),
            }
        }
        window.text = text;
        window
    }

    fn line(&self, id: &str) -> Option<&str> {
        self.text.get(self.lines.get(id)?.clone())
    }

    /// Returns the number of all lines of the file, those before it by their usual length.
    fn all(&self) -> u64 {
        let usual = self.text.len().checked_div(self.count).unwrap_or(1).max(1) as u64;
        self.count as u64 + self.start / usual
    }
}

impl Listed {
    /// Reads the end of the index; one that can't be read is like none.
    pub(super) fn read(runs: &Path) -> Self {
        let path = runs.join(NAME);
        let read = RefCell::new(Window::read(&path, FIRST_BYTES));
        Self { path, read }
    }

    /// Returns the entry of a run, which is looked for further back as long as it is missing; a
    /// damaged one is noted.
    pub(super) fn get(&self, id: &RunId) -> Option<RunEntry> {
        let mut window = self.read.borrow_mut();
        while window.start > 0 && !window.lines.contains_key(id.as_str()) {
            let most = (window.text.len() as u64).max(FIRST_BYTES).saturating_mul(4);
            *window = Window::read(&self.path, most);
        }
        let entry = serde_json::from_str(window.line(id.as_str())?.trim_end()).ok();
        if entry.is_none() {
            let start = window.lines.get(id.as_str()).map_or(0, |place| place.start);
            let before = window.text.get(..start).unwrap_or_default();
            let number = before.matches('\n').count() + 1;
            window.damaged.push(number);
        }
        entry
    }

    /// Adds the entries of runs; with damage, or many lines that no run needs, the index is written
    /// anew. Returns remarks on the damage.
    pub(super) fn add(&self, fresh: &[RunEntry], ids: &[RunId]) -> Vec<String> {
        let mut window = self.read.borrow_mut();
        let is_long = window.all() > 2 * ids.len() as u64 + 1_000;
        if window.damaged.is_empty() && !is_long {
            append(&self.path, &lines(fresh));
            return Vec::new();
        }
        if window.start > 0 {
            *window = Window::read(&self.path, u64::MAX);
        }
        let mut text = String::new();
        let new: HashSet<&str> = fresh.iter().map(|one| one.run.as_str()).collect();
        for id in ids.iter().filter(|id| !new.contains(id.as_str())) {
            let is_whole = |line: &&str| serde_json::from_str::<RunEntry>(line.trim_end()).is_ok();
            text.push_str(window.line(id.as_str()).filter(is_whole).unwrap_or_default());
        }
        text.push_str(&lines(fresh));
        replace(&self.path, &text);
        let name = |number: &usize| format!("{NAME}: line {number} is damaged and made anew");
        window.damaged.iter().take(3).map(name).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: usize) -> RunEntry {
        serde_json::from_value(serde_json::json!({
            "run": format!("r{number:05}"), "start_us": number, "duration_us": 1,
            "program": "文.as", "owner": null, "outcome": "done", "code": null, "message": null,
            "model": null, "models": [], "calls": 1, "input": 1, "output": 1, "cached": null,
            "estimated": false, "finish": null, "cost": null, "bytes": 9,
        }))
        .unwrap()
    }

    fn id(number: usize) -> RunId {
        RunId::parse(&format!("r{number:05}")).unwrap()
    }

    #[test]
    fn gr_10_last_runs_are_read_from_end_of_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let entries: Vec<RunEntry> = (0..10_000).map(entry).collect();
        append(&path, &lines(&entries));
        let listed = Listed::read(folder.path());
        for number in 9_900..10_000 {
            assert_eq!(listed.get(&id(number)).as_ref(), entries.get(number));
        }
        let read = listed.read.borrow().text.len();
        assert!(read <= 64 << 10, "{read}");
        let ids: Vec<RunId> = (0..10_000).map(id).collect();
        assert_eq!(listed.get(&id(9_500)).as_ref(), entries.get(9_500));
        assert!(listed.read.borrow().start > 0);
        assert_eq!(listed.get(&id(0)).as_ref(), entries.first());
        assert_eq!(listed.get(&id(10_000)), None);
        assert!(listed.add(&[], &ids).is_empty());
    }

    #[test]
    fn gr_10_index_of_removed_runs_is_made_short_and_damage_told_by_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let entries: Vec<RunEntry> = (0..4_000).map(entry).collect();
        append(&path, &lines(&entries));
        let few: Vec<RunId> = (0..10).map(id).collect();
        assert!(Listed::read(folder.path()).add(&[], &few).is_empty());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), lines(&entries[..10]));
        append(&path, &lines(&entries[10..3_000]));
        append(&path, "torn\n");
        let all: Vec<RunId> = (0..3_000).map(id).collect();
        let notes = Listed::read(folder.path()).add(&[], &all);
        assert_eq!(notes, ["runs.index.jsonl: line 3001 is damaged and made anew"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), lines(&entries[..3_000]));
    }
}

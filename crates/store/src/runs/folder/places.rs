//! The places of a run's model calls in its trace, so that one is read without the others (IN-2).
//!
//! Decision: a trace up to [`SMALL`] bytes is searched whenever it is read, which costs a few
//! milliseconds and no file. A larger one has a file of places beside it, to which the run itself
//! adds after every [`STEP`] bytes and at its end. It is never ahead of the trace, and what it
//! lacks, of a run under way or killed, is searched.
//! Each place is checked when it is read: a file that does not belong to the trace is made anew.

use super::failed;
use crate::home;
use crate::runs::{LINE_BYTES, RunError};
use memchr::memmem::Finder;
use serde::de::IgnoredAny;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::LazyLock;

/// The bytes of a trace without a file of places.
pub(super) const SMALL: u64 = 1 << 20;

/// The bytes of a trace that a file of places may lack.
pub(super) const STEP: u64 = SMALL / 4;

/// The numbers of a record: what it is, the event, the call, where its line begins, how long it is.
const NUMBERS: usize = 5;
const RECORD: usize = NUMBERS * 8;

/// The first record of a file.
const HEAD: [u64; NUMBERS] = [u64::from_le_bytes(*b"runplace"), 1, 0, 0, 0];

/// The bytes of a line in which its id and kind stand.
const LINE_HEAD: usize = 160;

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The run itself.
    Run,
    /// A model call.
    Call,
    /// Nothing that can be read; the number of the event is that of the line.
    Damaged,
}

/// The place of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) about: About,
    pub(super) event: u64,
    /// The number of the model call, if the line has it.
    pub(super) call: u64,
    pub(super) start: u64,
    pub(super) bytes: u64,
}

/// The places of a trace, as far as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Places {
    pub(super) all: Vec<Place>,
    /// The bytes that were read.
    pub(super) end: u64,
    /// The lines that were read.
    pub(super) lines: u64,
}

impl Places {
    /// Notes a line, with its end, that is what a run wrote.
    pub(super) fn add(&mut self, line: &[u8]) {
        self.note(line, true);
    }

    fn note(&mut self, line: &[u8], is_whole: bool) {
        self.lines += 1;
        let (start, bytes) = (self.end, line.len() as u64);
        self.end = self.end.saturating_add(bytes);
        let text = line.trim_ascii();
        if text.is_empty() {
            return;
        }
        let place = |about, event, call| Place { about, event, call, start, bytes };
        match head_of(text).filter(|_| is_whole) {
            None => self.all.push(place(About::Damaged, self.lines, 0)),
            Some((event, b"run")) => self.all.push(place(About::Run, event, 0)),
            Some((event, b"generate")) => {
                let call = call_in(text).unwrap_or_default();
                self.all.push(place(About::Call, event, call));
            }
            Some(_) => {}
        }
    }

    /// Reads the lines that follow. A last line without its end may still be written, and is noted
    /// only if nobody writes.
    pub(super) fn read_on(&mut self, mut file: &File, is_written: bool) -> std::io::Result<()> {
        file.seek(SeekFrom::Start(self.end))?;
        let mut reader = BufReader::with_capacity(256 << 10, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let count = reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line)?;
            if count == 0 || (is_written && !line.ends_with(b"\n")) {
                return Ok(());
            }
            // Reading a line twice as fast would leave damage unseen.
            let is_whole = serde_json::from_slice::<IgnoredAny>(&line).is_ok();
            self.note(&line, is_whole);
        }
    }

    /// Returns the places as records, up to the end of what was read; a new file begins with a head.
    pub(super) fn records(&self, is_new: bool) -> Vec<u8> {
        let first = is_new.then_some(HEAD).into_iter();
        let places = self.all.iter().map(Place::numbers);
        let mark = [0, self.lines, 0, self.end, 0];
        first.chain(places).chain([mark]).flatten().flat_map(u64::to_le_bytes).collect()
    }

    /// Reads a file of places; `None` when there is none, or not one for a trace of this length.
    pub(super) fn load(path: &Path, bytes: u64) -> Option<Self> {
        let mut places = Self::default();
        let mut marked = 0;
        read_records(path, |record| {
            match record {
                [0, lines, _, end, _] => {
                    (places.lines, places.end, marked) = (lines, end, places.all.len());
                }
                numbers => places.all.push(Place::of(numbers)?),
            }
            Some(())
        })?;
        // What follows the last mark is found again.
        places.all.truncate(marked);
        (places.end <= bytes).then_some(places)
    }

    /// Writes a file of places, whole or not at all.
    pub(super) fn keep(&self, path: &Path) -> Result<(), RunError> {
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        let written = home::create_private(&temporary)
            .and_then(|mut file| file.write_all(&self.records(true)))
            .and_then(|()| std::fs::rename(&temporary, path));
        if written.is_err() {
            // The first error is the one to report.
            let _ = std::fs::remove_file(&temporary);
        }
        written.map_err(|error| failed(path, &error))
    }
}

/// The places that show some calls of a trace, and how much there is in all.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// The lines of the run and of the wanted calls, and the damaged ones, in their order.
    pub(super) places: Vec<Place>,
    /// The model calls of the trace.
    pub(super) calls: u64,
    /// The lines of the trace.
    pub(super) lines: u64,
    events: HashSet<u64>,
}

impl Chosen {
    pub(super) fn of(places: &Places, wanted: &RangeInclusive<u64>) -> Self {
        let mut chosen = Self { lines: places.lines, ..Self::default() };
        places.all.iter().for_each(|place| chosen.offer(*place, wanted));
        chosen
    }

    /// Reads them from a file of places without keeping the others; `None` when there is none, or it
    /// does not tell the whole trace.
    pub(super) fn load(path: &Path, bytes: u64, wanted: &RangeInclusive<u64>) -> Option<Self> {
        let mut chosen = Self::default();
        let mut last = None;
        read_records(path, |record| {
            last = None;
            match record {
                [0, lines, _, end, _] => (chosen.lines, last) = (lines, Some(end)),
                numbers => chosen.offer(Place::of(numbers)?, wanted),
            }
            Some(())
        })?;
        (last == Some(bytes)).then_some(chosen)
    }

    /// Takes a place if it is wanted. The line with which a call begins has its number, and stands
    /// before that with which it ends.
    fn offer(&mut self, place: Place, wanted: &RangeInclusive<u64>) {
        self.calls += u64::from(place.call > 0);
        if place.call > 0 && wanted.contains(&place.call) {
            self.events.insert(place.event);
        }
        let is_wanted = match place.about {
            About::Run | About::Damaged => true,
            About::Call => !self.events.is_empty() && self.events.contains(&place.event),
        };
        if is_wanted {
            self.places.push(place);
        }
    }
}

/// Hands the records of a file of places over, after its head; `None` when it is not one, or as
/// soon as one is refused. What a kill has torn at its end is left out.
fn read_records(path: &Path, mut take: impl FnMut([u64; NUMBERS]) -> Option<()>) -> Option<()> {
    let mut file = File::open(path).ok()?;
    let mut buffer = vec![0; RECORD * (8 << 10)];
    let (mut filled, mut is_first) = (0, true);
    loop {
        let count = file.read(buffer.get_mut(filled..)?).ok()?;
        filled += count;
        let (records, rest) = buffer.get(..filled)?.as_chunks::<RECORD>();
        for record in records {
            if !is_first {
                take(numbers(record))?;
            } else if numbers(record) != HEAD {
                return None;
            }
            is_first = false;
        }
        if count == 0 {
            return (!is_first).then_some(());
        }
        let torn = filled - rest.len()..filled;
        filled = rest.len();
        buffer.copy_within(torn, 0);
    }
}

impl Place {
    const fn numbers(&self) -> [u64; NUMBERS] {
        let about = match self.about {
            About::Run => 1,
            About::Call => 2,
            About::Damaged => 3,
        };
        [about, self.event, self.call, self.start, self.bytes]
    }

    const fn of(numbers: [u64; NUMBERS]) -> Option<Self> {
        let [about, event, call, start, bytes] = numbers;
        let about = match about {
            1 => About::Run,
            2 => About::Call,
            3 => About::Damaged,
            _ => return None,
        };
        Some(Self { about, event, call, start, bytes })
    }
}

fn numbers(record: &[u8; RECORD]) -> [u64; NUMBERS] {
    let (words, _) = record.as_chunks::<8>();
    let mut numbers = [0; NUMBERS];
    for (number, word) in numbers.iter_mut().zip(words) {
        *number = u64::from_le_bytes(*word);
    }
    numbers
}

/// Returns the id and the kind of the event of a line, which stand at its beginning.
fn head_of(line: &[u8]) -> Option<(u64, &[u8])> {
    let head = line.get(..LINE_HEAD).unwrap_or(line);
    let id = after(head, &ID)?;
    let kind = after(head, &KIND)?;
    let end = kind.iter().position(|byte| *byte == b'"')?;
    Some((number(id)?, kind.get(..end)?))
}

/// Returns the number of the model call whose manifest stands in a line. A quote inside a string is
/// escaped, so that no text is taken for one.
fn call_in(line: &[u8]) -> Option<u64> {
    let manifest = after(line, &MANIFEST)?;
    number(after(manifest.get(..LINE_HEAD).unwrap_or(manifest), &CALL)?)
}

/// A name in a line. A searcher is made once: making one costs more than a search.
type Name = LazyLock<Finder<'static>>;

static ID: Name = LazyLock::new(|| Finder::new(b"\"id\":"));
static KIND: Name = LazyLock::new(|| Finder::new(b"\"kind\":\""));
static MANIFEST: Name = LazyLock::new(|| Finder::new(b"\"manifest\":{"));
static CALL: Name = LazyLock::new(|| Finder::new(b"\"call\":"));

fn after<'l>(line: &'l [u8], name: &Finder<'_>) -> Option<&'l [u8]> {
    let at = name.find(line)?;
    line.get(at + name.needle().len()..)
}

fn number(digits: &[u8]) -> Option<u64> {
    let digits = digits.trim_ascii_start();
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    std::str::from_utf8(digits.get(..end)?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Places {
        let mut places = Places::default();
        for line in text.split_inclusive('\n') {
            places.note(line.as_bytes(), line.ends_with("}\n"));
        }
        places
    }

    #[test]
    fn in_2_lines_of_calls_are_found_and_texts_are_not_taken_for_them() {
        let told = r#"{"v":1,"id":7,"kind":"tool","data":{"a":"{\"v\":1,\"id\":9,\"kind\":\"generate\"}"}}"#;
        let call = r#"{"v":1,"id":3,"parent":2,"kind":"generate","start_us":5,"data":{"x":"\"manifest\":{\"call\":8","manifest":{"version":2,"call":17,"site":{}}}}"#;
        let text = format!(
            "{}\n{told}\n{call}\nnonsense\n\n{{\"v\":1,\"id\n",
            r#"{"v":1,"id":1,"kind":"run","start_us":1,"data":{}}"#
        );
        let found = places(&text);
        let shown: Vec<_> = found.all.iter().map(|one| (one.about, one.event, one.call)).collect();
        let expected = [
            (About::Run, 1, 0),
            (About::Call, 3, 17),
            (About::Damaged, 4, 0),
            (About::Damaged, 6, 0),
        ];
        assert_eq!(shown, expected);
        assert_eq!((found.end, found.lines), (text.len() as u64, 6));
        let line = found.all[1];
        let (start, end) = (line.start as usize, (line.start + line.bytes) as usize);
        assert_eq!(text.get(start..end), Some(&*format!("{call}\n")));
    }

    #[test]
    fn in_2_calls_of_long_run_are_chosen_from_its_file_without_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.places");
        let begun = |id: u64| {
            format!(
                "{{\"id\":{id},\"kind\":\"generate\",\"data\":{{\"manifest\":{{\"call\":{id}}}}}}}\n"
            )
        };
        let ended = |id: u64| format!("{{\"id\":{id},\"kind\":\"generate\"}}\n");
        let calls = (1..20_000).map(|id| begun(id) + &ended(id)).collect::<String>();
        let all = places(&format!("{{\"id\":0,\"kind\":\"run\"}}\n{calls}nonsense\n"));
        all.keep(&path).unwrap();
        let chosen = Chosen::load(&path, all.end, &(15_000..=15_001)).unwrap();
        let events: Vec<_> = chosen.places.iter().map(|place| place.event).collect();
        assert_eq!(events, [0, 15_000, 15_000, 15_001, 15_001, 40_000]);
        assert_eq!((chosen.calls, chosen.lines), (19_999, 40_000));
        assert_eq!(Chosen::of(&all, &(15_000..=15_001)).places, chosen.places);
    }

    #[test]
    fn in_2_file_of_places_is_read_up_to_its_last_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.places");
        let line = |id: u64| format!("{{\"v\":1,\"id\":{id},\"kind\":\"generate\"}}\n");
        let mut one = places(&line(1));
        one.keep(&path).unwrap();
        let first = std::mem::take(&mut one.all);
        one.add(line(2).as_bytes());
        let mut kept = std::fs::read(&path).unwrap();
        kept.extend(one.records(false));
        one.all.splice(0..0, first);
        for cut in 0..kept.len() {
            std::fs::write(&path, &kept[..cut]).unwrap();
            if let Some(found) = Places::load(&path, one.end) {
                assert_eq!(found.all, one.all[..found.all.len()], "{cut}");
                let end = found.all.last().map_or(0, |last| last.start + last.bytes);
                assert_eq!(found.end, end, "{cut}");
            }
        }
        std::fs::write(&path, &kept).unwrap();
        assert_eq!(Places::load(&path, one.end).as_ref(), Some(&one));
        assert!(Chosen::load(&path, one.end + 1, &(1..=1)).is_none(), "the trace is longer");
        assert_eq!(Places::load(&path, one.end - 1), None, "the trace is shorter");
        std::fs::write(&path, b"x".repeat(200)).unwrap();
        assert_eq!(Places::load(&path, one.end), None);
    }
}

//! The chain of digests in the audit log (GU-12).
//!
//! Decision: each line ends with the digest of the digest before it and of the line itself, so that a
//! line that is changed, missing or out of its place is found. The first line of each file names the
//! digest that it goes on from: older files may be gone. Lines from before the chain have none.

use contexture::context::Digest;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// What stands before and behind the digest of a line.
const BEFORE: &str = ",\"digest\":\"";
const BEHIND: &str = "\"}";
/// How far from its end a file is looked at for its last line.
const TAIL: u64 = 64 << 10;

/// The end of a chain: the digest of its last line, and whether a file has a line already.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    pub(super) last: String,
    is_begun: bool,
}

impl Chain {
    /// Returns the chain that a file ends with, and whether its last line was broken off.
    pub(super) fn of(file: &mut File) -> io::Result<(Self, bool)> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        let text = String::from_utf8_lossy(&tail);
        let is_torn = !text.is_empty() && !text.ends_with('\n');
        let last =
            text.lines().rev().find_map(|line| split(line).map(|(_, digest)| digest.to_owned()));
        Ok((Self { is_begun: last.is_some(), last: last.unwrap_or_default() }, is_torn))
    }

    /// Goes on in a new file.
    pub(super) fn turn(&mut self) {
        self.is_begun = false;
    }

    /// Returns a line, which is a JSON object, as a part of the chain.
    pub(super) fn sealed(&mut self, line: &str) -> String {
        let line = line.trim_end();
        let open = line.strip_suffix('}').unwrap_or(line);
        let previous = match std::mem::replace(&mut self.is_begun, true) {
            true => String::new(),
            false => format!(",\"previous\":\"{}\"", self.last),
        };
        let line = format!("{open}{previous}");
        self.last = digest(&self.last, &line);
        format!("{line}{BEFORE}{}{BEHIND}\n", self.last)
    }
}

/// Returns the digest of a line without its digest and without its end.
fn digest(previous: &str, line: &str) -> String {
    Digest::of_text(&format!("{previous}\n{line}")).hex()
}

/// Returns a line without its digest, and the digest.
fn split(line: &str) -> Option<(&str, &str)> {
    let (line, digest) = line.strip_suffix(BEHIND)?.rsplit_once(BEFORE)?;
    (digest.len() == 64).then_some((line, digest))
}

/// A line that breaks the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrokenLine {
    /// The file.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: u64,
    /// What is wrong.
    pub(crate) reason: &'static str,
}

/// A walk along the lines of the files, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Walk {
    last: Option<String>,
    /// The digest of the line that was acknowledged last, until it is found.
    pub(super) wanted: Option<String>,
    pub(super) lines: u64,
    pub(super) broken: Vec<BrokenLine>,
}

impl Walk {
    /// Begins a walk on the look-out for a line by its digest.
    pub(super) fn wanting(wanted: Option<String>) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// Walks along a file; its first line that breaks the chain is noted.
    pub(super) fn file(&mut self, path: &Path) -> io::Result<()> {
        let mut first = None;
        let mut lines = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            self.lines += 1;
            let reason = match std::str::from_utf8(&line) {
                Ok(text) => self.line(text),
                Err(_) => Some("it is not text"),
            };
            if let (Some(reason), None) = (reason, &first) {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                first = Some(BrokenLine { file, line: number, reason });
            }
        }
        self.broken.extend(first);
        Ok(())
    }

    fn line(&mut self, line: &str) -> Option<&'static str> {
        let Some(line) = line.strip_suffix('\n') else { return Some("it was broken off") };
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return Some("it can't be read");
        };
        let Some((open, found)) = split(line) else {
            return self.last.is_some().then_some("it has no digest");
        };
        let named = value.get("previous").and_then(Value::as_str);
        let last = self.last.replace(found.to_owned());
        self.wanted.take_if(|wanted| wanted == found);
        let previous = match (&last, named) {
            (Some(last), Some(named)) if named != last => {
                return Some("lines before it are missing");
            }
            (Some(last), _) => last.as_str(),
            (None, Some(named)) => named,
            (None, None) => return Some("lines before it are missing"),
        };
        (digest(previous, open) != found)
            .then_some("it is not as it was written, or lines before it are missing")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(files: &[&Path]) -> Vec<(String, u64)> {
        let mut walk = Walk::default();
        files.iter().for_each(|file| walk.file(file).unwrap());
        walk.broken.into_iter().map(|one| (one.file, one.line)).collect()
    }

    #[test]
    fn gu_12_changed_missing_and_moved_lines_of_log_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("audit.1.jsonl"), folder.path().join("audit.jsonl"));
        let mut chain = Chain::default();
        let lines = |from: u32, to: u32, chain: &mut Chain| -> Vec<String> {
            (from..to).map(|n| chain.sealed(&format!("{{\"n\":{n}}}\n"))).collect()
        };
        let first = lines(0, 5, &mut chain);
        chain.turn();
        let second = lines(5, 10, &mut chain);
        let write = |first: &[String], second: &[String]| {
            std::fs::write(&old, format!("{{\"n\":-1}}\n{}", first.concat())).unwrap();
            std::fs::write(&new, second.concat()).unwrap();
            walked(&[&old, &new])
        };
        assert_eq!(write(&first, &second), []);
        assert_eq!(walked(&[&new]), [], "older files may be gone");
        let at = |file: &str, line| (file.to_owned(), line);
        let mut changed = second.clone();
        changed[2] = changed[2].replace(":7", ":8");
        assert_eq!(write(&first, &changed), [at("audit.jsonl", 3)]);
        changed[2] = second[3].clone();
        changed[3] = second[2].clone();
        assert_eq!(write(&first, &changed), [at("audit.jsonl", 3)]);
        assert_eq!(write(&first[..4], &second), [at("audit.jsonl", 1)]);
        changed.clone_from(&second);
        changed.remove(0);
        assert_eq!(write(&first, &changed), [at("audit.jsonl", 1)]);
        changed.clone_from(&second);
        changed[1] = "{\"n\":6}\n".to_owned();
        assert_eq!(write(&first, &changed), [at("audit.jsonl", 2)]);
        changed[1] = "garbage\n".to_owned();
        assert_eq!(write(&first, &changed), [at("audit.jsonl", 2)]);
        write(&first, &second);
        let mut torn = File::options().read(true).append(true).open(&new).unwrap();
        io::Write::write_all(&mut torn, b"{\"n\":1").unwrap();
        assert_eq!(walked(&[&old, &new]), [at("audit.jsonl", 6)]);
        let (chain, is_torn) = Chain::of(&mut torn).unwrap();
        assert!(is_torn && second[4].contains(&chain.last));
    }
}

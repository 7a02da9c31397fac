//! An input that failed: made smaller, and kept with the command that replays it.

use super::Outcome;
use super::supervise::tried;
use crate::generated::root;
use contexture_context::Digest;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time for making an input smaller.
const PATIENCE: Duration = Duration::from_secs(20);

/// An input that failed.
pub(super) struct Failure {
    pub(super) why: String,
    pub(super) file: PathBuf,
    pub(super) bytes: usize,
}

impl Failure {
    /// Returns the command that tries the input again.
    pub(super) fn replay(&self, target: &str) -> String {
        format!("cargo dev fuzz {target} --input {}", self.file.display())
    }
}

/// Makes an input smaller and writes it to the folder of failures.
pub(super) fn keep(target: &str, input: &[u8], why: String) -> Outcome<Failure> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = folder().join(target);
    fs::create_dir_all(&folder).map_err(failed)?;
    let trial = tempfile::tempdir().map_err(failed)?;
    let (input, why) = smaller(target, input, why, &trial.path().join("input"))?;
    let name: String = Digest::of_bytes(&input).hex().chars().take(16).collect();
    let file = folder.join(name);
    fs::write(&file, &input).map_err(failed)?;
    let shown = std::env::current_dir()
        .ok()
        .and_then(|here| file.strip_prefix(here).map(Path::to_owned).ok());
    Ok(Failure { why, bytes: input.len(), file: shown.unwrap_or(file) })
}

/// Returns the folder of failures, beside what is built.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(target.unwrap_or_else(|| "target".into())).join("fuzz")
}

/// Removes parts as long as the input fails in the same way; says how the smaller one fails.
fn smaller(target: &str, input: &[u8], why: String, trial: &Path) -> Outcome<(Vec<u8>, String)> {
    let began = Instant::now();
    let (mut best, mut why) = (input.to_vec(), why);
    let mut step = best.len() / 2;
    while step > 0 && began.elapsed() < PATIENCE {
        let mut at = 0;
        while at < best.len() && began.elapsed() < PATIENCE {
            let mut shorter = best.clone();
            shorter.drain(at..(at + step).min(best.len()));
            fs::write(trial, &shorter).map_err(|error| error.to_string())?;
            match tried(target, trial)?.filter(|other| kind(other) == kind(&why)) {
                Some(other) => (best, why) = (shorter, other),
                None => at += step,
            }
        }
        step /= 2;
    }
    Ok((best, why))
}

/// Returns what stays the same of a reason when the input changes: its first words.
fn kind(why: &str) -> &str {
    match why.strip_prefix("panicked at ") {
        Some(rest) => rest.split(": ").next().unwrap_or_default(),
        None => why.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gu_13_reasons_are_alike_when_their_inputs_differ() {
        assert_eq!(kind("panicked at a.rs:1:2: index 3"), kind("panicked at a.rs:1:2: index 4"));
        assert_ne!(kind("panicked at a.rs:1:2: x"), kind("panicked at a.rs:9:2: x"));
        assert_eq!(
            kind("formatting is not idempotent: a"),
            kind("formatting is not idempotent: b")
        );
    }
}

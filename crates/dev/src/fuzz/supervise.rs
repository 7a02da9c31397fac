//! The process of a target, watched from outside: a result, or the input that it died of.

use super::Outcome;
use super::engine::HANGS;
use super::failing::{self, Failure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a process may take beyond its time, to start and to read the seeds.
const SPARE: Duration = Duration::from_secs(60);

/// The end of the run of a target.
pub(super) struct Ended {
    pub(super) target: String,
    pub(super) runs: u64,
    pub(super) seconds: f64,
    pub(super) seeds: u64,
    pub(super) kept: u64,
    pub(super) answers: u64,
    pub(super) failure: Option<Failure>,
}

/// Fuzzes a target for some time.
pub(super) fn run(target: &str, seed: u64, time: Duration) -> Outcome<Ended> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join("out");
    let mut status = child(target, seed, time, &out, false)?;
    let input = out.with_extension("input");
    if status.code() != Some(HANGS) && !out.exists() {
        if status.code().is_some_and(|code| code != 0) {
            return Err(format!("{target} can't be fuzzed: its process ended with {status}"));
        }
        // The same inputs again, each written down before it is tried.
        status = child(target, seed, time * 4 + SPARE, &out, true)?;
    }
    let result = fs::read(&out).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let why = match &result {
        Some(result) => result.get("why").and_then(Value::as_str).map(str::to_owned),
        None => Some(cause(status)),
    };
    let failure = match (why, fs::read(&input)) {
        (None, _) => None,
        (Some(why), Ok(input)) => Some(failing::keep(target, &input, why)?),
        (Some(why), Err(_)) => return Err(format!("{target}: {why}, and the input is not known")),
    };
    let number =
        |name: &str| result.as_ref().and_then(|result| result.get(name)?.as_u64()).unwrap_or(0);
    let seconds = result.as_ref().and_then(|result| result.get("seconds")?.as_f64()).unwrap_or(0.0);
    Ok(Ended {
        target: target.to_owned(),
        runs: number("runs"),
        seconds,
        seeds: number("seeds"),
        kept: number("kept"),
        answers: number("answers"),
        failure,
    })
}

fn child(
    target: &str,
    seed: u64,
    time: Duration,
    out: &Path,
    has_trail: bool,
) -> Outcome<ExitStatus> {
    let mut command = Command::new(own()?);
    command.args(["fuzz", target, "--child"]).arg(out);
    command.args(["--seed", &seed.to_string()]);
    command.args(["--seconds", &time.as_secs().max(1).to_string()]);
    if has_trail {
        command.arg("--trail");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    ended(&mut command, time + SPARE)
}

/// Returns how a process tries the input of a file: nothing when it does not fail, else why.
pub(super) fn tried(target: &str, file: &Path) -> Outcome<Option<String>> {
    let mut command = Command::new(own()?);
    command.args(["fuzz", target, "--input"]).arg(file);
    let messages = file.with_extension("said");
    let said = fs::File::create(&messages).map_err(|error| error.to_string())?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    let status = ended(&mut command, SPARE)?;
    if status.success() {
        return Ok(None);
    }
    let said = fs::read_to_string(&messages).unwrap_or_default();
    let why = said.trim().strip_prefix(&format!("{target}: ")).map(str::to_owned);
    Ok(Some(if status.code() == Some(1) { why.unwrap_or(said) } else { cause(status) }))
}

fn own() -> Outcome<PathBuf> {
    std::env::current_exe().map_err(|error| error.to_string())
}

fn cause(status: ExitStatus) -> String {
    match status.code() {
        Some(HANGS) => "the input takes too long".to_owned(),
        _ => format!("the process died: {status}"),
    }
}

/// Waits for the end of a process, which is ended when it takes too long.
fn ended(command: &mut Command, time: Duration) -> Outcome<ExitStatus> {
    let mut process = command.spawn().map_err(|error| error.to_string())?;
    let began = Instant::now();
    loop {
        if let Some(status) = process.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        if began.elapsed() > time {
            process.kill().map_err(|error| error.to_string())?;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

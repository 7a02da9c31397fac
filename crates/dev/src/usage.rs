//! The resources of a command: wall time, processor time, peak memory.

use nix::sys::resource::{UsageWho, getrusage};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The usage of a finished command, with all that it started.
pub(crate) struct Usage {
    pub(crate) wall: Duration,
    pub(crate) processor: Duration,
    pub(crate) peak_bytes: u64,
}

/// The first argument by which [`measure`] starts this program again.
pub(crate) const CHILD: &str = "measured";

/// Runs `command` in `folder` and measures it. Its output is dropped.
///
/// The system adds up what all children of a process took, so a process of its own does the
/// measuring.
pub(crate) fn measure(
    command: &[&str],
    folder: &Path,
    environment: &[(&str, &Path)],
) -> Result<Usage, String> {
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(this)
        .arg(CHILD)
        .args(command)
        .current_dir(folder)
        .envs(environment.iter().copied())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(wall)), Some(Ok(processor)), Some(Ok(peak_bytes))) => Ok(Usage {
            wall: Duration::from_micros(wall),
            processor: Duration::from_micros(processor),
            peak_bytes,
        }),
        _ => Err(format!("{} failed", command.join(" "))),
    }
}

/// Runs `command` as the only child of this process and returns three numbers: microseconds of wall
/// and processor time, and bytes.
pub(crate) fn child(command: &[&str]) -> Result<Vec<String>, String> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let start = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .map_err(|e| format!("{program}: {e}"))?;
    if !status.success() {
        return Err(format!("{program}: {status}"));
    }
    let wall = start.elapsed().as_micros();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| e.to_string())?;
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let processor = micros(usage.user_time()) + micros(usage.system_time());
    let mut line = String::new();
    // Linux counts in kilobytes.
    let _ = write!(line, "{wall} {processor} {}", usage.max_rss() * 1024);
    Ok(vec![line])
}

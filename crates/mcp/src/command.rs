//! A command of the user that prints a secret (GU-9).
//!
//! Decision: it stands here because this crate alone starts processes. It runs in the user's home,
//! with their environment: a keychain asks them. Nothing that it says is repeated in errors.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time that a command may take: a keychain may ask its user.
const LONGEST: Duration = Duration::from_secs(60);
const NAP: Duration = Duration::from_millis(5);

/// Runs a command in a folder and returns what it prints, trimmed; at most `limit` bytes.
///
/// # Errors
/// The reason why there is no such text, without any of it.
pub fn output(command: &[String], folder: &Path, limit: u64) -> Result<String, String> {
    let (program, arguments) = command.split_first().ok_or("its command is empty")?;
    let told = |what: &str| format!("its command `{program}` {what}");
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| told(&format!("can't be started: {}", error.kind())))?;
    let stdout = child.stdout.take().ok_or_else(|| told("has no output"))?;
    let reading = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.take(limit + 1).read_to_end(&mut text).map(|_| text)
    });
    let status = ended(&mut child).ok_or_else(|| told("took too long"))?;
    let text = reading.join().ok().and_then(Result::ok).ok_or_else(|| told("can't be read"))?;
    if !status {
        return Err(told("failed"));
    }
    if text.len() as u64 > limit {
        return Err(told("printed too much"));
    }
    let text = String::from_utf8(text).map_err(|_| told("printed no text"))?;
    match text.trim() {
        "" => Err(told("printed nothing")),
        text => Ok(text.to_owned()),
    }
}

/// Waits for the end of a process, and ends one that takes too long; returns whether it succeeded.
fn ended(child: &mut Child) -> Option<bool> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if begun.elapsed() < LONGEST => std::thread::sleep(NAP),
            _ => {
                drop(child.kill());
                drop(child.wait());
                return None;
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn gu_9_command_prints_secret_and_errors_repeat_nothing_of_it() {
        let run = |script: &str| {
            let command = ["sh", "-c", script].map(str::to_owned);
            output(&command, Path::new("/"), 100)
        };
        assert_eq!(run("echo hunter2; echo noise >&2").unwrap(), "hunter2");
        for (script, what) in [
            ("echo hunter2; exit 3", "failed"),
            ("true", "printed nothing"),
            ("head -c 4000 /dev/zero", "printed too much"),
            ("printf '\\377'", "printed no text"),
        ] {
            let told = run(script).unwrap_err();
            assert!(told.contains(what) && !told.contains("hunter2"), "{told}");
        }
        let told = output(&["no such program".to_owned()], Path::new("/"), 100).unwrap_err();
        assert!(told.contains("can't be started"), "{told}");
        assert!(output(&[], Path::new("/"), 100).is_err());
    }
}

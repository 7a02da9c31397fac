//! A sealed place to run the real binary in: a temporary folder, a cleared environment, no network
//! key, the built-in model.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_contexture");

/// What a command did.
#[derive(Debug)]
#[must_use]
pub(crate) struct Done {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    /// The output, after checking the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\nstderr: {}", self.stdout, self.stderr))
    }

    /// The same, after checking that stderr contains a text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no `{text}` in stderr: {}", self.stderr);
        self
    }
}

/// A temporary folder to run in.
pub(crate) struct Sandbox {
    root: tempfile::TempDir,
}

impl Sandbox {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        let root = tempfile::Builder::new().prefix("contexture-test-").tempdir().unwrap();
        std::fs::create_dir(root.path().join("home")).unwrap();
        std::fs::create_dir(root.path().join("work")).unwrap();
        Self { root }
    }

    /// A folder with copies of the repository's `examples/` and `README.md`.
    pub(crate) fn with_examples() -> Self {
        let sandbox = Self::new();
        copy(&repository().join("examples"), &sandbox.path("examples"));
        std::fs::copy(repository().join("README.md"), sandbox.path("README.md")).unwrap();
        sandbox
    }

    /// A path in the folder.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("work").join(relative)
    }

    /// Writes a file.
    pub(crate) fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// The text of a file.
    pub(crate) fn read(&self, relative: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.path(relative)).unwrap()
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let bin = Path::new(BINARY).parent().unwrap();
        let mut command = Command::new(program);
        command
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
            .env("HOME", self.root.path().join("home"))
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The binary with arguments, to be completed.
    pub(crate) fn contexture(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut command = self.command(BINARY);
        command.args(arguments);
        command
    }

    /// Runs the binary.
    pub(crate) fn run(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Done {
        finish(self.contexture(arguments), b"")
    }

    /// Runs the binary with a text on stdin.
    pub(crate) fn run_with(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        stdin: impl AsRef<[u8]>,
    ) -> Done {
        finish(self.contexture(arguments), stdin.as_ref())
    }

    /// Runs a line of shell with the binary on the path.
    pub(crate) fn sh(&self, line: &str) -> Done {
        finish(self.shell(line), b"")
    }

    /// Runs a line of shell, and ends it with all that it began when it takes longer: then there is
    /// no result.
    pub(crate) fn sh_within(&self, line: &str, limit: Duration) -> Option<Done> {
        let mut command = self.shell(line);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().unwrap();
        let group = format!("-{}", child.id());
        let (ended, waiting) = channel();
        let watch = std::thread::spawn(move || {
            let is_late = waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if is_late {
                let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            }
            is_late
        });
        let done = finished(child);
        let _ = ended.send(());
        (!watch.join().unwrap()).then_some(done)
    }

    fn shell(&self, line: &str) -> Command {
        let mut command = self.command("sh");
        command.args(["-c", line]);
        command
    }
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command, stdin: &[u8]) -> Done {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A command that does not read its stdin closes the pipe: that is its right.
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(&stdin);
    });
    let done = finished(child);
    writer.join().unwrap();
    done
}

fn finished(child: Child) -> Done {
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            // What a run left behind is no part of the examples.
            if entry.file_name() != ".contexture" {
                copy(&entry.path(), &target);
            }
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

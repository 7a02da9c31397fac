//! A server's process: started without a shell, watched, and ended with all that it started.

use crate::descendants::Descendants;
use crate::error::McpError;
use contexture_core::Secret;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// The bytes of the end of stderr that are kept.
const STDERR_BYTES: usize = 4 << 10;

/// The time that a process has to end by itself when its stdin is closed.
const FAREWELL: Duration = Duration::from_millis(1_500);

/// The time that it has when it is asked to end.
const TERMINATED: Duration = Duration::from_millis(500);

/// The wait for the last words of a process.
const LAST_WORDS: Duration = Duration::from_millis(200);

pub(crate) struct Program<'a> {
    pub(crate) command: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) env: &'a [(String, Secret)],
    pub(crate) folder: &'a Path,
    pub(crate) search: &'a str,
}

/// A running process. Dropping it ends it at once, with its group.
pub(crate) struct Process {
    child: Mutex<Option<Child>>,
    group: Option<u32>,
    family: Mutex<Descendants>,
    stderr: Arc<Tail>,
}

impl Process {
    /// Starts a program; its pipes are given back.
    pub(crate) fn start(
        server: &str,
        program: &Program<'_>,
    ) -> Result<(Self, ChildStdout, ChildStdin), McpError> {
        let fail = |reason: String| McpError::Start {
            server: server.to_owned(),
            reason,
            stderr: String::new(),
        };
        let path = find(program).ok_or_else(|| {
            fail(format!(
                "there is no program `{}`, neither as a path nor in PATH",
                program.command
            ))
        })?;
        let mut command = Command::new(path);
        command.args(program.args).env_clear().current_dir(program.folder).kill_on_drop(true);
        command.envs(program.env.iter().map(|(name, value)| (name, value.expose())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| fail(reason(&error)))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(fail("its pipes could not be made".to_owned()));
        };
        let tail = Arc::new(Tail::default());
        tokio::spawn(Arc::clone(&tail).read(stderr));
        let group = child.id();
        let process =
            Self { child: Mutex::new(Some(child)), group, family: Mutex::default(), stderr: tail };
        Ok((process, stdout, stdin))
    }

    /// Returns the end of its stderr; some of it may still arrive after the process is gone.
    pub(crate) async fn last_words(&self) -> String {
        let ended = async {
            while !self.stderr.ended.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = timeout(LAST_WORDS, ended).await;
        self.stderr.text()
    }

    /// Notes the processes that it has started. They are nobody's children after its end, so this
    /// is done while it lives, before its input is closed.
    pub(crate) fn look(&self) {
        lock(&self.family).join(Descendants::of(self.group));
    }

    /// Waits for it to end, as it should when its stdin is closed; else ends it.
    pub(crate) async fn end(&self) {
        let child = lock(&self.child).take();
        let Some(mut child) = child else { return };
        self.look();
        if timeout(FAREWELL, child.wait()).await.is_err() {
            self.signal(true);
            let _ = timeout(TERMINATED, child.wait()).await;
        }
        // What it started may outlive it, in its group or out of it.
        self.signal(false);
        lock(&self.family).end();
        let _ = child.start_kill();
        let _ = timeout(TERMINATED, child.wait()).await;
    }

    /// Asks the whole group to end, or ends it.
    #[cfg(unix)]
    fn signal(&self, gently: bool) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let pid = self.group.and_then(|group| i32::try_from(group).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // A group that is already gone needs no signal.
            let _ = kill_process_group(pid, if gently { Signal::TERM } else { Signal::KILL });
        }
    }

    #[cfg(not(unix))]
    fn signal(&self, _gently: bool) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        if lock(&self.child).is_some() {
            self.look();
            self.signal(false);
            lock(&self.family).end();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn reason(error: &io::Error) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// Returns the file of a command: a path from the folder, or the first of its name in the search
/// path. It is found here since the process itself may get no `PATH`.
fn find(program: &Program<'_>) -> Option<PathBuf> {
    let command = Path::new(program.command);
    if command.components().count() > 1 {
        return Some(program.folder.join(command)).filter(|path| path.is_file());
    }
    let folders = std::env::split_paths(program.search);
    let mut files = folders.map(|folder| program.folder.join(folder).join(command));
    files.find(|path| path.is_file())
}

/// The end of a stream.
#[derive(Default)]
struct Tail {
    bytes: Mutex<VecDeque<u8>>,
    ended: AtomicBool,
}

impl Tail {
    async fn read(self: Arc<Self>, mut stderr: ChildStderr) {
        let mut buffer = [0; 1 << 10];
        while let Ok(count) = stderr.read(&mut buffer).await {
            if count == 0 {
                break;
            }
            let mut bytes = lock(&self.bytes);
            bytes.extend(buffer.iter().take(count));
            let over = bytes.len().saturating_sub(STDERR_BYTES);
            bytes.drain(..over);
        }
        self.ended.store(true, Ordering::SeqCst);
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = lock(&self.bytes).iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

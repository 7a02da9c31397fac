//! Servers as processes of their own.

use crate::Outcome;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Files that a process has to be able to have open.
const FILES: u64 = 15_000;

/// As many open files as 10,000 connections need, here and in the processes begun from here.
pub fn raise_limit() -> Outcome<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < FILES) {
        let maximum = maximum.map(|maximum| maximum.max(FILES));
        setrlimit(Resource::Nofile, Rlimit { current: Some(FILES), maximum })?;
    }
    Ok(())
}

/// A server that is gone with this.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// `contexture serve`, with its contexts in a folder.
    pub fn ours(folder: &Path) -> Outcome<Self> {
        Self::of(folder, "main func(input) { \"hello\" }\n")
    }

    /// The same with another program.
    pub fn of(folder: &Path, text: &str) -> Outcome<Self> {
        let program = folder.join("hello.as");
        std::fs::write(&program, text)?;
        let data = folder.join("data");
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/contexture");
        let contexture = std::env::var_os("CONTEXTURE").map_or(built, PathBuf::from);
        let mut command = Command::new(contexture);
        command.arg("serve").arg(&program).args(["--listen", "127.0.0.1:0", "--data"]).arg(data);
        Self::start(command)
    }

    /// A peer: this program again.
    pub fn peer(what: &str) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["peer", what]);
        Self::start(command)
    }

    fn start(mut command: Command) -> Outcome<Self> {
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let mut said = BufReader::new(child.stderr.take().ok_or("no stderr")?).lines();
        let url = loop {
            let line = said.next().ok_or("the server ended")??;
            if let Some((_, url)) = line.split_once("http://") {
                break url.to_owned();
            }
        };
        // Whatever else it says must not stop it.
        std::thread::spawn(move || said.for_each(drop));
        let address = url.split_whitespace().next().unwrap_or(&url).trim_end_matches('/');
        Ok(Self { child, address: address.parse()? })
    }

    /// Memory that the process takes now, in bytes.
    pub fn memory(&self) -> Outcome<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes: f64 = line.unwrap_or_default().trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes * 1024.0)
    }

    /// Processor time that the process has taken, in seconds.
    pub fn processor(&self) -> Outcome<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, fields) = stat.rsplit_once(')').ok_or("no stat")?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
        // USER_HZ is 100 wherever Linux runs.
        Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

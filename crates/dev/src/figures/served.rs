//! Contexts and connections of `contexture serve`.

use super::product::{Product, project, write};
use super::programs::each;
use super::wire::Wire;
use crate::weight::Measured;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};
use tempfile::TempDir;

/// Updates in a request while a context is filled.
const BATCH: usize = 1_000;
/// Updates, each in a request of its own, whose cost is measured.
const MEASURED: usize = 400;
const PAGE: usize = 100;
const WHEN: &str = "2025-12-01T10:00:00.000Z";
/// Files that a process has open beside its connections.
const OTHER_FILES: u64 = 2_000;

pub(super) fn messages(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    grown(product, sizes, |wire, size| {
        let name = format!("measured-{size}");
        (0..MEASURED).try_for_each(|n| wire.post(&update(&format!("{name}-{n}")).to_string()))?;
        Ok(MEASURED)
    })
}

pub(super) fn pages(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    grown(product, sizes, |wire, size| {
        for n in 0..MEASURED {
            let after = n.wrapping_mul(7_919_003) % (size - PAGE);
            wire.get(&format!("/v1/contexts/grown/messages?after={after}&limit={PAGE}"))?;
        }
        Ok(MEASURED)
    })
}

/// Measures what a server takes for requests to one context that grows to each size: microseconds
/// of processor time.
fn grown(
    product: &Product,
    sizes: &[usize],
    ask: impl Fn(&mut Wire, usize) -> Measured<usize>,
) -> Measured<Vec<f64>> {
    let server = Server::start(product)?;
    let mut wire = Wire::connect(server.address)?;
    let mut filled = 0;
    each(sizes, |size| {
        while filled < size {
            let next = size.min(filled + BATCH);
            let updates: Vec<Value> =
                (filled..next).map(|n| update(&format!("message-{n}"))).collect();
            wire.post(&Value::Array(updates).to_string())?;
            filled = next;
        }
        let before = server.processor()?;
        let count = ask(&mut wire, size)?;
        Ok((server.processor()? - before) / count as f64)
    })
}

fn update(id: &str) -> Value {
    let sender = json!({ "id": "user_123", "type": "USER" });
    json!({
        "messageId": id, "contextId": "grown", "timestamp": WHEN, "type": "CONTEXT_UPDATE",
        "sender": sender,
        "content": { "operation": "ADD_MESSAGE", "message": {
            "messageId": format!("{id}-said"), "timestamp": WHEN, "type": "USER_INPUT",
            "sender": sender,
            "content": { "text": "What will the weather be like tomorrow, and do I need a coat?" },
        }},
    })
}

/// Measures the kilobytes that a server keeps for each connection that says nothing.
pub(super) fn connections(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    let most = sizes.iter().max().copied().unwrap_or_default();
    allow_files(most as u64 + OTHER_FILES)?;
    let server = Server::start(product)?;
    let mut open = Vec::new();
    let (mut memory, mut count) = (server.settled()?, 0);
    each(sizes, |size| {
        while open.len() < size {
            open.push(Wire::session(server.address)?);
        }
        let now = server.settled()?;
        let each = (now - memory) / (size - count) as f64 / 1024.0;
        (memory, count) = (now, size);
        Ok(each)
    })
}

fn allow_files(count: u64) -> Measured<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(|e| e.to_string())?;
    if soft >= count {
        return Ok(());
    }
    setrlimit(Resource::RLIMIT_NOFILE, count.min(hard), hard).map_err(|e| e.to_string())
}

/// A server that ends with this.
struct Server {
    child: Child,
    address: SocketAddr,
    _project: TempDir,
}

impl Server {
    fn start(product: &Product) -> Measured<Self> {
        let project = project()?;
        write(project.path(), "hello.as", "main func(input) { \"hello\" }\n")?;
        let mut child = Command::new(&product.binary)
            .args(["serve", "hello.as", "--listen", "127.0.0.1:0", "--data", "data"])
            .current_dir(project.path())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let said = child.stderr.take().ok_or("the server has no stderr")?;
        let mut said = BufReader::new(said).lines();
        let address = loop {
            let line = said.next().ok_or("the server ended")?.map_err(|e| e.to_string())?;
            if let Some((_, address)) = line.split_once("http://") {
                let address = address.split_whitespace().next().unwrap_or_default();
                break address.trim_end_matches('/').parse().map_err(|_| line)?;
            }
        };
        // What else it says must not stop it.
        thread::spawn(move || said.for_each(drop));
        Ok(Self { child, address, _project: project })
    }

    /// The processor time of all threads so far, in microseconds.
    fn processor(&self) -> Measured<f64> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let mut nanoseconds = 0.0;
        for task in tasks.map_err(|e| e.to_string())?.flatten() {
            // A thread may end between the list and the look.
            let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else { continue };
            let first = text.split_whitespace().next().unwrap_or_default();
            nanoseconds += first.parse::<f64>().map_err(|e| e.to_string())?;
        }
        Ok(nanoseconds / 1e3)
    }

    /// The memory after what was asked is done, in bytes.
    fn settled(&self) -> Measured<f64> {
        thread::sleep(Duration::from_secs(2));
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let text = line.unwrap_or_default().trim().trim_end_matches(" kB");
        Ok(text.parse::<f64>().map_err(|e| format!("{path}: {e}"))? * 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

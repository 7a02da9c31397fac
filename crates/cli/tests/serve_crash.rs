//! `contexture serve` is killed at random points under load from several clients, and started again:
//! no acknowledged update is lost, none is there in half or twice, and turns that were broken off are
//! told (CP-7, CP-12).
//!
//! `CONTEXTURE_CRASH_ROUNDS` and `CONTEXTURE_GARBAGE_ROUNDS` say how often; `.ci/checks/serve_crash.sh` does
//! it more often.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

mod support;

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use support::Sandbox;

/// Clients that change contexts; one more has turns run.
const WRITERS: usize = 4;
/// What all of them change.
const SHARED: &str = "ctx_shared";
/// An agent that takes a moment, so that turns are broken off.
const AGENT: &str =
    "main func(said string) {\n  repeat * 30000 { x = 1 }\n  \"you said: \" + said\n}\n";

/// A server that runs until it is killed.
struct Served {
    child: Child,
    address: SocketAddr,
}

impl Served {
    fn start(sandbox: &Sandbox) -> Self {
        Self::start_with(sandbox, &[]).unwrap_or_else(|told| panic!("it did not start: {told:?}")).0
    }

    /// Starts a server with further arguments; returns what it said, and no server if it ended.
    fn start_with(sandbox: &Sandbox, more: &[&str]) -> Result<(Self, Vec<String>), Vec<String>> {
        let arguments = ["serve", "app.as", "--listen", "127.0.0.1:0"];
        let mut command = sandbox.contexture(arguments);
        command.args(more);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        let address = loop {
            let Some(Ok(line)) = lines.next() else {
                child.wait().unwrap();
                return Err(seen);
            };
            if let Some((_, address)) = line.split_once("http://") {
                break address.split_whitespace().next().unwrap().parse().unwrap();
            }
            seen.push(line);
        };
        // What it says further is not to stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Ok((Self { child, address }, seen))
    }

    /// `kill -9`
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn client(&self) -> Client {
        Client::connect(self.address).unwrap()
    }
}

/// One connection, one request after the other.
struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    fn post(&mut self, message: &Value) -> io::Result<Value> {
        self.send("POST", "/v1/messages", &message.to_string())
    }

    fn get(&mut self, path: &str) -> Value {
        self.send("GET", path, "").unwrap()
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> io::Result<Value> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let mut body = vec![0; length.unwrap()];
        self.stream.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body).unwrap())
    }
}

fn message(id: &str, context: &str, kind: &str, content: Value) -> Value {
    json!({
        "messageId": id,
        "contextId": context,
        "timestamp": "2026-01-01T00:00:00Z",
        "type": kind,
        "sender": { "id": "tester", "type": "USER" },
        "content": content,
    })
}

/// The n-th update of a writer: a message, or a number in the state.
fn update(id: &str, writer: usize, number: usize) -> Value {
    let own = format!("ctx_{writer}");
    let context = if number.is_multiple_of(3) { SHARED } else { &own };
    let content = if number.is_multiple_of(2) {
        let text = format!("{id} {}", "x".repeat(number % 700));
        let added = json!({ "messageId": id, "type": "USER_INPUT", "content": { "text": text } });
        json!({ "operation": "ADD_MESSAGE", "message": added })
    } else {
        json!({ "operation": "UPDATE_STATE", "path": format!("last.w{writer}"), "value": id })
    };
    message(&format!("u_{id}"), context, "CONTEXT_UPDATE", content)
}

/// What clients know.
#[derive(Default)]
struct Known {
    /// Updates with the answers that acknowledged them.
    updates: Vec<(Value, Value)>,
    /// Turns with their answers.
    turns: Vec<(Value, Value)>,
    /// What was sent when the server was killed.
    open: Vec<Value>,
}

/// Sends until the server is gone.
fn write(address: SocketAddr, round: usize, writer: usize, known: &Mutex<Known>) {
    let Ok(mut client) = Client::connect(address) else { return };
    for number in 0.. {
        let update = update(&format!("{round}-{writer}-{number}"), writer, number);
        match client.post(&update) {
            Ok(answer) => known.lock().unwrap().updates.push((update, answer)),
            Err(_) => return known.lock().unwrap().open.push(update),
        }
    }
}

fn talk(address: SocketAddr, round: usize, known: &Mutex<Known>) {
    let Ok(mut client) = Client::connect(address) else { return };
    for number in 0.. {
        let id = format!("t_{round}-{number}");
        let said = message(&id, "ctx_turns", "USER_INPUT", json!({ "text": id }));
        match client.post(&said) {
            Ok(answer) => known.lock().unwrap().turns.push((said, answer)),
            Err(_) => return known.lock().unwrap().open.push(said),
        }
    }
}

/// Numbers that are the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

#[derive(Debug, Default)]
struct Counts {
    rounds: usize,
    acknowledged: usize,
    turns: usize,
    /// Sent when the server was killed: kept before it, taken now, told as uncertain.
    kept: usize,
    taken: usize,
    uncertain: usize,
    finished: usize,
}

#[test]
fn cp_12_server_killed_under_load_loses_nothing_acknowledged() {
    let rounds = std::env::var("CONTEXTURE_CRASH_ROUNDS").ok();
    let rounds: usize = rounds.map_or(10, |text| text.parse().unwrap());
    let sandbox = Sandbox::new();
    sandbox.write("app.as", AGENT);
    let mut chance = Chance(20_251_201);
    let mut counts = Counts { rounds, ..Counts::default() };
    let mut all = Known::default();
    for round in 0..rounds {
        let served = Served::start(&sandbox);
        settle(&served, &mut all, &mut counts);
        let (known, address) = (Mutex::new(Known::default()), served.address);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let known = &known;
                scope.spawn(move || write(address, round, writer, known));
            }
            scope.spawn(|| talk(address, round, &known));
            std::thread::sleep(Duration::from_millis(5 + chance.below(150)));
            served.kill();
        });
        let known = known.into_inner().unwrap();
        for (update, answer) in &known.updates {
            assert_eq!(answer["type"], "ACK", "{update}: {answer}");
        }
        counts.acknowledged += known.updates.len();
        counts.turns += known.turns.len();
        repeat(&sandbox, &known);
        all.updates.extend(known.updates);
        all.turns.extend(known.turns);
        all.open = known.open;
    }
    let served = Served::start(&sandbox);
    settle(&served, &mut all, &mut counts);
    check(&served, &all);
    served.kill();
    println!("{counts:?}");
    assert!(counts.acknowledged >= counts.rounds, "the load was no load: {counts:?}");
}

/// The last of what was acknowledged gets its answer again, from a server that is killed at once.
fn repeat(sandbox: &Sandbox, known: &Known) {
    let served = Served::start(sandbox);
    let mut client = served.client();
    for (sent, answer) in
        known.updates.iter().rev().take(20).chain(known.turns.iter().rev().take(3))
    {
        let again = client.post(sent).unwrap();
        assert_eq!(&again, answer, "{sent}");
    }
    served.kill();
}

/// What was open when the server was killed is sent again: it has effect once.
fn settle(served: &Served, all: &mut Known, counts: &mut Counts) {
    let mut client = served.client();
    for sent in std::mem::take(&mut all.open) {
        let context = sent["contextId"].as_str().unwrap();
        let version = |client: &mut Client| {
            client.get(&format!("/v1/contexts/{context}?messages=0"))["version"].as_u64()
        };
        let before = version(&mut client);
        let answer = client.post(&sent).unwrap();
        let is_new = before != version(&mut client);
        match (sent["type"].as_str().unwrap(), answer["type"].as_str().unwrap()) {
            ("CONTEXT_UPDATE", "ACK") if is_new => counts.taken += 1,
            ("CONTEXT_UPDATE", "ACK") => counts.kept += 1,
            ("USER_INPUT", "MODEL_RESPONSE") => counts.finished += 1,
            ("USER_INPUT", "ERROR_RESPONSE") => {
                assert_eq!(answer["content"]["errorCode"], "OUTCOME_UNCERTAIN", "{answer}");
                assert!(!is_new, "the turn ran again");
                counts.uncertain += 1;
            }
            _ => panic!("{sent}: {answer}"),
        }
        // And then it has had its effect.
        let now = version(&mut client);
        assert_eq!(client.post(&sent).unwrap(), answer);
        assert_eq!(version(&mut client), now, "{sent}");
        if sent["type"] == "CONTEXT_UPDATE" {
            all.updates.push((sent, answer));
        } else {
            all.turns.push((sent, answer));
        }
    }
}

/// Whether all that was acknowledged is there, once and whole, and the log leads to the state.
fn check(served: &Served, all: &Known) {
    let mut client = served.client();
    let mut contexts: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for (sent, answer) in &all.updates {
        let context = sent["contextId"].as_str().unwrap().to_owned();
        let id = sent["messageId"].as_str().unwrap().to_owned();
        let version = answer["content"]["version"].as_u64().unwrap();
        contexts.entry(context).or_default().insert(id, version);
    }
    for (context, acknowledged) in &contexts {
        let log = log(&mut client, context);
        let mut state = json!({});
        let mut seen = BTreeSet::new();
        let mut added = Vec::new();
        for (place, change) in log.iter().enumerate() {
            // Each update is one operation here, and raises the version by one.
            assert_eq!(change["version"], place as u64 + 1, "{context}: {change}");
            let cause = change["cause"].as_str().unwrap();
            assert!(seen.insert(cause.to_owned()), "{cause} is there twice");
            match change["op"].as_str().unwrap() {
                "ADD_MESSAGE" => {
                    let message = &change["message"];
                    let text = message["content"]["text"].as_str().unwrap();
                    let id = message["messageId"].as_str().unwrap();
                    assert!(text.starts_with(&format!("{id} ")), "a part of {id}: {text}");
                    added.push(message.clone());
                }
                _ => {
                    let name = change["path"].as_str().unwrap().strip_prefix("last.").unwrap();
                    state["last"][name] = change["value"].clone();
                }
            }
        }
        let causes: BTreeMap<&str, u64> = log
            .iter()
            .map(|change| (change["cause"].as_str().unwrap(), change["version"].as_u64().unwrap()))
            .collect();
        for (id, version) in acknowledged {
            assert_eq!(causes.get(id.as_str()), Some(version), "{context}: {id} was acknowledged");
        }
        assert_eq!(causes.len(), acknowledged.len(), "{context} has what nobody sent");
        let head = client.get(&format!("/v1/contexts/{context}?messages=0"));
        assert_eq!(head["state"], state, "{context}");
        assert_eq!(head["version"], log.len() as u64);
        let messages =
            pages(&mut client, &format!("/v1/contexts/{context}/messages"), "after", "messages");
        assert_eq!(messages, added, "{context}");
    }
    turns(&mut client, all);
}

/// Each turn left its question once, and its answer.
fn turns(client: &mut Client, all: &Known) {
    if all.turns.is_empty() {
        return;
    }
    let messages = pages(client, "/v1/contexts/ctx_turns/messages", "after", "messages");
    for (sent, answer) in &all.turns {
        let id = &sent["messageId"];
        let asked = messages.iter().filter(|message| message["messageId"] == *id).count();
        assert_eq!(asked, 1, "{id}");
        let answers = messages.iter().filter(|one| one["metadata"]["inReplyTo"] == *id);
        let ids: Vec<&Value> = answers.map(|one| &one["messageId"]).collect();
        assert_eq!(ids, [&answer["messageId"]], "{id}");
    }
}

fn log(client: &mut Client, context: &str) -> Vec<Value> {
    pages(client, &format!("/v1/contexts/{context}/changes"), "since", "changes")
}

fn pages(client: &mut Client, path: &str, from: &str, name: &str) -> Vec<Value> {
    let (mut all, mut next) = (Vec::new(), 0);
    loop {
        let page = client.get(&format!("{path}?{from}={next}&limit=1000"));
        all.extend(page[name].as_array().unwrap().iter().cloned());
        match page["next"].as_u64() {
            Some(later) => next = later,
            None => return all,
        }
    }
}

/// Garbage is written into the files that a killed server left: a server that starts on them is ready
/// only when everything that was acknowledged is there. `CONTEXTURE_GARBAGE_ROUNDS` says how often.
#[test]
fn gu_12_server_is_never_ready_on_garbage_with_acknowledged_updates_missing() {
    let rounds = std::env::var("CONTEXTURE_GARBAGE_ROUNDS").ok();
    let rounds: u64 = rounds.map_or(12, |text| text.parse().unwrap());
    let sandbox = Sandbox::new();
    sandbox.write("app.as", AGENT);
    let served = Served::start(&sandbox);
    let (known, address) = (Mutex::new(Known::default()), served.address);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let known = &known;
            scope.spawn(move || write(address, 0, writer, known));
        }
        std::thread::sleep(Duration::from_millis(150));
        served.kill();
    });
    let mut all = known.into_inner().unwrap();
    let open = std::mem::take(&mut all.open);
    let left = sandbox.path(".contexture/data");
    let mut chance = Chance(500);
    let (mut ready, mut told) = (0, 0);
    let began = std::time::Instant::now();
    for round in 0..rounds {
        if began.elapsed() > Duration::from_secs(600) {
            break;
        }
        let copy = copy_of(&left, &sandbox.path("copy"));
        let file = ["contexts.db-wal", "contexts.db", "contexts.db-marks"]
            [usize::from(round % 4 == 2) + usize::from(round % 8 == 6)];
        if round > 0 {
            let mut bytes = std::fs::read(copy.join(file)).unwrap();
            let at = usize::try_from(chance.below(bytes.len() as u64)).unwrap();
            bytes.iter_mut().skip(at).take(500).for_each(|byte| {
                *byte = u8::try_from(chance.below(256)).unwrap();
            });
            std::fs::write(copy.join(file), bytes).unwrap();
        }
        let data = copy.display().to_string();
        let Ok((served, said)) = Served::start_with(&sandbox, &["--data", &data]) else {
            assert_ne!(round, 0, "a plain kill");
            told += 1;
            continue;
        };
        let mut client = served.client();
        let state = client.get("/readyz");
        if state["status"] == "ready" {
            ready += 1;
            // What was not acknowledged may be there or not.
            let mut all = Known { updates: all.updates.clone(), ..Known::default() };
            for sent in &open {
                let answer = client.post(sent).unwrap();
                all.updates.push((sent.clone(), answer));
            }
            check(&served, &all);
        } else {
            assert_ne!(round, 0, "a plain kill: {state} {said:?}");
            told += 1;
            let reason = state["reasons"][0].as_str().unwrap();
            assert!(reason.contains("contexts") || reason.contains("marks"), "{state}");
            assert!(said.iter().any(|line| line.contains("context salvage")), "{said:?}");
            let refused = client.get("/v1/contexts");
            assert_eq!(refused["content"]["details"]["violatedPolicies"][0], "contexts_damaged");
        }
        served.kill();
    }
    println!("garbage: {told} told, {ready} ready and whole, of {} updates", all.updates.len());
    assert!(ready > 0 && told > 0);
}

fn copy_of(folder: &std::path::Path, target: &std::path::Path) -> std::path::PathBuf {
    drop(std::fs::remove_dir_all(target));
    std::fs::create_dir_all(target).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        // Locks are held by others, and its index SQLite makes anew.
        if entry.file_type().unwrap().is_file() && entry.file_name() != "contexts.db-shm" {
            std::fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
        }
    }
    target.to_owned()
}

#[test]
fn gu_12_backups_of_busy_server_are_whole_and_hold_acknowledged_messages() {
    let sandbox = Sandbox::new();
    sandbox.write("app.as", AGENT);
    let served = Served::start(&sandbox);
    let (known, address) = (Mutex::new(Known::default()), served.address);
    let mut acknowledged = Vec::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let known = &known;
            scope.spawn(move || write(address, 0, writer, known));
        }
        for number in 0..3 {
            std::thread::sleep(Duration::from_millis(50));
            acknowledged.push(known.lock().unwrap().updates.clone());
            let _ = sandbox.run(["context", "backup", &format!("copy-{number}")]).exits(0);
        }
        served.kill();
    });
    for (number, acknowledged) in acknowledged.iter().enumerate() {
        let (copy, data) = (format!("copy-{number}"), format!("restored-{number}"));
        let _ = sandbox.run(["context", "restore", &copy, "--data", &data]).exits(0);
        let _ = sandbox.run(["context", "verify", "--data", &data]).exits(0);
        let (served, _) = Served::start_with(&sandbox, &["--data", &data]).unwrap();
        let mut client = served.client();
        assert_eq!(client.get("/readyz")["status"], "ready");
        for (sent, answer) in acknowledged {
            assert_eq!(&client.post(sent).unwrap(), answer, "it has its effect already");
        }
        served.kill();
    }
    let refused = sandbox.run(["context", "restore", "copy-0", "--data", "restored-1"]).exits(2);
    assert!(refused.stderr.contains("is not empty"), "{}", refused.stderr);
    let served = Served::start(&sandbox);
    let held = sandbox.run(["context", "restore", "copy-0", "--force"]).exits(2);
    assert!(held.stderr.contains("another server has the folder"), "{}", held.stderr);
    served.kill();
}

#[test]
fn gu_12_missing_updates_are_told_by_context_and_can_be_accepted() {
    let sandbox = Sandbox::new();
    sandbox.write("app.as", AGENT);
    let served = Served::start(&sandbox);
    let mut client = served.client();
    let mut client_posts = |from: usize, to: usize| {
        for number in from..to {
            let answer = client.post(&update(&format!("n{number}"), 1, number)).unwrap();
            assert_eq!(answer["type"], "ACK", "{answer}");
        }
    };
    client_posts(0, 10);
    let data = sandbox.path(".contexture/data");
    let before = std::fs::read(data.join("contexts.db-wal")).unwrap();
    client_posts(10, 20);
    served.kill();
    std::fs::write(data.join("contexts.db-wal"), &before).unwrap();
    let (served, said) = Served::start_with(&sandbox, &[]).unwrap();
    let said = said.join("\n");
    for part in [
        "context `ctx_shared` of `local`: version 7 was acknowledged, version 4 is there",
        "context `ctx_1` of `local`: version 13 was acknowledged, version 6 is there",
        "--accept-loss",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let state = served.client().get("/readyz");
    let reasons = json!(["acknowledged updates of contexts are missing"]);
    assert_eq!(state, json!({ "status": "not ready", "reasons": reasons }));
    served.kill();
    assert_eq!(std::fs::read(data.join("contexts.db-wal")).unwrap(), before, "left as it was");
    let listed = sandbox.run(["context", "list"]).exits(1);
    assert!(listed.stderr.contains("version 13 was acknowledged"), "{}", listed.stderr);

    let (served, _) = Served::start_with(&sandbox, &["--accept-loss"]).unwrap();
    assert_eq!(served.client().get("/readyz")["status"], "ready");
    served.kill();
    let audit = std::fs::read_to_string(data.join("audit.jsonl")).unwrap();
    let accepted: Vec<Value> = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["event"] == "loss_accepted")
        .collect();
    assert_eq!(accepted.len(), 2, "{audit}");
    assert_eq!((&accepted[0]["acknowledged"], &accepted[0]["found"]), (&json!(7), &json!(4)));
    let (served, _) = Served::start_with(&sandbox, &[]).unwrap();
    assert_eq!(served.client().get("/readyz")["status"], "ready");
    served.kill();
}

#[test]
fn gu_12_damaged_journal_of_flows_is_reported_and_rest_is_salvaged() {
    let sandbox = Sandbox::new();
    sandbox.write("app.as", AGENT);
    let echo = json!({ "instructionId": "a", "action": "echo", "parameters": { "text": "hello" } });
    sandbox.write("set.json", json!({ "instructions": [echo] }).to_string());
    for _ in 0..40 {
        let _ = sandbox.run(["flow", "run", "set.json", "--quiet"]).exits(0);
    }
    let path = sandbox.path(".contexture/data/flows.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.len() - 4_096;
    bytes[at..at + 500].fill(0xa7);
    std::fs::write(&path, &bytes).unwrap();
    let (served, said) = Served::start_with(&sandbox, &[]).unwrap();
    let reasons = json!(["the journal of flows is damaged"]);
    assert_eq!(served.client().get("/readyz")["reasons"], reasons, "{said:?}");
    served.kill();
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "left as it was");
    let refused = Served::start_with(&sandbox, &["--accept-loss"]).err().unwrap().join("\n");
    assert!(refused.contains("more is damaged than can be accepted"), "{refused}");
    let _ = sandbox.run(["context", "salvage", "saved"]).exits(1);
    let _ = sandbox.run(["context", "verify", "--data", "saved"]).exits(0);
    let (served, said) = Served::start_with(&sandbox, &["--data", "saved"]).unwrap();
    assert_eq!(served.client().get("/readyz")["status"], "ready", "{said:?}");
    served.kill();
}

#[test]
fn cp_12_second_server_can_not_use_folder_of_running_server() {
    let sandbox = Sandbox::new();
    sandbox.write("app.as", AGENT);
    let served = Served::start(&sandbox);
    let second = sandbox.run(["serve", "app.as", "--listen", "127.0.0.1:0"]).exits(2);
    assert!(second.stderr.contains("another server has the folder"), "{}", second.stderr);
    let mut client = served.client();
    let said = message("m1", "ctx_a", "USER_INPUT", json!({ "text": "hello" }));
    assert_eq!(client.post(&said).unwrap()["content"]["text"], "you said: hello");
    // The command line reads beside it.
    let shown = sandbox.run(["context", "show", "ctx_a", "--json"]).exits(0).json();
    assert_eq!(shown["messageCount"], 2);
    served.kill();
}

//! Contexts in SQLite: durable ADD_MESSAGE from 64 writers beside one synced SQLite transaction for
//! each update, and a context of 1,000,000 messages beside an empty one (CP-12).
//!
//! `cargo run --release` prints the medians of interleaved rounds and their ratios. Everything lies
//! in one folder, so that all sides have the same disk: `TMPDIR` chooses it. The peer inserts a row
//! with the message's text and nothing else; ours writes the message, its key, its answer and the
//! context's row. With the address of a PostgreSQL database as argument, the same is measured there (WA-11).

mod large;
mod postgres;

use contexture_store::contexts::{
    Answer, ContextStore, MessageKey, NewMessage, Operation, Options, SqliteContexts, Update,
};
use rusqlite::Connection;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

const WRITERS: usize = 64;
const ROUNDS: usize = 7;
const EACH: usize = 50;
const PEER: usize = 200;

fn main() -> Outcome<()> {
    if let Some(url) = std::env::args().nth(1) {
        return postgres::measure(&url);
    }
    let folder = tempfile::tempdir()?;
    let peer = peer(&folder.path().join("peer.db"))?;
    let store = SqliteContexts::open(&folder.path().join("contexts.db"), Options::default())?;
    let (mut single, mut one, mut many) = (Vec::new(), Vec::new(), Vec::new());
    let (mut one_waits, mut many_waits) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let by_one = transactions(&peer, round)?;
        let to_one = write(&store, round, |_| "ctx_one".to_owned());
        let to_many = write(&store, round, |writer| format!("ctx_{writer}"));
        // The first round warms all sides up.
        if round > 0 {
            single.push(by_one);
            one.push(to_one.0);
            many.push(to_many.0);
            one_waits.extend(to_one.1);
            many_waits.extend(to_many.1);
        }
    }
    let single = median(&mut single);
    println!("one synced transaction for each update: {single:.0}/s");
    for (name, rates, waits) in [
        ("64 writers to one context", &mut one, &mut one_waits),
        ("64 writers to 64 contexts", &mut many, &mut many_waits),
    ] {
        let rate = median(rates);
        println!(
            "{name}: {rate:.0}/s, ratio {:.1}; p50 {:.1} ms, p99 {:.1} ms",
            rate / single,
            share(waits, 50).as_secs_f64() * 1e3,
            share(waits, 99).as_secs_f64() * 1e3
        );
    }
    large::measure(folder.path())
}

fn peer(path: &Path) -> Outcome<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.execute_batch("create table messages (seq integer primary key, text text)")?;
    Ok(connection)
}

/// Updates of the peer in a second.
fn transactions(peer: &Connection, round: usize) -> Outcome<f64> {
    let began = Instant::now();
    for n in 0..PEER {
        let text = text(&format!("peer-{round}-{n}"));
        let mut insert = peer.prepare_cached("insert into messages (text) values (?1)")?;
        insert.execute([text])?;
    }
    Ok(PEER as f64 / began.elapsed().as_secs_f64())
}

fn text(id: &str) -> String {
    format!(
        r#"{{"messageId":"{id}","contextId":"ctx_bench","timestamp":"2025-12-01T10:00:00.000Z","type":"USER_INPUT","sender":{{"id":"user_123","type":"USER"}},"content":{{"text":"What will the weather be like in Beijing tomorrow afternoon, and do I need a coat?"}}}}"#
    )
}

/// ADD_MESSAGE as the server sends it in: with the key and the acknowledgement of its message.
fn add(context: &str, id: &str) -> Update {
    let ack = |applied: &contexture_store::contexts::Applied| {
        format!(r#"{{"messageId":"ack","type":"ACK","content":{{"version":{}}}}}"#, applied.version)
    };
    let mut digest = [0; 32];
    digest.iter_mut().zip(id.bytes()).for_each(|(to, from)| *to = from);
    let key = MessageKey { message_id: id.to_owned(), digest, answer: Answer::Made(Arc::new(ack)) };
    let message = NewMessage::parse(&text(id)).expect("a message");
    let update = Update::new("ann", context, vec![Operation::AddMessage(message)]);
    Update { key: Some(key), cause: Some(id.to_owned()), ..update }
}

/// Updates of 64 writers in a second, and how long each waited.
fn write(
    store: &dyn ContextStore,
    round: usize,
    context: impl Fn(usize) -> String + Sync,
) -> (f64, Vec<Duration>) {
    let began = Instant::now();
    let waits = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let context = context(writer);
                scope.spawn(move || {
                    let each = (0..EACH).map(|n| {
                        let update = add(&context, &format!("{context}-{round}-{writer}-{n}"));
                        let began = Instant::now();
                        store.apply(update).expect("an update");
                        began.elapsed()
                    });
                    each.collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect()
    });
    ((WRITERS * EACH) as f64 / began.elapsed().as_secs_f64(), waits)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn share(values: &mut [Duration], percent: usize) -> Duration {
    values.sort();
    values[(values.len() - 1) * percent / 100]
}

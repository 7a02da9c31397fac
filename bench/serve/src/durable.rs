//! ADD_MESSAGE that is acknowledged when it is on the disk, over WebSockets.

use crate::child::Server;
use crate::wire::{Wire, frame};
use crate::{Outcome, median};
use rusqlite::Connection;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::task::LocalSet;

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_secs(2);
const PEER: usize = 200;

pub async fn measure() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let peer = peer(&folder.path().join("peer.db"))?;
    let ours = Server::ours(folder.path())?;
    let mut processor = [(0.0, 0.0), (0.0, 0.0)];
    let (mut single, mut results) = (Vec::new(), [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())]);
    for round in 0..=ROUNDS {
        let by_one = transactions(&peer, round)?;
        for (side, (contexts, result)) in [1, CONNECTIONS].into_iter().zip(&mut results).enumerate()
        {
            let before = ours.processor()?;
            let (rate, waits) = rate(ours.address, contexts, round).await?;
            if round > 0 {
                processor[side].0 += ours.processor()? - before;
                processor[side].1 += waits.len() as f64;
                result.0.push(rate);
                result.1.extend(waits);
            }
        }
        // The first round warms both sides up.
        if round > 0 {
            single.push(by_one);
        }
    }
    let single = median(&mut single);
    println!("one synced SQLite transaction for each update: {single:.0}/s");
    let processor = processor.map(|(seconds, count)| seconds / count * 1e6);
    for ((contexts, (rates, waits)), processor) in
        [1, CONNECTIONS].into_iter().zip(&mut results).zip(processor)
    {
        let rate = median(rates);
        waits.sort_by(f64::total_cmp);
        let share = |percent: usize| waits[(waits.len() - 1) * percent / 100];
        println!(
            "ADD_MESSAGE, {CONNECTIONS} connections, {contexts} contexts: {rate:.0}/s, ratio {:.1}; p50 {:.1} ms, p99 {:.1} ms, longest {:.0} ms; {processor:.0} µs of processor time each",
            rate / single,
            share(50),
            share(99),
            share(100)
        );
    }
    Ok(())
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
        let mut insert = peer.prepare_cached("insert into messages (text) values (?1)")?;
        insert.execute([update("peer", &format!("peer-{round}-{n}"))])?;
    }
    Ok(PEER as f64 / began.elapsed().as_secs_f64())
}

fn update(context: &str, id: &str) -> String {
    format!(
        r#"{{"messageId":"{id}","contextId":"{context}","timestamp":"2025-12-01T10:00:00.000Z","type":"CONTEXT_UPDATE","sender":{{"id":"user_123","type":"USER"}},"content":{{"operation":"ADD_MESSAGE","message":{{"messageId":"{id}-said","timestamp":"2025-12-01T10:00:00.000Z","type":"USER_INPUT","sender":{{"id":"user_123","type":"USER"}},"content":{{"text":"What will the weather be like in Beijing tomorrow afternoon, and do I need a coat?"}}}}}}}}"#
    )
}

async fn rate(address: SocketAddr, contexts: usize, round: usize) -> Outcome<(f64, Vec<f64>)> {
    let local = LocalSet::new();
    let waits = Rc::new(RefCell::new(Vec::new()));
    let mut wires = Vec::new();
    for _ in 0..CONNECTIONS {
        wires.push(Wire::session(address).await?);
    }
    let began = Instant::now();
    let tasks: Vec<_> = wires
        .into_iter()
        .enumerate()
        .map(|(n, wire)| {
            let context = format!("ctx-{contexts}-{}", n % contexts);
            let id = format!("{contexts}-{round}-{n}");
            local.spawn_local(load(wire, context, id, Rc::clone(&waits), began))
        })
        .collect();
    local.await;
    let took = began.elapsed().as_secs_f64();
    for task in tasks {
        task.await?.map_err(|error| error.to_string())?;
    }
    let waits = waits.take();
    Ok((waits.len() as f64 / took, waits))
}

async fn load(
    mut wire: Wire,
    context: String,
    id: String,
    waits: Rc<RefCell<Vec<f64>>>,
    began: Instant,
) -> Outcome<()> {
    let mut n = 0;
    while began.elapsed() < ROUND {
        let frame = frame(&update(&context, &format!("{id}-{n}")));
        let sent = Instant::now();
        wire.write(&frame).await?;
        let answer = wire.text().await?;
        waits.borrow_mut().push(sent.elapsed().as_secs_f64() * 1e3);
        if !answer.contains("\"ACK\"") {
            return Err(answer.into());
        }
        n += 1;
    }
    Ok(())
}

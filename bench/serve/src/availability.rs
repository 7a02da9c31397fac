//! A message that nothing is kept of, over WebSockets, beside an echo.

use crate::child::Server;
use crate::wire::{Wire, frame};
use crate::{Outcome, median};
use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::task::LocalSet;

const IN_FLIGHT: usize = 16;
const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_secs(1);

const QUERY: &str = r#"{"messageId":"msg_01KZ0000000000000000000000","contextId":"ctx_01KZ0000000000000000000000","timestamp":"2025-12-01T10:00:00.000Z","type":"TOOL_AVAILABILITY_REQUEST","sender":{"id":"model_service","type":"USER"},"content":{"tools":[{"toolId":"highlight_element","minVersion":"1.0.0","requiredCapabilities":["dom_access"]},{"toolId":"local_image_resize"}]}}"#;

pub async fn measure() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let ours = Server::ours(folder.path())?;
    let peer = Server::peer("echo")?;
    for connections in [1, 64] {
        let (mut mine, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut processor = [(0.0, 0.0), (0.0, 0.0)];
        for round in 0..=ROUNDS {
            let before = [peer.processor()?, ours.processor()?];
            let by_peer = rate(peer.address, connections).await?;
            let by_us = rate(ours.address, connections).await?;
            let after = [peer.processor()?, ours.processor()?];
            // The first round warms both sides up.
            if round > 0 {
                theirs.push(by_peer);
                mine.push(by_us);
                ratios.push(by_us / by_peer);
                for (side, rate) in [by_peer, by_us].into_iter().enumerate() {
                    processor[side].0 += after[side] - before[side];
                    processor[side].1 += rate * ROUND.as_secs_f64();
                }
            }
        }
        println!(
            "availability, {connections} connections, {IN_FLIGHT} in flight each: {:.0}/s; bare axum echo {:.0}/s; ratio {:.2} ({:.2}..{:.2})",
            median(&mut mine),
            median(&mut theirs),
            median(&mut ratios),
            ratios.first().unwrap_or(&0.0),
            ratios.last().unwrap_or(&0.0),
        );
        let [theirs, mine] = processor.map(|(seconds, count)| seconds / count * 1e6);
        println!(
            "  processor time of a message: {mine:.2} µs beside {theirs:.2}, ratio {:.2}",
            theirs / mine
        );
    }
    Ok(())
}

async fn rate(address: SocketAddr, connections: usize) -> Outcome<f64> {
    let local = LocalSet::new();
    let answered = Rc::new(Cell::new(0_usize));
    let mut wires = Vec::new();
    for _ in 0..connections {
        wires.push(Wire::session(address).await?);
    }
    let began = Instant::now();
    let tasks: Vec<_> = wires
        .into_iter()
        .map(|wire| local.spawn_local(load(wire, Rc::clone(&answered), began)))
        .collect();
    local.await;
    for task in tasks {
        task.await?.map_err(|error| error.to_string())?;
    }
    Ok(answered.get() as f64 / began.elapsed().as_secs_f64())
}

async fn load(mut wire: Wire, answered: Rc<Cell<usize>>, began: Instant) -> Outcome<()> {
    let one = frame(QUERY);
    let burst = one.repeat(IN_FLIGHT);
    wire.write(&burst).await?;
    let mut open = IN_FLIGHT;
    while open > 0 {
        let came = wire.frames().await?;
        answered.set(answered.get() + came);
        open -= came;
        if began.elapsed() < ROUND {
            wire.write(&burst[..one.len() * came]).await?;
            open += came;
        }
    }
    Ok(())
}

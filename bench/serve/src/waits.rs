//! 100,000 turns that wait for a person: the memory of each, and the restart of a killed server (WA-1).

use crate::Outcome;
use crate::child::Server;
use crate::wire::{Wire, frame};
use std::time::{Duration, Instant};

/// The number of waits; the variable `WAITS` sets another one.
const WAITS: usize = 100_000;
/// The turns that come before those that are measured.
const WARM: usize = 500;
/// The turns that are under way at a time.
const AT_ONCE: usize = 1_000;

const PROGRAM: &str = "import tool Page from \"frontend://pick\"\nmain func(input { text string }) { Page.run({ what: input.text }) }\n";
const CONFIG: &str = "[serve]\nturns = 1000\n[trace]\nkeep = false\n";
const HELLO: &str = r#"{"messageId":"hello","timestamp":"2025-12-01T10:00:00Z","type":"HELLO","sender":{"id":"page","type":"USER"},"content":{"protocolVersion":"1.0.0"}}"#;
const TOOLS: &str = r#"{"messageId":"tools","timestamp":"2025-12-01T10:00:00Z","type":"CLIENT_CAPABILITIES","sender":{"id":"page","type":"USER"},"content":{"clientId":"page","supportedTools":[{"toolId":"pick","runtime":"FRONTEND","parameters":{"type":"object","properties":{"what":{"type":"string"}}}}]}}"#;

pub async fn measure() -> Outcome<()> {
    let waits = std::env::var("WAITS").ok().and_then(|text| text.parse().ok()).unwrap_or(WAITS);
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("contexture.toml"), CONFIG)?;
    let server = Server::of(folder.path(), PROGRAM)?;
    let mut page = Wire::open(server.address).await?;
    page.write(&frame(HELLO)).await?;
    page.frames().await?;
    page.write(&frame(TOOLS)).await?;
    page.frames().await?;
    ask(&mut page, 0..WARM).await?;
    let before = rested(&server).await?;
    let began = Instant::now();
    ask(&mut page, WARM..WARM + waits).await?;
    let rate = waits as f64 / began.elapsed().as_secs_f64();
    let each = (rested(&server).await? - before) / waits as f64;
    drop(page);
    // Killed: what is left is what was on disk.
    drop(server);
    let began = Instant::now();
    let server = Server::of(folder.path(), PROGRAM)?;
    let (restart, processor) = (began.elapsed(), server.processor()?);
    let after = rested(&server).await? / (waits + WARM) as f64;
    println!(
        "{waits} turns that wait: {:.2} KB each, begun at {rate:.0}/s; a killed server is there again after {:.2} s ({processor:.2} s of processor time), with {:.2} KB each, its own included",
        each / 1024.0,
        restart.as_secs_f64(),
        after / 1024.0
    );
    Ok(())
}

/// Memory of the server when nothing runs any more, and the threads of what ran have ended: they do so after
/// ten seconds without work, and their stacks would be counted for what waits.
async fn rested(server: &Server) -> Outcome<f64> {
    tokio::time::sleep(Duration::from_secs(14)).await;
    server.memory()
}

/// Begins turns, and waits until each has asked its page.
async fn ask(page: &mut Wire, turns: std::ops::Range<usize>) -> Outcome<()> {
    let (mut open, last) = (0, turns.end);
    for turn in turns {
        let text = format!(
            r#"{{"messageId":"m{turn}","contextId":"ctx_{turn}","timestamp":"2025-12-01T10:00:00Z","type":"USER_INPUT","sender":{{"id":"page","type":"USER"}},"content":{{"text":"go"}}}}"#
        );
        page.write(&frame(&text)).await?;
        open += 1;
        while open >= AT_ONCE || open > 0 && turn + 1 == last {
            let told = page.text().await?;
            if told.contains("ERROR_RESPONSE") {
                return Err(told.into());
            }
            open -= usize::from(told.contains("TOOL_CALL_REQUEST"));
        }
    }
    Ok(())
}

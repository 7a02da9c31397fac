//! MCP: what `tools/call` of `resolve_knowledge` over stdio takes beside the library call (KN-16).
//!
//! `cargo run --release` makes a pack of 2,000 sections, starts itself as the server, and asks both
//! the same questions in turn. It prints the medians, and what the wire, the JSON and the line in the
//! usage log add. Both sides are asked in blocks of 100 in turn: asked one by one, each would find the
//! caches full of the other's data. On a machine with other work the figure grows, since four threads
//! are woken for a call and have to wait for a core.

mod pack;
mod wire;

use contexture::knowledge::resolve::Task;
use contexture::packs::{Options, Packs};
use contexture::{Environment, Project};
use contexture_server::mcp::{Server, Settings, stdio};
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use wire::Wire;

/// Questions that one side is asked before the other has its turn.
const BLOCK: usize = 100;
const ROUNDS: usize = 20;
const CALLS: usize = BLOCK * ROUNDS;
const BUDGET: u64 = 2_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, command, folder] = arguments.as_slice()
        && command == "serve"
    {
        return serve(Path::new(folder));
    }
    let folder = tempfile::tempdir()?;
    pack::write(folder.path())?;
    let packs = Packs::open(&project(folder.path())?, options());
    let mut wire = Wire::start(folder.path())?;
    let (mut library, mut logged, mut called) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    for round in 0..=ROUNDS {
        // The first round warms both sides up.
        let counts = round > 0;
        let questions: Vec<String> =
            (0..BLOCK).map(|n| pack::question(round * BLOCK + n)).collect();
        let mut contexts = Vec::new();
        for question in &questions {
            let began = Instant::now();
            let found = packs.resolve(&["bench"], &Task::new(question.as_str(), BUDGET))?;
            let resolved = began.elapsed();
            packs.log(&found)?;
            if counts {
                library.push(resolved.as_secs_f64() * 1e3);
                logged.push(began.elapsed().as_secs_f64() * 1e3);
            }
            contexts.push(found.context);
        }
        for (question, context) in questions.iter().zip(&contexts) {
            let began = Instant::now();
            let answer = wire.resolve(question, BUDGET)?;
            if counts {
                called.push(began.elapsed().as_secs_f64() * 1e3);
                bytes += answer.bytes;
            }
            assert_eq!(answer.context, *context, "both say the same");
        }
    }
    let mut pings = Vec::new();
    for _ in 0..CALLS {
        let began = Instant::now();
        wire.ping()?;
        pings.push(began.elapsed().as_secs_f64() * 1e3);
    }
    wire.end()?;
    print("library call", &mut library);
    print("library call and its line in the usage log", &mut logged);
    print("tools/call over stdio", &mut called);
    print("ping over stdio", &mut pings);
    println!("bytes of an answer: {}", bytes / CALLS);
    let median = |times: &[f64]| times[times.len() / 2];
    println!(
        "overhead at the median: {:.3} ms over the library call",
        median(&called) - median(&library)
    );
    println!(
        "                        {:.3} ms over it with the log",
        median(&called) - median(&logged)
    );
    Ok(())
}

fn project(folder: &Path) -> Result<Project, Box<dyn Error>> {
    let home = folder.join("home").display().to_string();
    Ok(Project::open(folder, Environment::of([("HOME", home)]))?)
}

fn options() -> Options {
    Options { approve_project: true, ..Options::default() }
}

/// The server, as `contexture mcp --root` has it.
fn serve(folder: &Path) -> Result<(), Box<dyn Error>> {
    let settings = Settings { packs: options(), ..Settings::new(project(folder)?) };
    let server = Server::open(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(stdio::serve(&server, std::future::pending()))?;
    Ok(())
}

fn print(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{what}: p50 {:.3} ms, p90 {:.3}, p99 {:.3}", at(0.5), at(0.9), at(0.99));
}

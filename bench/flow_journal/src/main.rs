//! The journal of flows in SQLite: runs with full durability beside one synced SQLite transaction
//! for each step (FL-11).
//!
//! `cargo run --release` prints the medians of interleaved rounds and their ratios. Everything lies
//! in one folder, so that all sides have the same disk: `TMPDIR` chooses it. The steps do nothing,
//! so that only their journal takes time. The peer inserts one row for each step, its outcome, and
//! nothing else; ours keeps the start of each step before it acts, and its end. `bench-flow-journal
//! N NAME` does N rounds of those whose name has NAME.

use contexture_flow::Set;
use contexture_flow::action::{ActionInfo, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::run::{Options, Run};
use contexture_protocol::content::{Instruction, InstructionMode, InstructionSet, Status};
use contexture_store::flows::{self, FlowJournal as _, RunHead, SqliteJournal};
use rusqlite::Connection;
use serde_json::Value;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;

type Outcome<T> = Result<T, Box<dyn Error>>;

const TOGETHER: usize = 10_000;
/// Steps of one slice of the peer, and of a sequential run.
const SLICE: usize = 200;
const ROUNDS: usize = 9;

type Measured<'a> = Box<dyn FnMut(usize) -> Outcome<f64> + 'a>;

fn main() -> Outcome<()> {
    let rounds = std::env::args().nth(1).map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let folder = tempfile::tempdir()?;
    let peer = peer(&folder.path().join("peer.db"))?;
    let journal =
        SqliteJournal::open(&folder.path().join("flows.db"), "flows", flows::Options::default())?;
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    let ours = |name: &str, mode, steps, concurrency| -> Measured<'_> {
        let (tokio, journal, name) = (&tokio, &journal, name.to_owned());
        Box::new(move |round| {
            run(tokio, journal, &format!("{name}-{round}"), mode, steps, concurrency)
        })
    };
    let tasks: [(&str, usize, Measured<'_>); 4] = [
        ("one step after another", 5, ours("one", InstructionMode::Sequential, SLICE, 1)),
        ("10,000 steps, 8 at once", 1, ours("eight", InstructionMode::Parallel, TOGETHER, 8)),
        ("10,000 steps, 64 at once", 1, ours("many", InstructionMode::Parallel, TOGETHER, 64)),
        (
            "25 runs of 400 steps one after another, at once",
            1,
            Box::new(|round| several(&tokio, &journal, round)),
        ),
    ];
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for (name, times, mut ours) in tasks.into_iter().filter(|task| task.0.contains(&wanted)) {
        let (mut theirs, mut rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = transactions(&peer)?;
        for round in 0..=rounds * times {
            let rate = ours(round)?;
            let after = transactions(&peer)?;
            // The disk changes its mind: each run stands between two slices of the peer. The first
            // round warms all sides up.
            if round > 0 {
                let around = 2.0 / (1.0 / before + 1.0 / after);
                theirs.push(around);
                rates.push(rate);
                ratios.push(rate / around);
            }
            before = after;
        }
        let (theirs, rate, ratio) = (median(&mut theirs), median(&mut rates), median(&mut ratios));
        let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
        println!(
            "{name}: {rate:.0} steps/s, one synced transaction for each {theirs:.0}/s: ratio {ratio:.2} \
             (half of {} rounds {low:.2} to {high:.2})",
            ratios.len()
        );
    }
    Ok(())
}

fn peer(path: &Path) -> Outcome<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.execute_batch("create table steps (seq integer primary key, text text)")?;
    Ok(connection)
}

/// Steps of the peer in a second.
fn transactions(peer: &Connection) -> Outcome<f64> {
    let began = Instant::now();
    for n in 0..SLICE {
        let text = format!(
            r#"{{"event":"ENDED","instructionId":"s{n}","status":"COMPLETED","result":null,"executionTime":0.1}}"#
        );
        let mut insert = peer.prepare_cached("insert into steps (text) values (?1)")?;
        insert.execute([text])?;
    }
    Ok(SLICE as f64 / began.elapsed().as_secs_f64())
}

/// A run that is ready, and its claim.
fn prepare(
    journal: &Arc<SqliteJournal>,
    id: &str,
    mode: InstructionMode,
    steps: usize,
    concurrency: usize,
) -> Outcome<(flows::Claim, Run)> {
    let mut actions = Registry::default();
    actions.add("nothing", ActionInfo::default().quick(), |_| async { Ok(Value::Null) });
    let instruction = |n: usize| Instruction {
        instruction_id: format!("s{n}"),
        action: "nothing".to_owned(),
        ..Instruction::default()
    };
    let set = Set::of_instructions(InstructionSet {
        instructions: (0..steps).map(instruction).collect(),
        execution_mode: Some(mode),
        ..InstructionSet::default()
    });
    let plan = check(set, &actions, &Earlier::default()).map_err(|report| format!("{report:?}"))?;
    let claim = journal.begin(&RunHead::new(id, "{}"))?;
    let options =
        Options { run: id.to_owned(), concurrency, journal: journal.clone(), ..Options::default() };
    Ok((claim, Run::new(plan, Arc::new(actions), options)))
}

/// Steps of a run in a second.
fn run(
    tokio: &Runtime,
    journal: &Arc<SqliteJournal>,
    id: &str,
    mode: InstructionMode,
    steps: usize,
    concurrency: usize,
) -> Outcome<f64> {
    let (claim, run) = prepare(journal, id, mode, steps, concurrency)?;
    let began = Instant::now();
    let report = tokio.block_on(async { tokio.spawn(run.run()).await })?;
    let took = began.elapsed().as_secs_f64();
    assert_eq!(report.status(), Status::Completed, "{:?}", report.fault());
    drop(claim);
    Ok(steps as f64 / took)
}

/// Steps in a second of 25 sequential runs at the same time.
fn several(tokio: &Runtime, journal: &Arc<SqliteJournal>, round: usize) -> Outcome<f64> {
    let (mut claims, mut runs) = (Vec::new(), Vec::new());
    for n in 0..25 {
        let id = format!("several-{round}-{n}");
        let (claim, run) = prepare(journal, &id, InstructionMode::Sequential, TOGETHER / 25, 1)?;
        claims.push(claim);
        runs.push(run);
    }
    let began = Instant::now();
    tokio.block_on(async {
        let runs: Vec<_> = runs.into_iter().map(|run| tokio.spawn(run.run())).collect();
        for run in runs {
            let report = run.await?;
            assert_eq!(report.status(), Status::Completed, "{:?}", report.fault());
        }
        Ok::<(), Box<dyn Error>>(())
    })?;
    Ok(TOGETHER as f64 / began.elapsed().as_secs_f64())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

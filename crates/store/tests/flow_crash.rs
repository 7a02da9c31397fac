//! A run that is killed at any moment goes on: what had ended is not run again, what may be run
//! again has its effect once, and all else is reported (FL-11).
//!
//! The test starts itself again as the process that runs 200 steps, kills it without warning at a
//! random moment, goes on with the run (in some rounds after a second kill), and holds what the
//! steps did, which they write to files, against the journal. `CONTEXTURE_CRASH_ROUNDS` sets the
//! rounds.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

use contexture_flow::Set;
use contexture_flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::journal::{Entry, Journal as _, Past};
use contexture_flow::run::{self, Report, Run};
use contexture_protocol::Limits;
use contexture_protocol::content::{Outcome, Status};
use contexture_store::flows::{
    ClaimedRun as _, FlowJournal as _, Options, RunHead, RunState, SqliteJournal,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FOLDER: &str = "CONTEXTURE_CRASH_FOLDER";
const ROUND: &str = "CONTEXTURE_CRASH_ROUND";
const ROUNDS: &str = "CONTEXTURE_CRASH_ROUNDS";
const RUN: &str = "run_1";
const STEPS: usize = 200;
/// Rounds at the same time: while one waits for the disk, another can be killed.
const LANES: usize = 6;
/// Bytes of a line at a fixed place.
const WIDTH: usize = 16;

/// How a step behaves when it is run twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Nature {
    /// It appends a line each time: it may not be run again.
    Plain,
    /// It writes its line to its own place: twice is the same as once.
    Idempotent,
    /// The action itself sees to it that a key has its effect once.
    Keyed,
    /// The same, but it is the step that says so, with a key of its own.
    KeyGiven,
}

fn nature(step: usize) -> Nature {
    [Nature::Plain, Nature::Idempotent, Nature::Keyed, Nature::KeyGiven][step % 4]
}

fn name(step: usize) -> String {
    format!("s{step}")
}

/// Each step follows two of the sixteen before it, whatever became of them.
fn document(round: usize) -> String {
    let steps = (0..STEPS).map(|n| {
        let (action, parameters) = match nature(n) {
            Nature::Plain => ("plain", json!({})),
            Nature::Idempotent => ("place", json!({"place": n})),
            Nature::Keyed => ("keyed", json!({})),
            Nature::KeyGiven => ("given", json!({"idempotencyKey": format!("given-{n}")})),
        };
        let mut step =
            json!({"instructionId": name(n), "action": action, "parameters": parameters});
        if n >= 16 {
            let before = [name(n - 16 + n % 3), name(n - 8)];
            let ended = before.iter().map(|id| format!("dependencies.{id}.status != 'SKIPPED'"));
            step["condition"] = ended.collect::<Vec<_>>().join(" AND ").into();
            step["dependencies"] = json!(before);
        }
        step
    });
    let mode = if round % 25 == 24 { "SEQUENTIAL" } else { "PARALLEL" };
    json!({"instructions": steps.collect::<Vec<_>>(), "executionMode": mode}).to_string()
}

/// Where the steps leave their traces.
struct Traces {
    folder: PathBuf,
    /// One line for each time an action was called.
    calls: File,
    /// One line for each effect of all but the idempotent ones.
    effects: Mutex<File>,
    /// Those of the idempotent ones, each at its own place.
    places: File,
}

impl Traces {
    fn new(folder: &Path) -> Self {
        let append = |name: &str| {
            OpenOptions::new().append(true).create(true).open(folder.join(name)).unwrap()
        };
        let mut places = OpenOptions::new();
        let places = places.write(true).create(true).truncate(false);
        Self {
            calls: append("calls"),
            effects: Mutex::new(append("effects")),
            places: places.open(folder.join("places")).unwrap(),
            folder: folder.to_owned(),
        }
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join(name)).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'), "a line is written at once");
        text.lines().map(str::to_owned).collect()
    }

    /// How often each step was called.
    fn calls(&self) -> HashMap<String, usize> {
        counted(self.lines("calls"))
    }

    fn call(&self, call: &ActionCall) {
        (&self.calls).write_all(format!("{}\n", call.id).as_bytes()).unwrap();
    }

    fn effect(&self, key: &str, once: bool) {
        // The lock is held over both: two tries in one process do not come between.
        let file = self.effects.lock().unwrap();
        if !once || !self.lines("effects").iter().any(|line| line == key) {
            (&*file).write_all(format!("{key}\n").as_bytes()).unwrap();
        }
    }

    fn place(&self, place: usize) {
        let line = format!("{:<1$}\n", name(place), WIDTH - 1);
        self.places.write_all_at(line.as_bytes(), (place * WIDTH) as u64).unwrap();
    }

    /// How often each step had its effect, by its id.
    fn effects(&self) -> HashMap<String, usize> {
        let mut effects = counted(self.lines("effects").iter().map(|key| {
            let id = key.strip_prefix("run_1:").map(str::to_owned);
            id.unwrap_or_else(|| key.replace("given-", "s"))
        }));
        let places = std::fs::read(self.folder.join("places")).unwrap();
        for (place, line) in places.chunks(WIDTH).enumerate() {
            // What lies between was never written.
            if line != [0; WIDTH] {
                assert_eq!(line, format!("{:<1$}\n", name(place), WIDTH - 1).as_bytes());
                effects.insert(name(place), 1);
            }
        }
        effects
    }
}

fn counted(keys: impl IntoIterator<Item = String>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    keys.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

fn actions(traces: &Arc<Traces>) -> Registry {
    let mut actions = Registry::default();
    let operation = ActionInfo::default();
    let infos = [
        ("plain", operation.clone()),
        ("place", ActionInfo::of(ActionKind::Query)),
        ("keyed", ActionInfo { keyed: true, ..operation.clone() }),
        ("given", operation),
    ];
    for (name, info) in infos {
        let traces = Arc::clone(traces);
        actions.add(name, info, move |call| {
            let traces = Arc::clone(&traces);
            async move {
                traces.call(&call);
                // Somewhere among the call, the effect and its end the kill may come.
                tokio::task::yield_now().await;
                act(&traces, name, &call);
                tokio::task::yield_now().await;
                Ok::<Value, ActionFailure>(json!({"key": call.key}))
            }
        });
    }
    actions
}

fn act(traces: &Traces, action: &str, call: &ActionCall) {
    match action {
        "place" => {
            let place = call.parameters["place"].as_u64().unwrap();
            traces.place(usize::try_from(place).unwrap());
        }
        _ => traces.effect(&call.key, action != "plain"),
    }
}

/// Begins the run, or goes on with it, to its end.
fn run(folder: &Path, round: usize) -> Report {
    let journal = SqliteJournal::open(&folder.join("flows.db"), "flows", Options::default());
    let journal = journal.unwrap();
    let claim = match journal.summary(RUN) {
        Ok(_) => journal.claim(RUN).unwrap(),
        Err(_) => {
            let document = document(round);
            let head = RunHead { steps: STEPS as u64, ..RunHead::new(RUN, &document) };
            journal.begin(&head).unwrap()
        }
    };
    let actions = actions(&Arc::new(Traces::new(folder)));
    let document = journal.document(RUN).unwrap().text;
    let set = Set::parse(document.as_bytes(), &Limits::FILE).unwrap();
    let plan = check(set, &actions, &Earlier::default()).unwrap();
    let options = run::Options {
        run: RUN.to_owned(),
        concurrency: 16,
        journal: journal.clone(),
        past: Some(Past::of(claim.entries().unwrap())),
        ..run::Options::default()
    };
    let run = Run::new(plan, Arc::new(actions), options);
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let report = tokio.block_on(run.run());
    assert!(report.fault().is_none(), "{:?}", report.fault());
    report
}

#[test]
#[ignore = "the process that is killed: the other test starts it"]
fn runs_until_it_is_killed() {
    let (Ok(folder), Ok(round)) = (std::env::var(FOLDER), std::env::var(ROUND)) else { return };
    run(Path::new(&folder), round.parse().unwrap());
}

fn start(folder: &Path, round: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "runs_until_it_is_killed", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts the process and kills it at a random point of its run; in some rounds in its first
/// moments, in which the file is made.
fn start_and_kill(folder: &Path, round: usize, chance: u64) {
    let mut child = start(folder, round);
    let nap = if round % 10 == 9 {
        chance % 20_000
    } else {
        // So many bytes of calls: any of the 200 steps may be the last.
        let before = chance % 890;
        let seen = || folder.join("calls").metadata().map_or(0, |calls| calls.len());
        while seen() <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(300));
        }
        (chance >> 16) % 2_000
    };
    std::thread::sleep(Duration::from_micros(nap));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What a kill left behind.
#[derive(Default)]
struct Left {
    ended: HashMap<String, Outcome>,
    running: HashSet<String>,
    calls: HashMap<String, usize>,
    is_whole: bool,
}

fn look(folder: &Path) -> Left {
    let journal = SqliteJournal::open(&folder.join("flows.db"), "flows", Options::default());
    let journal = journal.unwrap();
    let mut left = Left { calls: Traces::new(folder).calls(), ..Left::default() };
    for entry in journal.entries(RUN).unwrap() {
        match entry {
            Entry::Started { id, .. } => drop(left.running.insert(id)),
            Entry::Ended(outcome) => {
                assert!(left.running.remove(&outcome.instruction_id));
                let before = left.ended.insert(outcome.instruction_id.clone(), *outcome);
                assert_eq!(before, None, "a step ends once");
            }
            Entry::Finished { .. } => left.is_whole = true,
            other => panic!("{other:?}"),
        }
    }
    if let Ok(summary) = journal.summary(RUN) {
        let is_ended = matches!(summary.state, RunState::Ended(_));
        assert_eq!(is_ended, left.is_whole);
        assert_eq!(summary.done, left.ended.len() as u64);
        assert_ne!(summary.state, RunState::Running, "the process is dead");
    }
    // Nothing is done before it is kept that it begins.
    let known = |id: &String| left.ended.contains_key(id) || left.running.contains(id);
    assert!(left.calls.keys().all(known), "a step acted whose start was not kept");
    left
}

/// What all rounds found.
#[derive(Debug, Default)]
struct Counts {
    rounds: usize,
    kills: usize,
    kills_in_run: usize,
    ended_before: usize,
    run_again: usize,
    acted_before: usize,
    uncertain: usize,
    uncertain_with_effect: usize,
    effects: BTreeMap<Nature, usize>,
}

/// Holds the end of a run against what each kill left.
fn compare(folder: &Path, lefts: &[Left], report: &Report, counts: &mut Counts) {
    let traces = Traces::new(folder);
    let (calls, effects) = (traces.calls(), traces.effects());
    let count = |counts: &HashMap<String, usize>, id: &str| counts.get(id).copied().unwrap_or(0);
    for (n, outcome) in report.outcomes().enumerate() {
        let (id, nature) = (name(n), nature(n));
        assert_eq!(outcome.instruction_id, id);
        let had = count(&effects, &id);
        let interrupted = lefts.iter().position(|left| left.running.contains(&id));
        let is_uncertain = interrupted.is_some() && nature == Nature::Plain;
        if is_uncertain {
            assert_eq!(outcome.status, Status::Failed);
            assert_eq!(outcome.error.as_ref().unwrap().code, "OUTCOME_UNCERTAIN");
            assert!(had <= 1, "{id} had its effect {had} times");
            counts.uncertain += 1;
            counts.uncertain_with_effect += had;
        } else {
            assert_eq!(outcome.status, Status::Completed, "{outcome:?}");
            assert_eq!(had, 1, "{id} ({nature:?}) had its effect {had} times");
            *counts.effects.entry(nature).or_default() += 1;
            if interrupted.is_some() {
                counts.run_again += 1;
            } else {
                assert_eq!(count(&calls, &id), 1, "{id} was never interrupted");
            }
        }
        for left in lefts {
            let before = count(&left.calls, &id);
            if let Some(ended) = left.ended.get(&id) {
                assert_eq!(*ended, outcome, "what has ended stays");
                assert_eq!(count(&calls, &id), before, "{id} had ended and was run again");
                counts.ended_before += 1;
            } else if left.running.contains(&id) {
                assert!(!is_uncertain || count(&calls, &id) == before, "{id} was run again");
                counts.acted_before += usize::from(!is_uncertain && before > 0);
            }
        }
    }
}

fn round(number: usize, chance: u64, counts: &mut Counts) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kills = if number % 5 == 4 { 2 } else { 1 };
    let mut lefts = Vec::new();
    for kill in 0..kills {
        start_and_kill(folder, number, chance.rotate_left(32 * kill));
        let left = look(folder);
        counts.kills += 1;
        counts.kills_in_run += usize::from(!left.is_whole && !left.running.is_empty());
        let is_whole = left.is_whole;
        lefts.push(left);
        if is_whole {
            break;
        }
    }
    counts.rounds += 1;
    if lefts.last().is_some_and(|left| left.is_whole) {
        // It was faster than the kill: nothing is left to do.
        let ended = &lefts.last().unwrap().ended;
        assert_eq!(ended.len(), STEPS);
        return;
    }
    let report = run(folder, number);
    compare(folder, &lefts, &report, counts);
}

#[test]
fn fl_11_a_killed_run_goes_on_and_does_nothing_twice() {
    let rounds: usize = std::env::var(ROUNDS).map_or(300, |rounds| rounds.parse().unwrap());
    let chance = RandomState::new();
    let counts = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let (chance, counts) = (&chance, &counts);
            scope.spawn(move || {
                // A round counts when its kill fell among the steps; others come on top.
                let mut hits = 0;
                for number in (lane..4 * rounds).step_by(LANES) {
                    if hits == (rounds + lane) / LANES {
                        break;
                    }
                    let mut found = Counts::default();
                    round(number, chance.hash_one(number), &mut found);
                    hits += usize::from(found.kills_in_run > 0);
                    add(&mut counts.lock().unwrap(), &found);
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    assert!(counts.kills_in_run >= rounds && counts.run_again > 0, "{counts:?}");
    println!(
        "{} rounds, {} kills, {} of them in the middle of a run: {} steps had ended before and none of them ran again; \
         {} were running, may run again and had their effect once ({} had acted before); {} were running, may not, and are reported as \
         uncertain ({} had had their effect); of all that completed each had its effect once: {:?}",
        counts.rounds,
        counts.kills,
        counts.kills_in_run,
        counts.ended_before,
        counts.run_again,
        counts.acted_before,
        counts.uncertain,
        counts.uncertain_with_effect,
        counts.effects
    );
}

fn add(all: &mut Counts, one: &Counts) {
    all.rounds += one.rounds;
    all.kills += one.kills;
    all.kills_in_run += one.kills_in_run;
    all.ended_before += one.ended_before;
    all.run_again += one.run_again;
    all.acted_before += one.acted_before;
    all.uncertain += one.uncertain;
    all.uncertain_with_effect += one.uncertain_with_effect;
    for (nature, count) in &one.effects {
        *all.effects.entry(*nature).or_default() += count;
    }
}

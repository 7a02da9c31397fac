//! 100,000 instructions that do nothing, in layers of 100 with three dependencies each, beside a
//! bare spawn and join of as many tasks; time and memory. `quick` is an action that neither waits
//! nor computes for long, such as `echo`; `tasks` is any other. Memory is the peak of all
//! allocations from the typed set to the end of its run, in a run of its own.

use crate::{counting, median};
use contexture_flow::action::{ActionInfo, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::run::{Options, Run};
use contexture_flow::Set;
use contexture_protocol::Limits;
use contexture_protocol::content::{Instruction, InstructionMode, InstructionSet, Status};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

const LAYER: usize = 100;
const ROUNDS: usize = 7;

fn instructions(count: usize, action: &str) -> InstructionSet {
    let instruction = |n: usize| {
        let before = (n / LAYER).checked_sub(1).map(|layer| {
            [0, 37, 71].map(|d| format!("s{}", layer * LAYER + (n + d) % LAYER)).to_vec()
        });
        Instruction {
            instruction_id: format!("s{n}"),
            action: action.to_owned(),
            dependencies: before,
            ..Instruction::default()
        }
    };
    InstructionSet {
        instructions: (0..count).map(instruction).collect(),
        execution_mode: Some(InstructionMode::Parallel),
        ..InstructionSet::default()
    }
}

pub fn report() {
    let mut actions = Registry::default();
    actions.add("nothing", ActionInfo::default().quick(), |_| async { Ok(Value::Null) });
    actions.add("task", ActionInfo::default(), |_| async { Ok(Value::Null) });
    let actions = Arc::new(actions);
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let one = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    println!("\nschedule                    instructions  check ns   run ns  bare ns   × bare   bytes each   with its JSON");
    for count in [10_000, 100_000, 400_000] {
        for (name, action, runtime) in [
            ("two threads, quick", "nothing", &threads),
            ("two threads, tasks", "task", &threads),
            ("one thread, tasks", "task", &one),
        ] {
            let (mut checks, mut runs, mut bares) = (vec![], vec![], vec![]);
            for _ in 0..ROUNDS {
                let set = instructions(count, action);
                let start = Instant::now();
                let set = Set::of_instructions(set);
                let plan = check(set, &*actions, &Earlier::default()).unwrap();
                checks.push(each(start, count));
                let options = Options { concurrency: 128, ..Options::default() };
                let run = Run::new(plan, actions.clone(), options);
                let start = Instant::now();
                let report = runtime.block_on(async { tokio::spawn(run.run()).await.unwrap() });
                runs.push(each(start, count));
                assert_eq!(report.status(), Status::Completed);
                drop(report);
                let start = Instant::now();
                runtime.block_on(async { tokio::spawn(bare(count)).await.unwrap() });
                bares.push(each(start, count));
            }
            let (check, run, bare) = (median(&mut checks), median(&mut runs), median(&mut bares));
            let [typed, text] = [false, true].map(|is_text| memory(count, action, is_text, &actions, runtime));
            println!(
                "  {name:<26}{count:>12}{check:>10.0}{run:>9.0}{bare:>9.0}{:>9.2}{typed:>13.0}{text:>16.0}",
                run / bare
            );
        }
    }
}

/// As many tasks in the same layers, each spawned and joined, and nothing else.
async fn bare(count: usize) {
    for _ in 0..count / LAYER {
        let tasks: Vec<_> = (0..LAYER).map(|_| tokio::spawn(async {})).collect();
        for task in tasks {
            task.await.unwrap();
        }
    }
}

fn each(start: Instant, count: usize) -> f64 {
    start.elapsed().as_secs_f64() * 1e9 / count as f64
}

/// The peak of bytes of an instruction, from its typed set or from its text to the end of the run.
fn memory(count: usize, action: &str, is_text: bool, actions: &Arc<Registry>, runtime: &tokio::runtime::Runtime) -> f64 {
    let typed = instructions(count, action);
    let text = serde_json::to_string(&typed).unwrap();
    // What is given is counted too.
    let given = if is_text { text.len() } else { 0 };
    let peak = counting::peak(|| {
        let set = if is_text {
            drop(typed);
            Set::parse(text.as_bytes(), &Limits::FILE).unwrap()
        } else {
            Set::of_instructions(instructions(count, action))
        };
        let plan = check(set, &**actions, &Earlier::default()).unwrap();
        let options = Options { concurrency: 128, ..Options::default() };
        let run = Run::new(plan, actions.clone(), options);
        let report = runtime.block_on(async { tokio::spawn(run.run()).await.unwrap() });
        assert_eq!(report.status(), Status::Completed);
    });
    (peak + given as f64) / count as f64
}

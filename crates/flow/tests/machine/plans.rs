//! Random sets, and what their actions answer.

use contexture_flow::Set;
use contexture_flow::action::{ActionFailure, ActionInfo, ActionKind, Registry};
use contexture_flow::check::{Earlier, Plan, check};
use contexture_protocol::Limits;
use serde_json::{Value, json};

/// A source of random numbers that a seed repeats (SplitMix64).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// Returns true once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

/// The condition of a step, as its rule reads it.
#[derive(Debug, Clone)]
pub(crate) enum Guard {
    None,
    /// The result of a step is larger than 4.
    Large(usize),
    /// A step ended FAILED.
    Failed(usize),
}

/// A step, as its rules read it.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) needs: Vec<usize>,
    pub(crate) guard: Guard,
    pub(crate) recovery: &'static str,
    pub(crate) is_idempotent: bool,
    pub(crate) is_front: bool,
}

/// A random set.
pub(crate) struct Plans {
    pub(crate) steps: Vec<Step>,
    pub(crate) mode: &'static str,
    document: Value,
}

impl Plans {
    pub(crate) fn random(chance: &mut Chance) -> Self {
        let mode = chance.of(&["SEQUENTIAL", "PARALLEL", "PARALLEL", "CONDITIONAL"]);
        let mut steps: Vec<Step> = Vec::new();
        if chance.once_in(3) {
            return Self::of_calls(chance);
        }
        for number in 0..=chance.below(6) {
            steps.push(step(chance, number));
        }
        let written: Vec<Value> =
            steps.iter().enumerate().map(|(n, step)| written(chance, n, step)).collect();
        let mut document = json!({ "instructions": written, "executionMode": mode });
        if chance.once_in(8) {
            document["timeout"] = json!(chance.of(&[0, 1, 5, 20]));
        }
        Self { steps, mode, document }
    }

    /// Makes a set of tool calls of two sides.
    fn of_calls(chance: &mut Chance) -> Self {
        let mode = chance.of(&["FRONTEND_FIRST", "BACKEND_FIRST", "CLIENT_SERVER_PARALLEL"]);
        let mut steps: Vec<Step> = Vec::new();
        for number in 0..=chance.below(6) {
            let mut step = step(chance, number);
            (step.guard, step.recovery) = (Guard::None, "");
            step.is_front = chance.once_in(2);
            step.needs.retain(|n| steps[*n].is_front == step.is_front);
            steps.push(step);
        }
        let calls: Vec<Value> = steps.iter().enumerate().map(|(n, step)| called(n, step)).collect();
        let mut document = json!({ "calls": calls, "executionMode": mode });
        if chance.once_in(4) {
            document[chance.of(&["frontendTimeout", "backendTimeout"])] = json!(3);
        }
        Self { steps, mode, document }
    }

    pub(crate) fn plan(&self) -> Plan {
        let text = self.document.to_string();
        let set = Set::parse(text.as_bytes(), &Limits::FILE).unwrap();
        check(set, &actions(), &Earlier::default()).unwrap()
    }

    /// Returns true if the timeout of anything may pass.
    pub(crate) fn has_times(&self) -> bool {
        self.document.to_string().contains("imeout")
    }
}

impl std::fmt::Debug for Plans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}", self.document)
    }
}

fn step(chance: &mut Chance, number: u64) -> Step {
    let number = usize::try_from(number).unwrap();
    let needs: Vec<usize> = (0..number).filter(|_| chance.once_in(3)).collect();
    let guard = match needs.last() {
        Some(last) if chance.once_in(3) => {
            if chance.once_in(2) {
                Guard::Large(*last)
            } else {
                Guard::Failed(*last)
            }
        }
        _ => Guard::None,
    };
    Step {
        needs,
        guard,
        recovery: chance.of(&["", "", "RETRY", "RETRY", "DEGRADE", "PARTIAL", "ABORT"]),
        is_idempotent: chance.once_in(2),
        is_front: false,
    }
}

fn written(chance: &mut Chance, number: usize, step: &Step) -> Value {
    let names: Vec<String> = step.needs.iter().map(|n| format!("s{n}")).collect();
    let mut call = json!({
        "instructionId": format!("s{number}"),
        "action": if step.is_idempotent { "again" } else { "once" },
        "dependencies": names,
    });
    match step.guard {
        Guard::None => {}
        Guard::Large(n) => call["condition"] = json!(format!("dependencies.s{n}.result.n > 4")),
        Guard::Failed(n) => {
            call["condition"] = json!(format!("dependencies.s{n}.status == \"FAILED\""));
        }
    }
    match step.recovery {
        "" => {}
        "RETRY" => {
            call["recovery"] =
                json!({"strategy": "RETRY", "attempts": 3, "delay": chance.of(&[0, 2])});
        }
        "DEGRADE" => {
            call["recovery"] = json!({"strategy": "DEGRADE", "alternative": {"action": "other"}});
        }
        other => call["recovery"] = json!({ "strategy": other }),
    }
    if chance.once_in(6) {
        call["timeout"] = json!(2);
    }
    call
}

fn called(number: usize, step: &Step) -> Value {
    let names: Vec<String> = step.needs.iter().map(|n| format!("s{n}")).collect();
    json!({
        "callId": format!("s{number}"),
        "name": if step.is_idempotent { "again" } else { "once" },
        "runtime": if step.is_front { "FRONTEND" } else { "BACKEND" },
        "parameters": {},
        "requiredAfter": names,
    })
}

fn actions() -> Registry {
    let mut all = Registry::default();
    for (name, kind) in [
        ("again", ActionKind::Query),
        ("once", ActionKind::Operation),
        ("other", ActionKind::Operation),
    ] {
        // The world answers for them.
        all.add(name, ActionInfo::of(kind), |_| async { Ok(Value::Null) });
    }
    all
}

/// Returns what an attempt answers: the same one whenever it is asked.
pub(crate) fn answer(
    seed: u64,
    step: usize,
    attempt: u32,
    is_other: bool,
) -> Result<Value, ActionFailure> {
    let key = seed ^ ((step as u64) << 32) ^ (u64::from(attempt) << 8) ^ u64::from(is_other);
    let mut chance = Chance::new(key);
    chance.next();
    match chance.below(5) {
        0 => {
            let mut failure = ActionFailure::new("E", "failed");
            failure.partial = chance.once_in(2).then(|| json!({ "n": 5, "part": true }));
            Err(failure)
        }
        1 => Err(ActionFailure::new("E", "failed")),
        n => Ok(json!({ "n": n * 2, "attempt": attempt, "other": is_other })),
    }
}

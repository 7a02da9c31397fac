//! Reading model answers beside other JSON repairers: how often right, and how fast.
//!
//! `cargo run --release` prints two tables. Correctness is counted on the corpus of the
//! `answer` crate, over the cases that expect a value and need no shape to get it, so that all
//! contestants are asked the same. Speed is measured on the answers of about 2 KB, in interleaved
//! rounds (every contestant reads every answer once per round, in batches), as the median over the
//! rounds, time to a `serde_json::Value` included.

#[allow(dead_code, reason = "the tests also read the error paths")]
#[path = "../../../crates/answer/tests/support/mod.rs"]
mod support;

mod correct;
mod speed;

use contexture_answer::{ReadOptions, Shape};
use serde_json::Value;

/// Someone who turns a raw answer into a value.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) ours: bool,
    pub(crate) read: fn(&str, &Shape) -> Option<Value>,
}

pub(crate) const CONTESTANTS: &[Contestant] = &[
    Contestant { name: "contexture", ours: true, read: |raw, _| read(raw, None) },
    Contestant { name: "with shape", ours: true, read: |raw, shape| read(raw, Some(shape)) },
    Contestant {
        name: "jsonrepair",
        ours: false,
        read: |raw, _| jsonrepair::loads(raw, &jsonrepair::Options::default()).ok(),
    },
    Contestant {
        name: "llm_json",
        ours: false,
        read: |raw, _| llm_json::loads(raw, &llm_json::RepairOptions::default()).ok(),
    },
    Contestant {
        name: "jsonrepair-rs",
        ours: false,
        read: |raw, _| serde_json::from_str(&jsonrepair_rs::jsonrepair(raw).ok()?).ok(),
    },
    Contestant { name: "serde_json", ours: false, read: |raw, _| serde_json::from_str(raw).ok() },
];

fn read(raw: &str, shape: Option<&Shape>) -> Option<Value> {
    contexture_answer::read(raw, shape, &ReadOptions::lenient()).ok().map(|reading| reading.value)
}

fn main() {
    let cases = support::corpus();
    correct::report(&cases);
    speed::report(&cases);
}

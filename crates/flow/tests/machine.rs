//! Random orders of events, with crashes, against the rules of a run (WA-10).
//!
//! A world holds what surrounds a machine: a journal whose acknowledgements come late, attempts
//! that end when they like, a clock, requests from outside, and crashes that keep any part of the
//! journal which was not acknowledged. What a world sees is checked while it goes on and at its end.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

#[path = "machine/plans.rs"]
mod plans;
#[path = "machine/rules.rs"]
mod rules;
#[path = "machine/world.rs"]
mod world;

use std::ops::AddAssign;
use world::World;

/// What happened in many worlds.
#[derive(Debug, Default)]
struct Tally {
    worlds: u64,
    events: u64,
    crashes: u64,
    resumed: u64,
    effects: u64,
    uncertain: u64,
    stopped: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.worlds += other.worlds;
        self.events += other.events;
        self.crashes += other.crashes;
        self.resumed += other.resumed;
        self.effects += other.effects;
        self.uncertain += other.uncertain;
        self.stopped += other.stopped;
    }
}

fn tally(seeds: std::ops::Range<u64>) -> Tally {
    let mut all = Tally::default();
    for seed in seeds {
        all += World::new(seed).run();
    }
    all
}

#[test]
fn wa_10_random_orders_of_events_keep_rules_of_run() {
    let all = tally(0..4_000);
    // The worlds are of all kinds.
    assert!(all.crashes > 800 && all.stopped > 300 && all.resumed > 30, "{all:?}");
    assert!(all.effects > 10_000 && all.uncertain > 250, "{all:?}");
}

#[test]
#[ignore = "a million orders take minutes: cargo test --release -p contexture-flow --test machine -- --ignored --nocapture"]
#[allow(clippy::print_stdout, reason = "the counts are what it is run for")]
fn wa_10_million_random_orders_keep_rules_of_run() {
    let all = tally(4_000..1_004_000);
    assert_eq!(all.worlds, 1_000_000);
    println!("{all:?}");
}

//! Conditions and scheduling of Contexture's flows, beside expression engines and bare tokio.
//!
//! The condition is that of the protocol with a second clause, over five outcomes in a
//! `serde_json::Value` of 1.2 KB: A is decided by the first clause, B by the last (a substring
//! search over 110 bytes). Every engine must give the same answer before anything is timed, and is
//! given its context ready made; what making it costs is printed beside. Rounds are interleaved.

mod conditions;
mod counting;
mod scheduling;

use std::time::{Duration, Instant};

const ROUND: Duration = Duration::from_millis(15);
const ROUNDS: usize = 41;

/// One engine at one task.
pub struct Contender {
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> bool>,
}

fn main() {
    conditions::report();
    scheduling::report();
}

/// Prints the medians in nanoseconds, and how often ours goes into each.
pub fn compare(task: &str, mut contenders: Vec<Contender>) {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            times.push(round(contender));
        }
    }
    println!("\n{task:<34}{:>10}{:>16}", "ns", "× contexture");
    let ours = times[0].clone();
    for (at, contender) in contenders.iter().enumerate() {
        let mut ratios: Vec<f64> =
            times[at].iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect();
        let ratio = median(&mut ratios);
        let time = median(&mut times[at].clone());
        println!("  {:<32}{time:>10.0}{ratio:>16.2}", contender.name);
    }
}

fn round(contender: &mut Contender) -> f64 {
    let start = Instant::now();
    let mut calls = 0_u32;
    while start.elapsed() < ROUND {
        for _ in 0..32 {
            std::hint::black_box((contender.run)());
        }
        calls += 32;
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

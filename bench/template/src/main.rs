//! Renders and compiles one prompt with the template engine of Contexture and with its peers, all
//! in one run, and prints the ratios.
//!
//! The prompt: 20 variables, one if/else, a loop over 100 items with 3 fields (one integer, two
//! strings) and one partial that holds 2 of the variables; 6.9 KB of text. All engines make the
//! same text, which is checked before anything is timed. Rounds of the engines are interleaved, so
//! that a machine that changes its speed changes it for all of them.

mod data;
mod peers;

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long one engine is timed in one round.
const ROUND: Duration = Duration::from_millis(25);
const ROUNDS: usize = 41;

/// One engine at one task.
pub struct Contender {
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> usize>,
}

fn main() {
    let wanted = data::by_hand();
    println!("output {} bytes, template {} bytes", wanted.len(), data::OURS.len() + data::OURS_PARTIAL.len());
    for (name, text) in peers::texts() {
        assert!(text == wanted, "{name} renders another text");
    }
    report("render", peers::renderers());
    report("compile", peers::compilers());
}

fn report(task: &str, mut contenders: Vec<Contender>) {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            times.push(round(contender));
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    let ours = contenders.iter().position(|one| one.name == "contexture").unwrap_or_default();
    println!("\n{task:<34}{:>10}{:>16}", "µs", "× contexture");
    for (at, contender) in contenders.iter().enumerate() {
        // The ratio is the median of the rounds' ratios: both halves saw the same machine.
        let mut ratios: Vec<f64> =
            times[at].iter().zip(&times[ours]).map(|(theirs, ours)| theirs / ours).collect();
        let ratio = median(&mut ratios);
        println!("  {:<32}{:>10.2}{:>16.2}", contender.name, medians[at], ratio);
    }
}

/// Microseconds of one call.
fn round(contender: &mut Contender) -> f64 {
    let start = Instant::now();
    let mut calls = 0_u32;
    while start.elapsed() < ROUND {
        for _ in 0..16 {
            black_box((contender.run)());
        }
        calls += 16;
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

//! Interleaved timing: every candidate once per round, medians over the rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
/// Short candidates are repeated until a round takes this long.
const ROUND: Duration = Duration::from_millis(20);

pub struct Candidate<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> usize + 'a>,
    times: Vec<f64>,
}

impl<'a> Candidate<'a> {
    pub fn new(name: &'static str, run: impl FnMut() -> usize + 'a) -> Self {
        Self { name, run: Box::new(run), times: Vec::new() }
    }

    fn round(&mut self) {
        let start = Instant::now();
        let mut runs = 0;
        while runs == 0 || start.elapsed() < ROUND {
            black_box((self.run)());
            runs += 1;
        }
        self.times.push(start.elapsed().as_secs_f64() / f64::from(runs));
    }
}

/// Name and median seconds of each candidate.
pub fn race(candidates: &mut [Candidate<'_>]) -> Vec<(&'static str, f64)> {
    for _ in 0..ROUNDS {
        candidates.iter_mut().for_each(Candidate::round);
    }
    candidates
        .iter_mut()
        .map(|candidate| {
            candidate.times.sort_by(f64::total_cmp);
            (candidate.name, candidate.times[ROUNDS / 2])
        })
        .collect()
}

/// A line per candidate: time, ratio to the first, and speed if it worked through `bytes`.
pub fn print(rows: &[(&str, f64)], bytes: Option<usize>) {
    let first = rows.first().map_or(1.0, |row| row.1);
    for (name, seconds) in rows {
        let speed = bytes
            .map_or(String::new(), |bytes| format!("{:8.1} MB/s", bytes as f64 / seconds / 1e6));
        println!("{name:40} {:9.3} ms {:6.2}x {speed}", seconds * 1e3, seconds / first);
    }
}

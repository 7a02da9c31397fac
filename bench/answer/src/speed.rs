//! How fast each contestant reads an answer of about 2 KB.

use crate::support::{Case, Expected};
use crate::{CONTESTANTS, Contestant};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

const ROUNDS: usize = 41;
const BATCH: u32 = 60;

pub(crate) fn report(cases: &[Case]) {
    println!("MB/s, median of {ROUNDS} rounds; ! = wrong value, - = error");
    println!("ratio: to the fastest peer that reads the answer right (without and with the shape)");
    print!("{:<52} {:>6}", "answer", "bytes");
    for contestant in CONTESTANTS {
        print!(" {:>13}", contestant.name);
    }
    println!(" {:>8} {:>8}", "ratio", "shaped");
    let long: Vec<&Case> = cases.iter().filter(|case| case.file == "14_long").collect();
    let rates = measure(&long);
    for (case, rates) in long.iter().zip(&rates) {
        print!("{:<52} {:>6}", case.name.trim_start_matches("long: "), case.raw.len());
        let marks: Vec<char> = CONTESTANTS.iter().map(|it| verdict(it, case)).collect();
        for (rate, mark) in rates.iter().zip(&marks) {
            print!(" {rate:>12.0}{mark}");
        }
        match fastest_peer(rates, &marks) {
            Some(best) => println!(" {:>7.2}x {:>7.2}x", rates[0] / best, rates[1] / best),
            None => println!(" {:>8} {:>8}", "alone", "alone"),
        }
    }
}

/// The rate of the fastest repairer that is right; `serde_json` repairs nothing and is only the
/// limit.
fn fastest_peer(rates: &[f64], marks: &[char]) -> Option<f64> {
    CONTESTANTS
        .iter()
        .zip(rates.iter().zip(marks))
        .filter(|(contestant, (_, mark))| {
            !contestant.ours && contestant.name != "serde_json" && **mark == ' '
        })
        .map(|(_, (rate, _))| *rate)
        .max_by(f64::total_cmp)
}

fn verdict(contestant: &Contestant, case: &Case) -> char {
    std::panic::set_hook(Box::new(|_| {}));
    let read = || (contestant.read)(&case.raw, &case.shape);
    let value = catch_unwind(AssertUnwindSafe(read)).ok().flatten();
    let _ = std::panic::take_hook();
    match (value, &case.expected) {
        (Some(value), Expected::Value(expected)) if value == *expected => ' ',
        (Some(_), _) => '!',
        (None, _) => '-',
    }
}

/// Bytes per microsecond, by case and contestant.
fn measure(cases: &[&Case]) -> Vec<Vec<f64>> {
    let mut times = vec![vec![Vec::with_capacity(ROUNDS); CONTESTANTS.len()]; cases.len()];
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter().zip(&mut times) {
            for (contestant, times) in CONTESTANTS.iter().zip(times) {
                let start = Instant::now();
                for _ in 0..BATCH {
                    black_box((contestant.read)(black_box(&case.raw), &case.shape));
                }
                times.push(start.elapsed().as_secs_f64() / f64::from(BATCH));
            }
        }
    }
    let rate = |case: &Case, times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        case.raw.len() as f64 / times[times.len() / 2] / 1e6
    };
    cases
        .iter()
        .zip(&mut times)
        .map(|(case, times)| times.iter_mut().map(|times| rate(case, times)).collect())
        .collect()
}

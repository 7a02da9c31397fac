//! How many answers of the corpus each contestant reads as meant.

use crate::CONTESTANTS;
use crate::support::{Case, Expected};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The file that needs shapes to be read right: coercion, errors, several values.
const NEEDS_SHAPE: [&str; 2] = ["11_several", "12_types"];

pub(crate) fn report(cases: &[Case]) {
    std::panic::set_hook(Box::new(|_| {}));
    print!("{:<18} {:>6}", "answers right", "cases");
    for contestant in CONTESTANTS {
        print!(" {:>13}", contestant.name);
    }
    println!();
    let mut total = vec![0; CONTESTANTS.len()];
    let mut count = 0;
    let mut files: Vec<&str> = cases.iter().map(|case| case.file).collect();
    files.dedup();
    for file in files {
        let rows: Vec<(&Case, &Value)> =
            fair(cases).filter(|(case, _)| case.file == file).collect();
        if rows.is_empty() {
            continue;
        }
        print!("{file:<18} {:>6}", rows.len());
        count += rows.len();
        for (contestant, sum) in CONTESTANTS.iter().zip(&mut total) {
            let right = rows
                .iter()
                .filter(|(case, value)| {
                    let read = || (contestant.read)(&case.raw, &case.shape);
                    catch_unwind(AssertUnwindSafe(read)).ok().flatten().as_ref() == Some(*value)
                })
                .count();
            *sum += right;
            print!(" {right:>13}");
        }
        println!();
    }
    print!("{:<18} {count:>6}", "all");
    for sum in &total {
        print!(" {sum:>13}");
    }
    println!("\n");
    let _ = std::panic::take_hook();
}

/// The cases that expect a value which the text alone gives.
fn fair(cases: &[Case]) -> impl Iterator<Item = (&Case, &Value)> {
    cases.iter().filter_map(|case| {
        let Expected::Value(value) = &case.expected else {
            return None;
        };
        let options = contexture_answer::ReadOptions::lenient();
        let coerced = contexture_answer::read(&case.raw, Some(&case.shape), &options)
            .is_ok_and(|reading| !reading.coerced.is_empty());
        let fair = !case.strict && !coerced && !NEEDS_SHAPE.contains(&case.file);
        fair.then_some((case, value))
    })
}

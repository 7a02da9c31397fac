//! A text that a process counts for the first time, and the same again.
//!
//! What a counter remembers, and the pages of its tables, are there after the first pass over a text,
//! and most texts are counted once. So each first pass here is that of a process of its own. It is the
//! processor time that counts: a process that waits for its turn is not slow.

use contexture_context::tokens::{O200K_BASE, TokenCounter};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::process::Command;

const PROCESSES: usize = 5;
/// Passes of a process after its first.
const PASSES: usize = 7;
/// The faster of the peers, and ours.
const COUNTERS: [&str; 2] = ["contexture", "bpe-openai"];

/// Prints the speed of each counter over a file, in the first pass and in later ones.
pub fn compare(file: &str, bytes: usize) -> std::io::Result<()> {
    let mut rows = COUNTERS.map(|name| (name, Vec::new(), Vec::new()));
    for _ in 0..PROCESSES {
        for (name, cold, hot) in &mut rows {
            let exe = std::env::current_exe()?;
            let output = Command::new(exe).args(["pass", name, file]).output()?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let mut seconds = said.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
            cold.extend(seconds.next());
            hot.extend(seconds.next());
        }
    }
    for (name, cold, hot) in &mut rows {
        let (cold, hot) = (median(cold), median(hot));
        let speed = |seconds: f64| bytes as f64 / seconds / 1e6;
        println!("{name:40} cold {:8.1} MB/s  hot {:8.1} MB/s", speed(cold), speed(hot));
    }
    Ok(())
}

/// The passes of one counter in this process: prints the seconds of the first and the median of the
/// others.
pub fn pass(name: &str, file: &str) -> std::io::Result<()> {
    let text = std::fs::read_to_string(file)?;
    let count: Box<dyn Fn(&str) -> usize> = match name {
        "contexture" => Box::new(|text| O200K_BASE.count(text)),
        _ => Box::new(|text| bpe_openai::o200k_base().count(text)),
    };
    // Its tables are loaded before: that is the first count, which is measured by itself.
    black_box(count("first"));
    // Later passes begin at other letters, as the count of a whole text is remembered.
    let timed = |letter: usize| {
        let from = text.char_indices().nth(letter).map_or(0, |(at, _)| at);
        let start = processor();
        black_box(count(text.get(from..).unwrap_or(&text)));
        processor() - start
    };
    let cold = timed(0);
    let mut hot: Vec<f64> = (1..=PASSES).map(timed).collect();
    println!("{cold} {}", median(&mut hot));
    Ok(())
}

/// The processor time of this thread, in seconds.
fn processor() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}

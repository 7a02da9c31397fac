//! Loops and calls without effects, beside the same in CPython, Rhai and (feature `lua`) Lua; and
//! what a turn of `parallel for` costs with a host that answers at once; the library over a million
//! items, beside CPython; JSON of 10 and 100 MB, time and memory, beside CPython; and what it costs to
//! parse and check a program of 1.5 MB.
//!
//!     cargo run --release --manifest-path bench/interpreter/Cargo.toml [--features lua]
//!
//! All are run in turn, several rounds, because the speed of a machine drifts; the figure is the
//! median, and the ratios are what counts. CPython is the `python3` of the path.

mod check;
mod import;
mod library;
mod machine;
mod ours;
mod peers;

use std::time::Instant;

const ROUNDS: usize = 7;

/// Something measured: a name and what runs it once, giving seconds; shown times `scale`.
struct Entry {
    what: &'static str,
    who: &'static str,
    run: Box<dyn FnMut() -> Option<f64>>,
    seconds: Vec<f64>,
    scale: f64,
    unit: &'static str,
}

fn entry(
    what: &'static str,
    who: &'static str,
    run: impl FnMut() -> Option<f64> + 'static,
) -> Entry {
    Entry { what, who, run: Box::new(run), seconds: Vec::new(), scale: 1.0, unit: "s" }
}

fn main() {
    if import::is_child() {
        return;
    }
    let mut entries = ours::entries();
    entries.extend(peers::entries());
    entries.extend(machine::entries());
    entries.extend(check::entries());
    entries.extend(library::entries());
    entries.extend(import::entries());
    // Each argument keeps only what has it in its name, such as `fib` or `contexture`.
    for part in std::env::args().skip(1) {
        entries.retain(|entry| entry.what.contains(&part) || entry.who.contains(&part));
    }
    for _ in 0..ROUNDS {
        for entry in &mut entries {
            entry.seconds.extend((entry.run)());
        }
    }
    println!("{:<22} {:<10} {:>10} {:>10}", "", "", "median", "best");
    for entry in &mut entries {
        entry.seconds.sort_by(f64::total_cmp);
        let Some(median) = entry.seconds.get(entry.seconds.len() / 2) else {
            println!("{:<22} {:<10} not available", entry.what, entry.who);
            continue;
        };
        let (median, best) = (median * entry.scale, entry.seconds[0] * entry.scale);
        println!("{:<22} {:<10} {median:>10.4} {best:>10.4} {}", entry.what, entry.who, entry.unit);
    }
    ratios(&entries);
}

/// Our time over each peer's, by what was measured.
fn ratios(entries: &[Entry]) {
    println!();
    let median = |entry: &Entry| entry.seconds.get(entry.seconds.len() / 2).copied();
    let is_ours = |entry: &&Entry| matches!(entry.who, "contexture" | "as input");
    for own in entries.iter().filter(is_ours) {
        for peer in
            entries.iter().filter(|peer| !is_ours(peer) && comparable(own.what, peer.what))
        {
            if let (Some(ours), Some(theirs)) = (median(own), median(peer)) {
                println!(
                    "{:<22} {:<10} / {:<10} {:<10} = {:.2}",
                    own.what,
                    own.who,
                    peer.who,
                    peer.what,
                    ours / theirs
                );
            }
        }
    }
}

fn comparable(own: &str, peer: &str) -> bool {
    match own {
        "parallel for, 1000" => false,
        // What the language's loops are called elsewhere.
        "repeat 10M" | "loop until 10M" | "for 10M" => matches!(peer, "while 10M" | "for 10M"),
        _ => own == peer,
    }
}

/// Seconds that something takes.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let value = run();
    (value, start.elapsed().as_secs_f64())
}

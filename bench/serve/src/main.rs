//! `contexture serve` on a wire: availability queries beside a bare axum echo, durable ADD_MESSAGE
//! beside one synced SQLite transaction for each update, idle connections beside bare ones, and
//! 100,000 turns that wait for a person (CP-6, CP-12, WA-1). What one more message costs a large context
//! is a figure of `cargo dev figures`.
//!
//! Build the program with `cargo build --release` first; `CONTEXTURE` names another one. Then
//! `cargo run --release [availability|durable|idle|waits]` runs one part, or all without a word.
//! Server, peers and load are processes of one machine; both sides are measured in turn, by the same
//! client, and medians and their ratios are printed. `TMPDIR` chooses the disk.

mod availability;
mod child;
mod durable;
mod idle;
mod peer;
mod waits;
mod wire;

use std::error::Error;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["peer", what] = words.as_slice() {
        return peer::serve(what);
    }
    child::raise_limit()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_wanted = |part: &str| words.is_empty() || words.contains(&part);
    runtime.block_on(async {
        if is_wanted("availability") {
            availability::measure().await?;
        }
        if is_wanted("durable") {
            durable::measure().await?;
        }
        if is_wanted("idle") {
            idle::measure().await?;
        }
        if is_wanted("waits") {
            waits::measure().await?;
        }
        Ok(())
    })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

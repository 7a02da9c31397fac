//! References: parsing beside `url::Url::parse`, scanning beside a bare `memchr`, loading beside the
//! bare walk and `std::fs::read`.
//!
//! `cargo run --release` prints medians over interleaved rounds, on one core. The reference mix and
//! the URL mix say the same things; `allocations` counts what one pass over the mix allocates. `cargo run --release loading` measures loading alone.

mod counting;
mod desk;
mod loading;
mod prose;

use contexture_reference::scan::scan;
use contexture_reference::syntax::Reference;
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 41;
const BATCH: usize = 20_000;

const REFERENCES: [&str; 3] =
    ["@file://a/b.md?line=5-10", "@!outer:@?inner://x/y", "@https://h/p?a=1&b=2"];
const URLS: [&str; 3] = ["file://a/b.md?line=5-10", "inner://x/y", "https://h/p?a=1&b=2"];

fn main() {
    // `loading` alone, or all.
    let only = std::env::args().nth(1);
    if only.as_deref() != Some("loading") {
        parsing();
        scanning();
    }
    loading::all();
}

fn parsing() {
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(seconds(|| {
            for _ in 0..BATCH {
                for text in REFERENCES {
                    black_box(Reference::parse(black_box(text)).is_ok());
                }
            }
        }));
        peer.push(seconds(|| {
            for _ in 0..BATCH {
                for text in URLS {
                    black_box(url::Url::parse(black_box(text)).is_ok());
                }
            }
        }));
    }
    let rate = |times: Vec<f64>| (BATCH * REFERENCES.len()) as f64 / median(times) / 1e6;
    let (ours, peer) = (rate(ours), rate(peer));
    let allocations = counting::allocations(|| {
        for text in REFERENCES {
            black_box(Reference::parse(black_box(text)).is_ok());
        }
    });
    println!("parsing, millions per second: ours {ours:.1} ({allocations} allocations), url {peer:.1}");
    println!("ratio to url: {:.1}", ours / peer);
}

fn scanning() {
    println!("scanning {} MB, GB/s", prose::SIZE / 1_000_000);
    println!("{:<52} {:>8} {:>8} {:>10}", "text", "ours", "memchr", "found");
    for (name, text) in prose::texts() {
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        let mut found = 0;
        for _ in 0..ROUNDS / 4 {
            ours.push(seconds(|| found = scan(black_box(&text)).count()));
            bare.push(seconds(|| {
                black_box(memchr::memchr_iter(b'@', black_box(text.as_bytes())).count());
            }));
        }
        let rate = |times: Vec<f64>| text.len() as f64 / median(times) / 1e9;
        println!("{name:<52} {:>8.1} {:>8.1} {found:>10}", rate(ours), rate(bare));
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

//! The catalog of 10,000 packs beside a bare parallel `ignore` walk, in a warm file cache.
//!
//! `cargo run --release` prints medians over interleaved rounds and their ratios. The first start
//! reads every manifest, the second finds them in the cache of the first. `cargo run --release
//! folder` keeps the tree in that folder.

mod peer;
mod tree;

use contexture_knowledge::discovery::{Discovery, DiscoveryOptions, Roots, discover};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 31;

fn main() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let kept = std::env::args().nth(1).map(std::path::PathBuf::from);
    let root = kept.as_deref().unwrap_or(temporary.path());
    tree::make(root);
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8));
    let location = root.join(".agents/knowledge");
    let cache = temporary.path().join("cache");

    let names = ["walk", "walk and read", "first start", "first, writing", "second start"];
    let mut times: [Vec<f64>; 5] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(milliseconds(|| assert_eq!(peer::walk(&location, threads), tree::PACKS)));
        times[1].push(milliseconds(|| assert_eq!(peer::read(&location, threads).0, tree::PACKS)));
        times[2].push(milliseconds(|| check(&start(root, None))));
        let _ = std::fs::remove_dir_all(&cache);
        times[3].push(milliseconds(|| check(&start(root, Some(&cache)))));
        times[4].push(milliseconds(|| check(&start(root, Some(&cache)))));
    }
    let [walk, read, first, writing, second] = times.map(median);
    for (name, time) in names.iter().zip([walk, read, first, writing, second]) {
        println!("{name:<16} {time:>8.1} ms");
    }
    println!("first start to walk and read: {:.2} (at most 1.6)", first / read);
    println!("first start, writing its cache: {:.2}", writing / read);
    println!("second start to walk: {:.2} (at most 1.2)", second / walk);
}

fn start(root: &Path, cache: Option<&Path>) -> Discovery {
    let roots = Roots { project: Some(root.to_owned()), ..Roots::default() };
    let options =
        DiscoveryOptions { cache: cache.map(Path::to_owned), ..DiscoveryOptions::default() };
    discover(&roots, &options)
}

fn check(found: &Discovery) {
    assert_eq!(found.packs.len(), tree::PACKS);
    assert!(found.findings.is_empty(), "{:?}", found.findings.first());
    black_box(found);
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

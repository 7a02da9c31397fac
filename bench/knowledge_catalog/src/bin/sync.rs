//! A pack of a folder of 10,000 files beside a bare walk with metadata, and the first import of 2,000
//! pages beside reading them, in a warm file cache.
//!
//! `cargo run --release --bin sync` prints medians over interleaved rounds and their ratios.

use contexture_knowledge::sync::{NewSource, NoWeb, SyncedPack, add};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

const ROUNDS: usize = 31;

fn main() {
    let place = tempfile::tempdir().expect("a temporary folder");
    unchanged(place.path());
    first_import(place.path());
}

/// Syncs a pack whose source did not change.
fn unchanged(place: &Path) {
    let (docs, packs) = (place.join("docs"), place.join("packs"));
    make(&docs, 10_000);
    make_pack("docs", &docs, &packs, place);
    let pack = packs.join("docs");
    let sync = || {
        let pack = SyncedPack::open(&pack, place).expect("a record").expect("a source");
        pack.sync(&NoWeb, &[]).expect("a sync")
    };
    let (mut walks, mut syncs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        walks.push(milliseconds(|| assert_eq!(walk(&docs), 10_000)));
        syncs.push(milliseconds(|| {
            let report = sync();
            assert_eq!((report.unchanged, report.changed), (10_000, 0));
        }));
    }
    let (walk, sync) = (median(walks), median(syncs));
    println!("walk of 10,000 files with metadata {walk:>8.1} ms");
    println!("sync of them, unchanged            {sync:>8.1} ms");
    println!("sync to walk: {:.2} (at most 1.5)", sync / walk);
}

/// Makes packs of pages for the first time.
fn first_import(place: &Path) {
    let docs = place.join("pages");
    make(&docs, 2_000);
    let (mut reads, mut imports) = (Vec::new(), Vec::new());
    for round in 0..5 {
        reads.push(milliseconds(|| assert!(read(&docs) > 2_000_000)));
        let packs = place.join(format!("import-{round}"));
        imports.push(milliseconds(|| make_pack("pages", &docs, &packs, place)));
    }
    let (read, import) = (median(reads), median(imports));
    println!("reading 2,000 pages                {read:>8.1} ms");
    println!("first import of them               {import:>8.1} ms (at most 3,000 more)");
}

fn make_pack(name: &str, docs: &Path, packs: &Path, base: &Path) {
    let sources = [docs.to_owned()];
    let new = NewSource { name, sources: &sources, ..NewSource::default() };
    add(&new, packs, base, &NoWeb).expect("a pack");
}

/// Makes files of 2.4 KB in folders of 50.
fn make(folder: &Path, files: usize) {
    let paragraph = "Feed them twice a day, in small portions, and change a third of the water. ";
    for file in 0..files {
        let path = folder.join(format!("part-{:03}/page-{file:05}.md", file / 50));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let section = |number| format!("## Part {number}\n\n{}\n\n", paragraph.repeat(8));
        let text: String = (0..4).map(section).collect();
        std::fs::write(&path, format!("# Page {file}\n\n{text}")).expect("a file");
        // What was written just now is read again.
        let file = std::fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).expect("a time");
    }
}

fn entries(folder: &Path) -> Vec<(PathBuf, std::fs::Metadata)> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.file_type().expect("a kind").is_dir() {
                open.push(entry.path());
            } else {
                found.push((entry.path(), entry.metadata().expect("metadata")));
            }
        }
    }
    found
}

fn walk(folder: &Path) -> usize {
    entries(folder).iter().filter(|(_, found)| found.len() > 0).count()
}

fn read(folder: &Path) -> usize {
    entries(folder).iter().map(|(path, _)| std::fs::read(path).expect("a file").len()).sum()
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

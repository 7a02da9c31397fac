//! The resolver beside bare tantivy, over 100,000 sections.
//!
//! `cargo run --release` makes a pack (word frequencies as in a language, 50 sections in a file),
//! indexes it with both, and asks both the same questions of three words, in turns. Ours finds,
//! chooses, packs under 2,000 tokens, fences and counts; tantivy finds its ten best and reads them.
//! Memory is the largest resident size of a process of its own for each: `build ours`, `build bare`,
//! `ask ours`, `ask bare`.

mod text;

use contexture_context::tokens::{O200K_BASE, TokenCounter};
use contexture_knowledge::resolve::{Resolver, Task};
use contexture_knowledge::{DiscoveryOptions, Pack, Roots, discover};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{STORED, Schema, TEXT, Value};
use tantivy::{Index, IndexWriter, TantivyDocument, doc};

const SECTIONS: usize = 100_000;
const IN_FILE: usize = 50;
const QUESTIONS: usize = 2_000;
const BUDGET: u64 = 2_000;
const THREADS: usize = 2;
const MEMORY: usize = 96_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["build", "ours", folder] => drop(build_ours(Path::new(folder))),
        ["build", "bare", folder] => drop(build_bare(Path::new(folder))),
        ["ask", "ours", folder] => {
            let (resolver, pack) = open_ours(Path::new(folder));
            for question in text::questions(&text::words(), QUESTIONS) {
                ask_ours(&resolver, &pack, &question);
            }
            print_memory();
        }
        ["ask", "bare", folder] => {
            let bare = Bare::open(Path::new(folder));
            for question in text::questions(&text::words(), QUESTIONS) {
                bare.ask(&question);
            }
            print_memory();
        }
        _ => all(),
    }
}

fn all() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    text::write_pack(&root.join("pack"), SECTIONS, IN_FILE);
    building(root);
    asking(root);
    let kilobytes = |who: &str| child(&["ask", who], root);
    let (ours, bare) = (kilobytes("ours"), kilobytes("bare"));
    println!(
        "memory while asking, MB: ours {:.0}, tantivy {:.0}, ratio {:.2}",
        ours / 1e3,
        bare / 1e3,
        ours / bare
    );
}

fn building(root: &Path) {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    let (mut ours_memory, mut bare_memory) = (0.0_f64, 0.0_f64);
    for _ in 0..3 {
        let _ = std::fs::remove_dir_all(root.join("cache"));
        let begun = Instant::now();
        ours_memory = ours_memory.max(child(&["build", "ours"], root));
        ours.push(begun.elapsed().as_secs_f64());
        let _ = std::fs::remove_dir_all(root.join("bare"));
        let begun = Instant::now();
        bare_memory = bare_memory.max(child(&["build", "bare"], root));
        bare.push(begun.elapsed().as_secs_f64());
    }
    let (ours, bare) = (median(ours), median(bare));
    let rate = |seconds: f64| SECTIONS as f64 / seconds / 1e3;
    println!(
        "building, thousand sections per second, files read: ours {:.0}, tantivy {:.0}, rate {:.2} of tantivy's",
        rate(ours),
        rate(bare),
        bare / ours
    );
    println!(
        "memory while building, MB: ours {:.0}, tantivy {:.0}, ratio {:.2}",
        ours_memory / 1e3,
        bare_memory / 1e3,
        ours_memory / bare_memory
    );
}

fn asking(root: &Path) {
    let (resolver, pack) = open_ours(root);
    let bare = Bare::open(root);
    let questions = text::questions(&text::words(), QUESTIONS);
    let (mut ours, mut theirs, mut counting) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tokens, mut sections) = (0, 0);
    for (at, question) in questions.iter().enumerate() {
        let begun = Instant::now();
        let (context, found) = ask_ours(&resolver, &pack, question);
        let our_time = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        bare.ask(question);
        let their_time = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        std::hint::black_box(O200K_BASE.count(&context));
        // The first hundred warm the caches of both.
        if at >= 100 {
            counting.push(begun.elapsed().as_secs_f64());
            ours.push(our_time);
            theirs.push(their_time);
            tokens += O200K_BASE.count(&context);
            sections += found;
        }
    }
    let asked = ours.len();
    println!(
        "mean answer: {} tokens, {:.1} sections",
        tokens / asked,
        sections as f64 / asked as f64
    );
    let show = |name: &str, share: f64, ours: &[f64], theirs: &[f64]| {
        let (ours, theirs) = (at(ours, share) * 1e3, at(theirs, share) * 1e3);
        println!("{name}, ms: ours {ours:.3}, tantivy {theirs:.3}, ratio {:.1}", ours / theirs);
    };
    ours.sort_by(f64::total_cmp);
    theirs.sort_by(f64::total_cmp);
    show("p50", 0.5, &ours, &theirs);
    show("p99", 0.99, &ours, &theirs);
    println!("of it counting the context once, p50: {:.3}", median(counting) * 1e3);
}

/// Runs this program for one step and gives the largest resident size, in kilobytes.
fn child(step: &[&str], root: &Path) -> f64 {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(step).arg(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

fn print_memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    // What files are mapped counts for neither: it is the system's cache.
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    println!("{}", peak.split_whitespace().nth(1).unwrap());
}

fn open_pack(root: &Path) -> Pack {
    let roots = Roots { explicit: vec![root.join("pack")], ..Roots::default() };
    discover(&roots, &DiscoveryOptions::default()).open("bench").unwrap()
}

fn open_ours(root: &Path) -> (Resolver, [Pack; 1]) {
    let resolver = Resolver::new(&O200K_BASE, Some(root.join("cache")));
    (resolver.with_recheck(Duration::from_secs(3_600)), [open_pack(root)])
}

fn build_ours(root: &Path) -> Resolver {
    let (resolver, pack) = open_ours(root);
    let report = resolver.index(&pack[0], true).unwrap();
    // A long section is several passages.
    assert!(report.sections >= SECTIONS as u64, "{} of {SECTIONS} sections", report.sections);
    print_memory();
    resolver
}

fn ask_ours(resolver: &Resolver, pack: &[Pack; 1], question: &str) -> (String, usize) {
    let answer = resolver.resolve(pack, &Task::new(question, BUDGET)).unwrap();
    (answer.context, answer.sections.len())
}

fn schema() -> Schema {
    let mut schema = Schema::builder();
    schema.add_text_field("heading", TEXT | STORED);
    schema.add_text_field("text", TEXT | STORED);
    schema.build()
}

/// Bare tantivy over the same files, parted at `## ` alone.
fn build_bare(root: &Path) {
    std::fs::create_dir_all(root.join("bare")).unwrap();
    let index = Index::create_in_dir(root.join("bare"), schema()).unwrap();
    let (heading, text) =
        (tantivy::schema::Field::from_field_id(0), tantivy::schema::Field::from_field_id(1));
    let mut writer: IndexWriter = index.writer_with_num_threads(THREADS, MEMORY).unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(root.join("pack/compiled")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for file in files {
        let whole = std::fs::read_to_string(file).unwrap();
        for section in whole.split("\n## ").skip(1) {
            let (head, body) = section.split_once('\n').unwrap();
            writer.add_document(doc!(heading => head, text => body.trim())).unwrap();
        }
    }
    writer.commit().unwrap();
    writer.wait_merging_threads().unwrap();
    print_memory();
}

struct Bare {
    searcher: tantivy::Searcher,
    parser: QueryParser,
    text: tantivy::schema::Field,
}

impl Bare {
    fn open(root: &Path) -> Self {
        let index = Index::open_in_dir(root.join("bare")).unwrap();
        let fields: Vec<_> = schema().fields().map(|(field, _)| field).collect();
        let parser = QueryParser::for_index(&index, fields.clone());
        Self { searcher: index.reader().unwrap().searcher(), parser, text: fields[1] }
    }

    fn ask(&self, question: &str) -> usize {
        let query = self.parser.parse_query(question).unwrap();
        let found =
            self.searcher.search(&query, &TopDocs::with_limit(10).order_by_score()).unwrap();
        let texts = found.into_iter().map(|(_, address)| {
            let document: TantivyDocument = self.searcher.doc(address).unwrap();
            document
                .get_first(self.text)
                .and_then(|value| value.as_str().map(str::len))
                .unwrap_or(0)
        });
        std::hint::black_box(texts.sum())
    }
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

//! Counting and cutting against tiktoken-rs and bare bpe-openai.
//!
//! `cargo run --release [-- FILE…]` measures on the given files, or on the repository's own texts;
//! each is repeated to 1 MB. Given files are counted as they are before that, each time by a process
//! that did not see them ([`cold`]). All candidates run in turn within one process, several rounds over,
//! and the table gives medians and ratios: absolute figures of a shared machine mean little.

mod cold;
mod corpus;
mod stopwatch;

use contexture_context::tokens::{O200K_BASE, TokenCounter};
use contexture_context::{Keep, Measure, cut::cut};
use std::hint::black_box;
use std::time::Instant;
use stopwatch::{Candidate, race};

const LIMIT: usize = 8_000;
/// Cuts begin at as many places of the text in turn, so that no candidate lives on what it
/// remembers of the last run.
const PLACES: usize = 16;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, name, file] = arguments.as_slice()
        && word == "pass"
    {
        return cold::pass(name, file);
    }
    load();
    for file in &arguments {
        let bytes = std::fs::metadata(file)?.len() as usize;
        println!("\n== {file}: {bytes} bytes");
        cold::compare(file, bytes)?;
    }
    for corpus in corpus::all(arguments.into_iter())? {
        let (name, text) = (corpus.name.as_str(), corpus.text.as_str());
        println!("\n== {name}: {} bytes, {} tokens", text.len(), O200K_BASE.count(text));
        count(text);
        cut_head(text);
        cut_ways(text);
    }
    for corpus in corpus::odd() {
        println!("\n== {}: {} bytes", corpus.name, corpus.text.len());
        count_odd(&corpus.text);
        cut_ways(&corpus.text);
    }
    Ok(())
}

fn load() {
    let start = Instant::now();
    black_box(O200K_BASE.count("first"));
    println!("first count: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    black_box(tiktoken_rs::o200k_base_singleton().encode_ordinary("first"));
    println!("tiktoken-rs, the same: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
}

fn count(text: &str) {
    let bpe = bpe_openai::o200k_base();
    let tiktoken = tiktoken_rs::o200k_base_singleton();
    let counted = O200K_BASE.count(text);
    assert_eq!(counted, bpe.count(text), "counts differ");
    assert_eq!(counted, tiktoken.encode_ordinary(text).len(), "counts differ");
    let rows = race(&mut [
        Candidate::new("contexture count", || O200K_BASE.count(text)),
        Candidate::new("bpe-openai count", || bpe.count(text)),
        Candidate::new("tiktoken-rs encode", || tiktoken.encode_ordinary(text).len()),
    ]);
    stopwatch::print(&rows, Some(text.len()));
}

/// Counts beside the peer that is linear too: the other takes minutes for one word of 1 MB.
fn count_odd(text: &str) {
    let bpe = bpe_openai::o200k_base();
    assert_eq!(O200K_BASE.count(text), bpe.count(text), "counts differ");
    let rows = race(&mut [
        Candidate::new("contexture count", || O200K_BASE.count(text)),
        Candidate::new("bpe-openai count", || bpe.count(text)),
    ]);
    stopwatch::print(&rows, Some(text.len()));
}

/// Half of the text, from one place on and then from the next.
fn places<'a>(text: &'a str) -> impl FnMut() -> &'a str {
    let mut turn = 0;
    move || {
        turn = (turn + 1) % PLACES;
        let from = text.ceil_char_boundary(text.len() / 2 / PLACES * turn);
        let to = text.ceil_char_boundary(from + text.len() / 2);
        text.get(from..to).unwrap_or(text)
    }
}

fn cut_head(text: &str) {
    let bpe = bpe_openai::o200k_base();
    let tiktoken = tiktoken_rs::o200k_base_singleton();
    let (mut first, mut second, mut third) = (places(text), places(text), places(text));
    let rows = race(&mut [
        Candidate::new("contexture cut, keep head", || ours(first(), Keep::Head)),
        Candidate::new("bpe-openai, stop at the limit", || {
            let (mut at, mut tokens) = (0, 0);
            for piece in bpe.split(second()) {
                tokens += bpe.bpe.count(piece.as_bytes());
                if tokens > LIMIT {
                    break;
                }
                at += piece.len();
            }
            at
        }),
        Candidate::new("tiktoken-rs, encode all and decode", || {
            let tokens = tiktoken.encode_ordinary(third());
            let kept = tokens.get(..LIMIT).unwrap_or(&tokens);
            tiktoken.decode(kept).map_or(0, |text| text.len())
        }),
    ]);
    stopwatch::print(&rows, None);
}

fn cut_ways(text: &str) {
    let ten = text.repeat(10);
    let (mut first, mut second, mut third) = (places(text), places(text), places(text));
    let rows = race(&mut [
        Candidate::new("cut, keep head", || ours(first(), Keep::Head)),
        Candidate::new("cut, keep tail", || ours(second(), Keep::Tail)),
        Candidate::new("cut, keep middle", || ours(third(), Keep::Middle)),
        Candidate::new("cut, keep head, ten times the text", || ours(&ten, Keep::Head)),
        Candidate::new("cut, keep tail, ten times the text", || ours(&ten, Keep::Tail)),
        Candidate::new("cut to 32k chars", || {
            cut(text, 4 * LIMIT, Measure::Chars, Keep::Head, &O200K_BASE).after
        }),
    ]);
    stopwatch::print(&rows, None);
}

fn ours(text: &str, keep: Keep) -> usize {
    let cut = cut(text, LIMIT, Measure::Tokens, keep, &O200K_BASE);
    assert!(cut.after <= LIMIT);
    cut.after
}

//! Loading files: a pattern beside the bare walk and the reads, a plan beside the reads.

use crate::{desk, median, seconds};
use contexture_context::tokens::tokenizer_for;
use contexture_reference::syntax::Reference;
use contexture_reference::{Place, PlanOptions, Sizes};
use ignore::WalkBuilder;
use std::hint::black_box;
use std::path::Path;

const ROUNDS: usize = 31;

pub(crate) fn all() {
    let tree = desk::tree();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    pattern(tree.path(), &runtime);
    plan(tree.path(), &runtime);
}

fn pattern(root: &Path, runtime: &tokio::runtime::Runtime) {
    let loader = desk::loader(root);
    let reference = Reference::parse("@file://**/*.md").expect("a reference");
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(seconds(|| assert_eq!(walk_and_read(root), desk::FILES)));
        ours.push(seconds(|| {
            let loaded = runtime.block_on(loader.load(&reference, &Place::workspace()));
            assert_eq!(loaded.map(|loaded| loaded.resources.len()), Ok(desk::FILES));
        }));
    }
    show("@file://**/*.md over 10,000 files, ms; bare: ignore and std::fs::read", ours, bare);
}

/// The walk with the filters that a pattern has, and what it matches, read.
fn walk_and_read(root: &Path) -> usize {
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .hidden(true)
        .git_ignore(true)
        .require_git(false)
        .parents(false)
        .build();
    let entries = walk.filter_map(Result::ok);
    let matches = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "md"));
    let read: Vec<_> = matches.map(|entry| std::fs::read(entry.path()).expect("it is there")).collect();
    black_box(read).len()
}

fn plan(root: &Path, runtime: &tokio::runtime::Runtime) {
    let loader = desk::loader(root);
    let names = desk::names();
    let text = desk::text(&names);
    let sized = PlanOptions::default();
    let plain = PlanOptions { sizes: Sizes::Weighed, ..PlanOptions::default() };
    let counter = tokenizer_for("gpt-4o");
    let made = |options: &PlanOptions| {
        let plan = runtime.block_on(loader.plan(&text, options)).expect("a plan");
        assert!(plan.entries.len() == names.len() && plan.hot_failure().is_none());
    };
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    let (mut with_sizes, mut counted) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(seconds(|| {
            black_box(read(root, &names));
        }));
        ours.push(seconds(|| made(&plain)));
        with_sizes.push(seconds(|| made(&sized)));
        counted.push(seconds(|| {
            let read = read(root, &names);
            let texts = read.iter().map(|bytes| std::str::from_utf8(bytes).expect("text"));
            black_box(texts.map(|text| counter.count(text)).sum::<usize>());
        }));
    }
    show("plan of 1,000 hot references, ms; bare: std::fs::read", ours, bare);
    show("the same with sizes in tokens; bare: read and counted", with_sizes, counted);
}

fn read(root: &Path, names: &[String]) -> Vec<Vec<u8>> {
    names.iter().map(|name| std::fs::read(root.join(name)).expect("it is there")).collect()
}

fn show(what: &str, ours: Vec<f64>, bare: Vec<f64>) {
    let (ours, bare) = (median(ours) * 1e3, median(bare) * 1e3);
    println!("{what:<72} ours {ours:>7.1}, bare {bare:>7.1}, ratio {:.2}", ours / bare);
}

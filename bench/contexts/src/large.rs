//! A context of 1,000,000 messages beside one of a few (CP-12).

use crate::{Outcome, add, median, text, write};
use contexture_store::contexts::{
    ContextStore, Key, NewMessage, Operation, Options, SqliteContexts, Update,
};
use std::path::Path;
use std::time::Instant;

const MESSAGES: usize = 1_000_000;
const BATCH: usize = 1_000;
const PAGE: usize = 100;
const ROUNDS: usize = 201;

pub fn measure(folder: &Path) -> Outcome<()> {
    let store = SqliteContexts::open(&folder.join("large.db"), Options::default())?;
    let began = Instant::now();
    fill(&store, "large", MESSAGES)?;
    println!("{MESSAGES} messages added in {:.0} s", began.elapsed().as_secs_f64());
    fill(&store, "small", PAGE)?;

    let (mut large, mut small) = (Vec::new(), Vec::new());
    for round in 0..8 {
        small.push(write(&store, round, |_| "small".to_owned()).0);
        large.push(write(&store, round, |_| "large".to_owned()).0);
    }
    let ratio = median(&mut large) / median(&mut small);
    println!("append from 64 writers, large beside small: {ratio:.2} of its rate");
    let appended = |context: &str| {
        let began = Instant::now();
        let id = format!("{context}-{:?}", Instant::now());
        store.apply(add(context, &id)).map(|_| began.elapsed().as_secs_f64() * 1e3)
    };
    compare("append alone", || appended("small"), || appended("large"))?;

    let read = |context: &str, after: u64| {
        let began = Instant::now();
        let page = store.messages(Key { owner: "ann", context }, after, PAGE)?;
        assert_eq!(page.messages.len(), PAGE);
        for message in &page.messages {
            std::hint::black_box(message.to_value(context));
        }
        Ok(began.elapsed().as_secs_f64() * 1e3)
    };
    let spread = std::cell::Cell::new(0_u64);
    let somewhere = || {
        spread.set(spread.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        (spread.get() >> 33) % (MESSAGES - PAGE) as u64
    };
    compare("first page of 100", || read("small", 0), || read("large", 0))?;
    compare("page of 100 anywhere", || read("small", 0), || read("large", somewhere()))?;
    let last = |context: &str| {
        let began = Instant::now();
        store.last(Key { owner: "ann", context }, PAGE)?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    };
    compare("last 100", || last("small"), || last("large"))?;
    let changes = |context: &str| {
        let key = Key { owner: "ann", context };
        let version = store.head(key)?.version;
        let began = Instant::now();
        assert_eq!(store.changes(key, version - 10, PAGE)?.changes.len(), 10);
        Ok(began.elapsed().as_secs_f64() * 1e3)
    };
    compare("last 10 changes", || changes("small"), || changes("large"))
}

fn fill(store: &dyn ContextStore, context: &str, messages: usize) -> Outcome<()> {
    for batch in 0..messages.div_ceil(BATCH) {
        let count = BATCH.min(messages);
        let one = |n: usize| NewMessage::parse(&text(&format!("{context}-{batch}-{n}")));
        let operations =
            (0..count).map(|n| one(n).map(Operation::AddMessage)).collect::<Result<Vec<_>, _>>()?;
        store.apply(Update::new("ann", context, operations))?;
    }
    Ok(())
}

type Measured = Result<f64, contexture_store::contexts::ContextError>;

fn compare(name: &str, small: impl Fn() -> Measured, large: impl Fn() -> Measured) -> Outcome<()> {
    let (mut of_small, mut of_large) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_small.push(small()?);
        of_large.push(large()?);
    }
    let (small, large) = (median(&mut of_small), median(&mut of_large));
    println!("{name}: large {large:.3} ms, small {small:.3} ms, ratio {:.2}", large / small);
    Ok(())
}

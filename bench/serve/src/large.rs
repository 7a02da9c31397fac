//! A context of 1,000,000 messages beside one of a few, over HTTP.

use crate::child::Server;
use crate::durable::update;
use crate::wire::{Wire, get, post};
use crate::{Outcome, median};
use std::time::Instant;

const MESSAGES: usize = 1_000_000;
const BATCH: usize = 1_000;
const PAGE: usize = 100;
const ROUNDS: usize = 201;

pub async fn measure() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let server = Server::ours(folder.path())?;
    let mut wire = Wire::connect(server.address).await?;
    let began = Instant::now();
    fill(&server, &mut wire, "large", MESSAGES).await?;
    println!("{MESSAGES} messages added over HTTP in {:.0} s", began.elapsed().as_secs_f64());
    fill(&server, &mut wire, "small", PAGE).await?;
    let of = |context: &'static str, n: usize| {
        post(server.address, &update(context, &format!("alone-{context}-{n}")))
    };
    compare(&mut wire, "append", |n| of("small", n), |n| of("large", n)).await?;
    let page = |context: &str, after: usize| {
        let path = format!("/v1/contexts/{context}/messages?after={after}&limit={PAGE}");
        get(server.address, &path)
    };
    compare(&mut wire, "first page of 100", |_| page("small", 0), |_| page("large", 0)).await?;
    let somewhere = |n: usize| n.wrapping_mul(7_919_003) % (MESSAGES - PAGE);
    let far = |n| page("large", somewhere(n));
    compare(&mut wire, "page of 100 anywhere", |_| page("small", 0), far).await
}

async fn fill(server: &Server, wire: &mut Wire, context: &str, count: usize) -> Outcome<()> {
    for from in (0..count).step_by(BATCH) {
        let range = from..count.min(from + BATCH);
        let each: Vec<String> = range.map(|n| update(context, &format!("{context}-{n}"))).collect();
        wire.ask(&post(server.address, &format!("[{}]", each.join(",")))).await?;
    }
    Ok(())
}

async fn compare(
    wire: &mut Wire,
    what: &str,
    small: impl Fn(usize) -> Vec<u8>,
    large: impl Fn(usize) -> Vec<u8>,
) -> Outcome<()> {
    let (mut of_small, mut of_large) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for (request, times) in [(small(round), &mut of_small), (large(round), &mut of_large)] {
            let began = Instant::now();
            wire.ask(&request).await?;
            if round > 0 {
                times.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let (small, large) = (median(&mut of_small), median(&mut of_large));
    println!("{what}: {large:.2} ms beside {small:.2} ms, ratio {:.2}", large / small);
    Ok(())
}

//! The same updates in PostgreSQL, beside the bare pair of statements of an update: raise the version of
//! a context, insert a message, in a transaction of its own, by 64 clients (WA-11).

use crate::{EACH, Outcome, ROUNDS, WRITERS, median, share, text, write};
use contexture_store::contexts::{Options, PostgresContexts};
use contexture_store::postgres::{Address, Postgres};
use postgres::{Client, NoTls};
use std::sync::Arc;
use std::time::Instant;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Measures on the database at `url`, whose tables are made where they are missing.
pub fn measure(url: &str) -> Outcome<()> {
    let store = store(url)?;
    let mut peers = peers(url)?;
    for (name, context) in [
        ("64 writers to one context", (|_| "ctx_one".to_owned()) as fn(usize) -> String),
        ("64 writers to 64 contexts", |writer| format!("ctx_{writer}")),
    ] {
        let (mut bare, mut ours, mut waits) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            let by_peer = pairs(&mut peers, round, context)?;
            let by_store = write(&store, round, context);
            if round > 0 {
                bare.push(by_peer);
                ours.push(by_store.0);
                waits.extend(by_store.1);
            }
        }
        let (bare, ours) = (median(&mut bare), median(&mut ours));
        println!(
            "PostgreSQL, {name}: {ours:.0}/s, bare pairs {bare:.0}/s, ratio {:.2}; p50 {:.1} ms, p99 {:.1} ms",
            ours / bare,
            share(&mut waits, 50).as_secs_f64() * 1e3,
            share(&mut waits, 99).as_secs_f64() * 1e3
        );
    }
    Ok(())
}

fn store(url: &str) -> Outcome<PostgresContexts> {
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let options = Options::default();
    let postgres = Postgres::open(Address::parse(url, None)?, tls, &options.ids)?;
    Ok(PostgresContexts::open_in(&postgres, options)?)
}

/// A connection for each writer, and tables of their own.
fn peers(url: &str) -> Outcome<Vec<Client>> {
    let mut first = Client::connect(url, NoTls)?;
    first.batch_execute(
        "drop table if exists bare_messages, bare_contexts;
         create table bare_contexts (id text primary key, version bigint not null);
         create table bare_messages (context text, seq bigint, body text, primary key (context, seq));
         insert into bare_contexts values ('ctx_one', 0);
         insert into bare_contexts select 'ctx_' || n, 0 from generate_series(0, 63) n",
    )?;
    (0..WRITERS).map(|_| Ok(Client::connect(url, NoTls)?)).collect()
}

/// Pairs of statements in a second.
fn pairs(peers: &mut [Client], round: usize, context: fn(usize) -> String) -> Outcome<f64> {
    let began = Instant::now();
    std::thread::scope(|scope| {
        let writers: Vec<_> = peers
            .iter_mut()
            .enumerate()
            .map(|(writer, client)| {
                scope.spawn(move || -> Result<(), postgres::Error> {
                    let context = context(writer);
                    let raise = client.prepare(
                        "update bare_contexts set version = version + 1 where id = $1 returning version",
                    )?;
                    let insert = client.prepare("insert into bare_messages values ($1, $2, $3)")?;
                    for n in 0..EACH {
                        let body = text(&format!("{context}-{round}-{writer}-{n}"));
                        let mut transaction = client.transaction()?;
                        let seq: i64 = transaction.query_one(&raise, &[&context])?.get(0);
                        transaction.execute(&insert, &[&context, &seq, &body])?;
                        transaction.commit()?;
                    }
                    Ok(())
                })
            })
            .collect();
        for writer in writers {
            writer.join().expect("a writer")?;
        }
        Ok::<_, postgres::Error>(())
    })?;
    Ok((WRITERS * EACH) as f64 / began.elapsed().as_secs_f64())
}

//! The rate limits of a client.

use super::bucket::{Bucket, Taken};
use super::settings::{Limits, counted};
use contexture_protocol::content::{SystemAction, SystemData, SystemMessage};
use contexture_protocol::{ErrorCode, Refusal};
use parking_lot::Mutex;
use serde_json::Map;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The number of consecutive refusals that ends a connection.
const FLOOD: u32 = 1_000;
/// The number of buckets above which unused ones are dropped.
const MANY: usize = 1_024;

/// The rates of all owners and addresses.
#[derive(Debug)]
pub(crate) struct Rates {
    limits: Limits,
    origin: Instant,
    owners: Table<Arc<str>>,
    addresses: Table<IpAddr>,
    failures: Table<IpAddr>,
}

/// Buckets by key.
#[derive(Debug)]
struct Table<K>(Mutex<HashMap<K, Arc<Bucket>>>);

impl<K: Hash + Eq> Table<K> {
    fn bucket(&self, key: K, rate: NonZeroU64, now: u64) -> Arc<Bucket> {
        let mut buckets = self.0.lock();
        if buckets.len() >= MANY && buckets.len().is_power_of_two() {
            buckets.retain(|_, bucket| Arc::strong_count(bucket) > 1 || !bucket.is_rested(now));
        }
        Arc::clone(buckets.entry(key).or_insert_with(|| Arc::new(Bucket::new(rate))))
    }
}

/// The answer of the rate limits.
#[derive(Debug)]
pub(crate) enum Pace {
    Free,
    /// The client approaches its rate: the warning for it.
    Near(Box<SystemMessage>),
    Over(Box<Breach>),
}

/// An exceeded rate.
#[derive(Debug)]
pub(crate) struct Breach {
    pub(crate) refusal: Refusal,
    /// True for the first of consecutive breaches, which is logged.
    pub(crate) is_first: bool,
}

impl Rates {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            origin: Instant::now(),
            owners: Table(Mutex::default()),
            addresses: Table(Mutex::default()),
            failures: Table(Mutex::default()),
        }
    }

    fn now(&self) -> u64 {
        now(self.origin)
    }

    pub(crate) fn meter(&self, owner: &Arc<str>, address: Option<IpAddr>) -> Arc<Meter> {
        let now = self.now();
        let of_owner = |rate| self.owners.bucket(Arc::clone(owner), rate, now);
        Arc::new(Meter {
            origin: self.origin,
            owner: self.limits.owner_rate.map(of_owner),
            address: address.and_then(|address| self.address(address, now)),
            refused: AtomicU32::new(0),
        })
    }

    fn address(&self, address: IpAddr, now: u64) -> Option<Arc<Bucket>> {
        let rate = self.limits.address_rate?;
        Some(self.addresses.bucket(counted(address), rate, now))
    }

    /// Counts a request from an address, before anything else is known of it.
    pub(crate) fn request(&self, address: IpAddr) -> Result<(), Box<Breach>> {
        let now = self.now();
        self.address(address, now).map_or(Ok(()), |bucket| count(&bucket, now, Of::Address))
    }

    /// Counts a request with a wrong token; an error when there were too many.
    pub(crate) fn failed_login(&self, address: IpAddr) -> Result<(), Box<Breach>> {
        let now = self.now();
        let bucket = self.failures.bucket(counted(address), self.limits.failed_logins, now);
        count(&bucket, now, Of::FailedLogins)
    }
}

fn count(bucket: &Bucket, now: u64, of: Of) -> Result<(), Box<Breach>> {
    match bucket.take(now) {
        Taken::Over { wait, is_first } => Err(over(bucket, (wait, is_first), of)),
        Taken::Free | Taken::Near { .. } => Ok(()),
    }
}

/// The rate limits of a client, which it shares with others of its owner and address.
#[derive(Debug)]
pub(crate) struct Meter {
    origin: Instant,
    owner: Option<Arc<Bucket>>,
    address: Option<Arc<Bucket>>,
    /// The number of consecutive refusals.
    refused: AtomicU32,
}

impl Meter {
    /// Creates the meter of work that was accepted before, and of the client that started the process.
    pub(crate) fn unlimited() -> Self {
        Self { origin: Instant::now(), owner: None, address: None, refused: AtomicU32::new(0) }
    }

    /// Counts a message, or a request without one.
    pub(crate) fn take(&self) -> Pace {
        if self.owner.is_none() && self.address.is_none() {
            return Pace::Free;
        }
        let now = now(self.origin);
        let mut pace = Pace::Free;
        for (bucket, of) in [(&self.owner, Of::Owner), (&self.address, Of::Address)] {
            let Some(bucket) = bucket else { continue };
            match bucket.take(now) {
                Taken::Free => {}
                Taken::Near { left } => pace = Pace::Near(Box::new(near(bucket, left))),
                Taken::Over { wait, is_first } => {
                    self.refused.fetch_add(1, Ordering::Relaxed);
                    return Pace::Over(over(bucket, (wait, is_first), of));
                }
            }
        }
        self.refused.store(0, Ordering::Relaxed);
        pace
    }

    /// Reports whether the client keeps sending although it is to wait.
    pub(crate) fn is_flooded(&self) -> bool {
        self.refused.load(Ordering::Relaxed) >= FLOOD
    }
}

fn now(origin: Instant) -> u64 {
    u64::try_from(origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The kinds of rates.
#[derive(Debug, Clone, Copy)]
enum Of {
    Owner,
    Address,
    FailedLogins,
}

fn over(bucket: &Bucket, (wait, is_first): (Duration, bool), of: Of) -> Box<Breach> {
    let (policy, what) = match of {
        Of::Owner => ("rate_limit", "messages for its owner"),
        Of::Address => ("address_rate_limit", "requests and messages from its address"),
        Of::FailedLogins => ("failed_login_limit", "requests with a wrong token from its address"),
    };
    let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1);
    let most = bucket.per_minute();
    let text = format!("the client sends more than {most} {what} in a minute");
    let refusal = Refusal::new(ErrorCode::RateLimited, text)
        .policy(policy)
        .detail("limitPerMinute", most)
        .detail("retryAfter", seconds)
        .suggest(format!(
            "Wait {seconds} s, then send the same message again, and fewer in a minute."
        ));
    Box::new(Breach { refusal, is_first })
}

fn near(bucket: &Bucket, left: u64) -> SystemMessage {
    let most = bucket.per_minute();
    let extra = Map::from_iter([
        ("limitPerMinute".to_owned(), most.into()),
        ("left".to_owned(), left.into()),
    ]);
    let data = SystemData { code: Some("RATE_WARNING".to_owned()), extra, ..SystemData::default() };
    let text = format!("of {most} messages in a minute, {left} are left for now");
    SystemMessage { data: Some(data), ..SystemMessage::new(SystemAction::Warning, text) }
}

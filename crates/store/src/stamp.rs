//! The system's time and chance; the port and the ids made of it stand in `contexture_core::stamp`.

pub use contexture_core::stamp::{FixedStamp, Ids, Stamp, iso_time};

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns ids from the system's time and chance.
#[must_use]
pub fn system() -> Ids {
    Ids::new(Arc::new(SystemStamp::default()))
}

/// The system's clock and chance.
#[derive(Debug, Default)]
pub struct SystemStamp {
    // Keyed with the system's randomness by the standard library; hashing a counter under a secret
    // key gives numbers that repeat neither here nor in another process.
    keys: [RandomState; 2],
    counter: AtomicU64,
}

/// Returns the time of the system's clock, in microseconds since 1970-01-01 UTC.
#[must_use]
pub fn now_us() -> u64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_micros()).unwrap_or(u64::MAX)
}

impl Stamp for SystemStamp {
    fn now_us(&self) -> u64 {
        now_us()
    }

    fn random(&self) -> u128 {
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        let [high, low] = &self.keys;
        u128::from(high.hash_one(count)) << 64 | u128::from(low.hash_one(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn as_26_ids_are_unique_and_rise() {
        let ids = system();
        let made: Vec<String> = (0..1000).map(|_| ids.next().0).collect();
        assert!(made.is_sorted());
        assert_eq!(made.iter().collect::<HashSet<_>>().len(), 1000);
        assert!(
            made.iter().all(|id| id.len() == 26 && id.bytes().all(|b| b.is_ascii_alphanumeric()))
        );
    }

    #[test]
    fn as_26_two_sources_of_chance_differ() {
        assert_ne!(SystemStamp::default().random(), SystemStamp::default().random());
    }
}

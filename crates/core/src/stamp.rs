//! Time and chance, and the ids made of both.
//!
//! Decision: one small port for both, so that a test gives a fixed clock and gets the same ids
//! (AS-30). An id is 26 characters of Crockford's base 32: 48 bits of milliseconds, then 80 bits of
//! chance, so that ids sort by time and two processes never make the same one.

use contexture_protocol::Timestamp;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const ID_LENGTH: u32 = 26;
const RANDOM_BITS: u32 = 80;

/// The source of time and chance.
pub trait Stamp: Send + Sync {
    /// Returns the microseconds since 1970-01-01 UTC.
    fn now_us(&self) -> u64;

    /// Returns a number that no other call returns, in this process or another.
    fn random(&self) -> u128;
}

/// A clock that moves on by a fixed step each time it is read, and chance that counts.
#[derive(Debug)]
pub struct FixedStamp {
    now_us: AtomicU64,
    step_us: u64,
    counter: AtomicU64,
}

impl FixedStamp {
    /// Creates a clock at `start_us`; each reading is `step_us` later than the one before.
    #[must_use]
    pub const fn new(start_us: u64, step_us: u64) -> Self {
        Self { now_us: AtomicU64::new(start_us), step_us, counter: AtomicU64::new(0) }
    }
}

impl Stamp for FixedStamp {
    fn now_us(&self) -> u64 {
        self.now_us.fetch_add(self.step_us, Ordering::Relaxed)
    }

    fn random(&self) -> u128 {
        u128::from(self.counter.fetch_add(1, Ordering::Relaxed))
    }
}

/// Makes ids that rise, also within one millisecond.
pub struct Ids {
    stamp: Arc<dyn Stamp>,
    last: Mutex<u128>,
}

impl Ids {
    /// Creates ids from this time and chance.
    #[must_use]
    pub fn new(stamp: Arc<dyn Stamp>) -> Self {
        Self { stamp, last: Mutex::new(0) }
    }

    /// Returns the next id, and the time it was made at in microseconds.
    #[must_use]
    pub fn next(&self) -> (String, u64) {
        let now = self.stamp.now_us();
        let chance = self.stamp.random() & ((1 << RANDOM_BITS) - 1);
        let fresh = u128::from(now / 1000) << RANDOM_BITS | chance;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = fresh.max(last.saturating_add(1));
        (encode(*last), now)
    }

    /// Returns the time now, in microseconds.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.stamp.now_us()
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ids").finish_non_exhaustive()
    }
}

fn encode(number: u128) -> String {
    let digit = |place: u32| {
        let bits = (number >> (5 * place)) & 31;
        let digit = usize::try_from(bits).ok().and_then(|bits| DIGITS.get(bits));
        char::from(digit.copied().unwrap_or(b'0'))
    };
    (0..ID_LENGTH).rev().map(digit).collect()
}

/// Writes a time in microseconds as `2026-08-01T12:34:56.789Z`.
#[must_use]
pub fn iso_time(us: u64) -> String {
    Timestamp::from_unix_millis(us / 1_000).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_26_times_are_written_in_utc() {
        for (us, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999_999, "2024-02-29T23:59:59.999Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z"),
            (1_785_542_400_123_456, "2026-08-01T00:00:00.123Z"),
        ] {
            assert_eq!(iso_time(us), expected);
        }
        assert!(iso_time(u64::MAX).ends_with('Z'));
    }

    #[test]
    fn as_30_fixed_stamp_gives_same_ids() {
        let make = || {
            let ids = Ids::new(Arc::new(FixedStamp::new(1_785_542_400_000_000, 500)));
            [ids.next(), ids.next(), ids.next()]
        };
        assert_eq!(make(), make());
        let [(first, at), (second, later), _] = make();
        assert_eq!((at, later), (1_785_542_400_000_000, 1_785_542_400_000_500));
        assert_eq!(first, "01kyx9xp000000000000000000");
        assert!(first < second);
    }
}

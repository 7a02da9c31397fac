//! A rate limiter.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const MINUTE_NS: u64 = 60_000_000_000;

/// A rate limiter per minute, whose burst is the rate of a minute.
#[derive(Debug)]
pub(crate) struct Bucket {
    per_minute: NonZeroU64,
    /// The time at which the burst is full again, in nanoseconds.
    due: AtomicU64,
    is_warned: AtomicBool,
    /// True if the last one was not let through.
    is_over: AtomicBool,
}

/// The answer of a [`Bucket`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The request is accepted.
    Free,
    /// The request is accepted, and for the first time few are left.
    Near {
        /// The number of further requests that would be accepted now.
        left: u64,
    },
    /// The request is refused until this time.
    Over {
        wait: Duration,
        /// True if the one before was let through.
        is_first: bool,
    },
}

impl Bucket {
    pub(crate) const fn new(per_minute: NonZeroU64) -> Self {
        Self {
            per_minute,
            due: AtomicU64::new(0),
            is_warned: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    pub(crate) const fn per_minute(&self) -> u64 {
        self.per_minute.get()
    }

    /// Returns the time per request.
    const fn interval(&self) -> u64 {
        let interval = MINUTE_NS / self.per_minute.get();
        if interval == 0 { 1 } else { interval }
    }

    /// Requests one at a time in nanoseconds since any moment.
    pub(crate) fn take(&self, now: u64) -> Taken {
        let interval = self.interval();
        let depth = interval.saturating_mul(self.per_minute.get());
        let next = |due: u64| due.max(now).saturating_add(interval);
        let taken = self.due.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |due| {
            (next(due).saturating_sub(now) <= depth).then(|| next(due))
        });
        match taken {
            Ok(before) => {
                self.is_over.store(false, Ordering::Relaxed);
                let used = next(before).saturating_sub(now);
                self.left(depth.saturating_sub(used) / interval)
            }
            Err(due) => {
                let wait = next(due).saturating_sub(now).saturating_sub(depth);
                let is_first = !self.is_over.swap(true, Ordering::Relaxed);
                Taken::Over { wait: Duration::from_nanos(wait), is_first }
            }
        }
    }

    fn left(&self, left: u64) -> Taken {
        let all = self.per_minute.get();
        if left >= all / 2 {
            self.is_warned.store(false, Ordering::Relaxed);
        } else if left <= all / 5 && !self.is_warned.swap(true, Ordering::Relaxed) {
            return Taken::Near { left };
        }
        Taken::Free
    }

    /// Reports whether it is as if nothing had ever been let through.
    pub(crate) fn is_rested(&self, now: u64) -> bool {
        self.due.load(Ordering::Relaxed) <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bucket(per_minute: u64) -> Bucket {
        Bucket::new(NonZeroU64::new(per_minute).unwrap())
    }

    fn is_over(taken: Taken) -> bool {
        matches!(taken, Taken::Over { .. })
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn cp_19_burst_of_one_minute_passes_before_rate_applies() {
        let bucket = bucket(60);
        let taken: Vec<Taken> = (0..60).map(|_| bucket.take(5)).collect();
        assert!(taken.iter().all(|taken| !is_over(*taken)), "{taken:?}");
        let over = |millis, is_first| Taken::Over { wait: Duration::from_millis(millis), is_first };
        assert_eq!(bucket.take(5), over(1_000, true));
        assert_eq!(bucket.take(5 + SECOND / 2), over(500, false));
        assert_eq!(bucket.take(5 + SECOND), Taken::Free);
        assert_eq!(bucket.take(5 + SECOND), over(1_000, true));
        assert!(!bucket.is_rested(59 * SECOND) && bucket.is_rested(62 * SECOND));
    }

    #[test]
    fn cp_6_client_near_rate_is_warned_once() {
        let bucket = bucket(10);
        let taken: Vec<Taken> = (0..11).map(|_| bucket.take(0)).collect();
        assert_eq!(taken[7], Taken::Near { left: 2 });
        let others = [&taken[..7], &taken[8..10]].concat();
        assert!(others.iter().all(|taken| *taken == Taken::Free), "{taken:?}");
        assert!(is_over(taken[10]));
        let later = 60 * SECOND;
        let again: Vec<Taken> = (0..8).map(|_| bucket.take(later)).collect();
        assert_eq!(again[7], Taken::Near { left: 2 }, "after a rest, again");
    }

    proptest! {
        #[test]
        fn cp_19_no_interval_exceeds_rate(
            rate in 1_u64..200, steps in proptest::collection::vec(0_u64..2_000_000_000, 1..400),
        ) {
            let bucket = bucket(rate);
            let (mut now, mut passed) = (0, 0_u64);
            for step in steps {
                now += step;
                passed += u64::from(!is_over(bucket.take(now)));
            }
            let most = rate + now / bucket.interval() + 1;
            prop_assert!(passed <= most, "{passed} of {most}");
        }

        #[test]
        fn cp_19_client_that_waits_as_told_is_accepted(rate in 1_u64..5_000, now in 0..u64::MAX / 4) {
            let bucket = bucket(rate);
            let mut wait = Duration::ZERO;
            for _ in 0..=rate {
                if let Taken::Over { wait: long, .. } = bucket.take(now) {
                    wait = long;
                }
            }
            prop_assert!(wait > Duration::ZERO);
            let later = now + u64::try_from(wait.as_nanos()).unwrap();
            prop_assert!(!is_over(bucket.take(later)));
        }
    }
}

//! Limits of concurrent connections, in total and per key.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// The reserved connections, counted per key.
#[derive(Debug)]
pub(crate) struct ConnectionLimit<K: Hash + Eq> {
    most: usize,
    most_each: Option<usize>,
    taken: Mutex<Counted<K>>,
}

#[derive(Debug)]
struct Counted<K> {
    all: usize,
    each: HashMap<K, usize>,
}

/// A connection that is reserved until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionPermit<K: Hash + Eq> {
    limit: Arc<ConnectionLimit<K>>,
    key: K,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitReached {
    /// The limit of all connections.
    Total(usize),
    PerKey(usize),
}

impl<K: Hash + Eq + Clone> ConnectionLimit<K> {
    pub(crate) fn new(most: usize, most_each: Option<usize>) -> Arc<Self> {
        let taken = Mutex::new(Counted { all: 0, each: HashMap::new() });
        Arc::new(Self { most, most_each, taken })
    }

    /// Reserves a connection.
    pub(crate) fn take(self: &Arc<Self>, key: K) -> Result<ConnectionPermit<K>, LimitReached> {
        let mut taken = self.taken.lock();
        if taken.all >= self.most {
            return Err(LimitReached::Total(self.most));
        }
        let each = taken.each.entry(key.clone()).or_default();
        if let Some(most) = self.most_each.filter(|most| *each >= *most) {
            return Err(LimitReached::PerKey(most));
        }
        *each += 1;
        taken.all += 1;
        drop(taken);
        Ok(ConnectionPermit { limit: Arc::clone(self), key })
    }

    /// Returns the number of reserved connections.
    pub(crate) fn count(&self) -> usize {
        self.taken.lock().all
    }
}

impl<K: Hash + Eq> Drop for ConnectionPermit<K> {
    fn drop(&mut self) {
        let mut taken = self.limit.taken.lock();
        taken.all = taken.all.saturating_sub(1);
        if let Some(each) = taken.each.get_mut(&self.key) {
            *each = each.saturating_sub(1);
            if *each == 0 {
                taken.each.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_19_places_are_counted_in_total_and_per_key() {
        let limit = ConnectionLimit::new(3, Some(2));
        let first = limit.take("a").unwrap();
        let second = limit.take("a").unwrap();
        assert_eq!(limit.take("a").unwrap_err(), LimitReached::PerKey(2));
        let _third = limit.take("b").unwrap();
        assert_eq!(limit.take("c").unwrap_err(), LimitReached::Total(3));
        drop(first);
        assert_eq!(limit.count(), 2);
        drop(second);
        assert!(limit.take("a").is_ok());
        assert!(!limit.taken.lock().each.contains_key("a"), "nothing is left of it");
    }
}

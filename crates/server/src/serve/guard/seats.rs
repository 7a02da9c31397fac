//! Limits of concurrent connections, in total and per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// The reserved places, counted per key.
#[derive(Debug)]
pub(crate) struct Seats<K: Hash + Eq> {
    most: usize,
    most_each: Option<usize>,
    taken: Mutex<Counted<K>>,
}

#[derive(Debug)]
struct Counted<K> {
    all: usize,
    each: HashMap<K, usize>,
}

/// A place that is reserved until it is dropped.
#[derive(Debug)]
pub(crate) struct Seat<K: Hash + Eq> {
    seats: Arc<Seats<K>>,
    key: K,
}

/// The reason why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// All places are taken.
    All(usize),
    /// The key has its maximum.
    Each(usize),
}

impl<K: Hash + Eq + Clone> Seats<K> {
    pub(crate) fn new(most: usize, most_each: Option<usize>) -> Arc<Self> {
        let taken = Mutex::new(Counted { all: 0, each: HashMap::new() });
        Arc::new(Self { most, most_each, taken })
    }

    /// Reserves a place.
    pub(crate) fn take(self: &Arc<Self>, key: K) -> Result<Seat<K>, Full> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= self.most {
            return Err(Full::All(self.most));
        }
        let each = taken.each.entry(key.clone()).or_default();
        if let Some(most) = self.most_each.filter(|most| *each >= *most) {
            return Err(Full::Each(most));
        }
        *each += 1;
        taken.all += 1;
        drop(taken);
        Ok(Seat { seats: Arc::clone(self), key })
    }

    /// Returns the number of taken places.
    pub(crate) fn count(&self) -> usize {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).all
    }
}

impl<K: Hash + Eq> Drop for Seat<K> {
    fn drop(&mut self) {
        let mut taken = self.seats.taken.lock().unwrap_or_else(PoisonError::into_inner);
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
        let seats = Seats::new(3, Some(2));
        let first = seats.take("a").unwrap();
        let second = seats.take("a").unwrap();
        assert_eq!(seats.take("a").unwrap_err(), Full::Each(2));
        let _third = seats.take("b").unwrap();
        assert_eq!(seats.take("c").unwrap_err(), Full::All(3));
        drop(first);
        assert_eq!(seats.count(), 2);
        drop(second);
        assert!(seats.take("a").is_ok());
        assert!(!seats.taken.lock().unwrap().each.contains_key("a"), "nothing is left of it");
    }
}

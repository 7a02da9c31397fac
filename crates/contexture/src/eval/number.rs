//! Numbers of a file of tests that have bounds (EV-1).

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use std::fmt::Display;
use std::ops::RangeBounds;

/// Reads a number that is not negative.
pub(super) fn amount<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Copy + Into<Option<f64>>,
{
    bounded(deserializer, 0.0.., "a number from 0")
}

/// Reads a part of a whole.
pub(super) fn share<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Copy + Into<Option<f64>>,
{
    bounded(deserializer, 0.0..=1.0, "a number from 0 to 1")
}

/// Reads the number of a thing among others.
pub(super) fn ordinal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    bounded(deserializer, 1_u64.., "a number from 1")
}

fn bounded<'de, D, T, N>(
    deserializer: D,
    bounds: impl RangeBounds<N>,
    wanted: &str,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Copy + Into<Option<N>>,
    N: PartialOrd + Display,
{
    let number = T::deserialize(deserializer)?;
    match number.into().filter(|number| !bounds.contains(number)) {
        Some(found) => Err(D::Error::custom(format!("expected {wanted}, found {found}"))),
        None => Ok(number),
    }
}

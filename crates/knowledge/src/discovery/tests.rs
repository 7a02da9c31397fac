mod caching;
mod odd;
mod places;

use super::*;
use crate::codes;
use crate::support::{Place, manifest, names, told};

fn with(place: &Place, change: impl FnOnce(&mut DiscoveryOptions)) -> Discovery {
    let mut options = DiscoveryOptions::default();
    change(&mut options);
    discover(&place.roots(), &options)
}

fn root(place: &Place) -> PathBuf {
    place.path("")
}

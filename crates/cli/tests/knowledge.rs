//! `contexture knowledge`, end to end on the real binary: what scripts rely on, what people see, and
//! what malicious packs can't do (KN-1 to KN-17, MA-4).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

#[path = "knowledge/bad_input.rs"]
mod bad_input;
#[path = "knowledge/catalog.rs"]
mod catalog;
#[path = "knowledge/consent.rs"]
mod consent;
#[path = "knowledge/packs.rs"]
mod packs;
#[path = "knowledge/resolving.rs"]
mod resolving;
#[path = "knowledge/sources.rs"]
mod sources;
#[path = "knowledge/upkeep.rs"]
mod upkeep;

mod support;

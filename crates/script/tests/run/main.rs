//! The language at run time: every rule of AS-6 to AS-19 and AS-28 to AS-30, through the public
//! interface and a scripted host.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on fails; specimens are read from files"
)]

mod agents;
mod assignment;
mod bare;
mod codes;
mod config;
mod context;
mod dates;
mod depth;
mod errors;
mod generate;
mod help;
mod interpolation;
mod knowledge;
mod labels;
mod library;
mod limits;
mod lists;
mod loops;
mod methods;
mod operators;
mod parallel;
mod random;
mod random_tree;
mod references;
mod roles;
mod script;
mod session;
mod shapes;
mod shared;
mod specimens;
mod support;
mod templates;
mod texts_and_lists;
mod trace;
mod trust;

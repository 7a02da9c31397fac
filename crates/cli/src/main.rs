//! The contexture command line.
fn main() {}

//! Whatever the documents show is executed: `README.md` and `docs/*.md`.
//!
//! - ```` ```console ````: lines that begin with `$ ` are run by `sh` in a fresh folder with the
//!   examples, `> ` goes on with the line above; the lines below are the expected output, in which
//!   a line `...` stands for any lines and `[..]` for any characters. Commands must succeed, but
//!   for the last one of a block marked `exit=N`. Blocks marked `ignore` are not run. Those of a
//!   document with the same mark `session=NAME` go on in one folder, where `contexture serve` runs
//!   until the next one, on any port: 127.0.0.1:7878 stands for it.
//! - ```` ```agentscript ````: `contexture check` accepts it, or finds the code of `error=CODE`.
//!   A block that is no whole program is the body of `main func(input)`. If a ```` ```json ````
//!   block follows, it is run and gives that value.
//! - ```` ```toml ````: is a valid `contexture.toml`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

#[path = "docs/blocks.rs"]
mod blocks;
#[path = "docs/console.rs"]
mod console;
#[path = "docs/programs.rs"]
mod programs;
#[path = "docs/server.rs"]
mod server;

mod support;

use blocks::Block;
use console::Session;
use std::collections::BTreeMap;

/// Runs a check over the blocks of one language and shows every fault at once.
fn each(language: &str, mut check: impl FnMut(&Block) -> Result<(), String>) {
    let blocks = blocks::all();
    let chosen = blocks.iter().filter(|block| block.language == language && !block.has("ignore"));
    let faults: Vec<String> = chosen
        .filter_map(|block| {
            let fault = check(block).err()?;
            Some(format!("{}:{}\n{fault}", block.file, block.line))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn as_31_console_blocks_of_docs_run() {
    let mut sessions: BTreeMap<(String, String), Session> = BTreeMap::new();
    each("console", |block| match block.mark("session") {
        Some(name) => {
            let key = (block.file.clone(), name.to_owned());
            console::run(block, sessions.entry(key).or_insert_with(Session::new))
        }
        None => console::run(block, &mut Session::new()),
    });
}

#[test]
fn as_32_programs_of_docs_are_checked_and_run() {
    each("agentscript", programs::check);
}

#[test]
fn as_31_settings_of_docs_are_valid() {
    each("toml", |block| {
        let parsed = contexture::Config::parse("contexture.toml", &block.text);
        parsed.map(drop).map_err(|error| error.to_string())
    });
}

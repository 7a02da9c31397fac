//! The blocks of `README.md` and of the documents in `docs/` and its subfolders are executed.
//!
//! - ```` ```console ````: lines that begin with `$ ` are run by `sh` in a new folder with the
//!   examples, `> ` continues the line above. The lines below are the expected output, in which
//!   a line `...` stands for any lines and `[..]` for any characters. Commands must succeed, except
//!   the last one of a block marked `exit=N`. Blocks marked `ignore` are not run. Blocks of one
//!   document with the same mark `session=NAME` share a folder, where `contexture serve` runs
//!   until the next one, on any port: 127.0.0.1:7878 stands for it.
//! - ```` ```sh ````: for commands that need a key or the network. They are not run, but the commands
//!   and options of `contexture` in them must exist.
//! - ```` ```agentscript ````: `contexture check` accepts it, or finds the code of `error=CODE`.
//!   A block that is not a whole program is the body of `main func(input)`. When a ```` ```json ````
//!   block follows, it is run and returns that value.
//! - ```` ```toml ````: a valid `contexture.toml`, unless marked `cargo`.
//!
//! The pictures of an editor in `docs/` are drawn from what `contexture lsp` answers (TY-10), and compared;
//! with `CONTEXTURE_PICTURES=write` in the environment they are written.
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
#[path = "docs/picture.rs"]
mod picture;
#[path = "docs/pictures.rs"]
mod pictures;
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
fn as_31_shell_blocks_of_docs_use_existing_commands_and_options() {
    let sandbox = support::Sandbox::with_examples();
    let mut commands = 0;
    each("sh", |block| {
        for line in block.text.lines() {
            let Some(command) = console::with_help(line) else { continue };
            commands += 1;
            let done = sandbox.sh(&format!("exec 2>&1\n{command}"));
            if done.code != Some(0) {
                return Err(format!("{line}\n{}", done.stdout));
            }
        }
        Ok(())
    });
    assert!(commands >= 8, "only {commands} commands");
}

#[test]
fn as_31_settings_of_docs_are_valid() {
    each("toml", |block| {
        if block.has("cargo") {
            return Ok(());
        }
        let parsed = contexture::Config::parse("contexture.toml", &block.text);
        parsed.map(drop).map_err(|error| error.to_string())
    });
}

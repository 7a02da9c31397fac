//! `cargo dev`: writes the generated documents of the repository, or checks that they are fresh.
//!
//! Decision: every generated file has a write mode and a check mode, and `cargo test` runs the
//! check mode, so that a stale file fails the build and not a reader.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks")]

#[cfg(test)]
mod architecture;
mod coverage;
#[cfg(test)]
mod documents;
mod figures;
mod fuzz;
mod generated;
mod lints;
#[cfg(test)]
mod manifests;
mod usage;
mod vocabulary;
mod weight;

use std::process::ExitCode;

const HELP: &str = "\
cargo dev: chores of the repository

  cargo dev generate          write docs/spec-coverage.md, docs/protocol.md, docs/lints.md, schemas/*.json and
                              crates/context/src/tokens/*.vocabulary
  cargo dev generate --check  exit with 1 when one of them is stale
  cargo dev fuzz [--minutes N] [--seed N] [--json] [TARGET…]
                              try the readers of the product with inputs that nobody would write,
                              for one minute in all; an input that fails is made smaller and kept
  cargo dev fuzz --list       name the targets, with what each checks
  cargo dev fuzz TARGET --input FILE
                              try one input again
  cargo dev weight            build the shipped binary and print what the product weighs
  cargo dev weight --build    the same with the README's commands in an empty target folder, which
                              takes ten minutes and more, on an idle machine
  cargo dev figures [--whole] [--binary FILE] [FIGURE…]
                              print what a step, an event, a run, a message, a section and a connection
                              cost, from 1,000 of them on: within ten minutes to 10,000 or 100,000, with
                              --whole to 1,000,000; of the shipped binary, which is built, or of FILE
  cargo dev figures --list    name the figures
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate"] => report(generated::write()),
        ["generate", "--check"] => report(generated::check()),
        ["fuzz", arguments @ ..] => fuzz::run(arguments).map_or_else(|| help(2), report),
        ["figures", arguments @ ..] => figures::run(arguments).map_or_else(|| help(2), report),
        [usage::CHILD, command @ ..] => report(usage::child(command)),
        ["weight", arguments @ ..] => weight::run(arguments).map_or_else(|| help(2), report),
        [] | ["--help"] => help(0),
        _ => help(2),
    }
}

fn help(code: u8) -> ExitCode {
    print!("{HELP}");
    ExitCode::from(code)
}

fn report(outcome: Result<Vec<String>, String>) -> ExitCode {
    match outcome {
        Ok(lines) => {
            for line in lines {
                println!("{line}");
            }
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

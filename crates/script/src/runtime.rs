//! Runs programs: tree → register code → a machine that stops at effects (AS-6 to AS-19, AS-28 to
//! AS-30).
//!
//! Decision: evaluation is synchronous and suspends only at effects. A small driver performs the
//! effect through [`Host`] and resumes, so that plain code runs at full speed on any executor, and
//! a run needs no thread of its own. A run stays on the task that polls it (its future is not
//! `Send`); hosts may use threads as they like.
//!
//! ```
//! use contexture_script::host::{LoadedSource, MemoryLoader};
//! use contexture_script::program::load;
//! use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, compile, run};
//! use serde_json::json;
//!
//! let source = r#"
//!     import tool File from "file://workspace"
//!     main func(input { path string }) {
//!         text = File.read({ path: input.path })
//!         use text max 2k as document
//!         generate({ input: "Give the document a title." }) -> { title string }
//!     }
//! "#;
//! let root = LoadedSource { name: "title.as".to_owned(), text: source.to_owned() };
//! let program = load(root, &MemoryLoader::new(), &Default::default());
//! let executable = compile(&program);
//!
//! let host = ScriptedHost::new()
//!     .with_tool("File.read", json!("Caches hold pages."))
//!     .with_answer(json!({ "title": "Caches" }));
//! let input = json!({ "path": "notes.md" });
//! let (entry, options) = (Entry::default(), RunOptions::default());
//! let running = run(&executable, &entry, input, &host, &options);
//! let outcome = futures_util::FutureExt::now_or_never(running).unwrap();
//! assert_eq!(outcome.result, Ok(json!({ "title": "Caches" })));
//!
//! let asked = &host.generate_calls()[0];
//! assert_eq!(asked.items[0].source, "text");
//! assert_eq!(asked.items[0].label.as_deref(), Some("document"));
//! ```

mod choices;
mod code;
pub mod codes;
mod compile;
mod concat;
mod drive;
pub mod error;
mod events;
mod files;
mod flow;
mod given;
mod heap;
mod machine;
mod meter;
pub mod methods;
mod names;
mod number;
pub(crate) mod options;
mod run;
pub mod scripted;
pub mod session;
mod shapes;
mod value;
mod vm;
mod warnings;

pub use choices::Choice;
pub use code::Executable;
pub use error::{CallFrame, FailureKind, RunError};
pub use given::Given;
pub use machine::RunOptions;
pub use run::{Entry, RunOutcome, run};
pub use scripted::ScriptedHost;
pub use session::{Session, SessionError, SessionOutcome};
pub use warnings::{Warning, WarningKind};

use crate::program::Program;
use compile::unit::Unit;
use std::sync::Arc;

#[cfg(doc)]
use crate::host::Host;

/// Compiles a program that the checker has passed.
///
/// A program that it has not passed compiles as well: an invalid part fails when it is reached,
/// with a code, a reason and a place.
#[must_use]
pub fn compile(program: &Program) -> Executable {
    let units = program.files.iter().map(|file| Unit {
        source: Arc::new(file.source.clone()),
        tree: &file.parsed.file,
        links: &file.links,
        servers: &file.servers,
    });
    compile::compile_units(units.collect())
}

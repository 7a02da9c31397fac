//! AgentScript, the language in which a program selects what a model sees: from text to a running
//! program.
//!
//! - [`syntax`] parses a file into a tree; [`format`](mod@format) formats one, [`migrate`] upgrades
//!   one from version 0.1.3.
//! - [`program`] loads a file with its imports, [`analysis`] reports its faults, [`codes`] lists the
//!   kinds of faults, [`semantic`] holds what else the analysis knows.
//! - [`library`] lists the methods and functions of the language.
//! - [`runtime`] compiles a program and runs it over a [`host`], the interface to models, tools,
//!   memories, files, [`template`]s, [`knowledge`] packs and [`server`]s; [`capability`] holds the
//!   checker's knowledge of these.
//!
//! Decision: the language is pure. It touches no file, clock, network or random source, and starts
//! no thread; every effect of a program goes through the traits of [`host`], each with an in-memory
//! implementation. So a program is checked, formatted and run in an editor, a test or a browser as
//! on a server, and a run can be replayed from its answers alone.
//!
//! ```
//! use contexture_context::Limits;
//! use contexture_script::analysis::check;
//! use contexture_script::host::{LoadedSource, MemoryLoader};
//! use contexture_script::program::load;
//! use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, compile, run};
//! use serde_json::json;
//!
//! let root = LoadedSource {
//!     name: "port.as".to_owned(),
//!     text: r#"
//!         main func(input { question string }) {
//!           notes = "The server listens on port 7878."
//!           use notes max 100 as notes
//!           found = generate({ input: input.question }) -> { port integer }
//!           { port: found.port, next: found.port + 1 }
//!         }
//!     "#.to_owned(),
//! };
//! let program = load(root, &MemoryLoader::new(), &Limits::default());
//! assert!(check(&program).is_empty());
//!
//! let executable = compile(&program);
//! let host = ScriptedHost::new().with_answer(json!({ "port": 7878 }));
//! let (entry, options) = (Entry::default(), RunOptions::default());
//! let input = json!({ "question": "Which port is it?" });
//! let running = run(&executable, &entry, input, &host, &options);
//! # fn block_on<T>(future: impl Future<Output = T>) -> T {
//! #     let mut future = std::pin::pin!(future);
//! #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! #     loop {
//! #         if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
//! #             return value;
//! #         }
//! #     }
//! # }
//! let outcome = block_on(running);
//! assert_eq!(outcome.result?, json!({ "port": 7878, "next": 7879 }));
//!
//! let asked = &host.generate_calls()[0];
//! assert_eq!(asked.items[0].label.as_deref(), Some("notes"));
//! assert_eq!(asked.items[0].value, json!("The server listens on port 7878."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod capability;
pub mod codes;
pub mod format;
pub mod host;
pub mod knowledge;
pub mod library;
mod load_error;
pub mod migrate;
pub mod program;
pub mod reference;
pub mod runtime;
pub mod semantic;
pub mod server;
pub mod sites;
mod stack;
pub mod syntax;
pub mod template;

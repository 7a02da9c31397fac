//! Tool calls and instruction sets with dependencies, conditions and data flow (FL-1 to FL-13).
//!
//! A set is parsed ([`Set`]), checked with every fault in one report ([`check::check`]), and run
//! ([`run::Run`]): independent steps run concurrently, `${…}` in parameters is replaced by earlier
//! results ([`reference`](mod@reference)), conditions are evaluated in place ([`condition`]), every
//! change is stored in a journal before it takes effect ([`journal`]), and the graph is drawn before
//! and after ([`picture`]).
//!
//! Decision: a tool call is an instruction whose action is a tool, so one engine runs both; and the
//! engine does not depend on the kind of actions, journals or observers: those are ports
//! ([`action::Actions`], [`journal::Journal`], [`run::Observer`]) with in-memory implementations.
//! The crate touches no file and no network; its only clock is the runtime's timer.
//!
//! ```
//! use contexture_flow::action::{ActionInfo, ActionKind, Registry};
//! use contexture_flow::check::{Earlier, check};
//! use contexture_flow::run::{Options, Run};
//! use contexture_flow::{Set, picture::Picture};
//! use contexture_protocol::Limits;
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), contexture_flow::check::Report> {
//! let mut actions = Registry::default();
//! actions.add("detect", ActionInfo::of(ActionKind::Analysis), |_| async {
//!     Ok(json!({"anomaly": true, "place": "row 28"}))
//! });
//! actions.add("notify", ActionInfo::of(ActionKind::Operation), |call| async move {
//!     Ok(json!({"sent": call.parameters["message"]}))
//! });
//!
//! let set = Set::parse(
//!     br#"{"type": "INSTRUCTION", "content": {"instructions": [
//!         {"instructionId": "inst_1", "action": "detect"},
//!         {"instructionId": "inst_2", "action": "notify", "dependencies": ["inst_1"],
//!          "condition": "dependencies.inst_1.result.anomaly == true",
//!          "parameters": {"message": "look at ${dependencies.inst_1.result.place}"}}]}}"#,
//!     &Limits::FILE,
//! )?;
//! let plan = check(set, &actions, &Earlier::default())?;
//! let report = Run::new(plan, Arc::new(actions), Options::default()).run().await;
//!
//! assert_eq!(report.outcome(1).unwrap().result, Some(json!({"sent": "look at row 28"})));
//! let picture = Picture::after(report.plan().set(), report.outcomes());
//! assert!(picture.text().starts_with("✓ inst_1  detect  COMPLETED"));
//! # Ok(())
//! # }
//! ```

pub mod action;
pub mod check;
pub mod codes;
pub mod condition;
mod graph;
pub mod journal;
pub mod machine;
mod measure;
pub mod picture;
pub mod reference;
pub mod run;
mod set;

pub use set::{FrontendCall, Kind, Mode, Set, Step};

//! Tests and evals: cases of a program, each a recorded run, judged by what was expected (EV-1 to
//! EV-3).
//!
//! Decision: a file of tests is read into plain types whose names are those of the file, so that the
//! reader, its suggestions and the schema for editors are one. What is judged is an [`Observed`], which
//! is made of a run and its record; judging asks nothing and costs nothing.

mod accept;
mod asked;
mod cell;
mod compare;
mod data;
mod edit;
mod expect;
mod fault;
mod file;
mod found;
mod judge;
mod known;
mod limits;
mod number;
mod observed;
mod parse;
mod record;
mod reflect;
mod report;
mod result;
mod run;
mod scorer;
mod search;
mod suite;
mod trial;
mod wording;

pub use accept::{Accepted, accept};
pub use asked::{Estimate, EvalOptions};
pub use compare::{Comparison, Direction, compare};
pub use expect::{Expectation, Figure};
pub use fault::EvalError;
pub use file::{Broken, Suite, load, load_cases, test_schema};
pub use found::find;
pub use judge::{Verdict, judge};
pub use observed::{Course, Observed, Prompt};
pub use record::{RecordError, case_of, example_of};
pub use reflect::{Proposal, Reflect, Reflection};
pub use report::{
    CaseReport, Outcome, Report, SuiteReport, VariantReport, junit, markdown, rounded,
};
pub use run::{TestOptions, estimate, eval, test};
pub use suite::{Case, CaseLimits, TestFile, Variant};
pub use trial::{TrialOptions, TrialReport, trial};

//! The report: its actions, called as a flow calls them, and the conversation that it answers.

mod bench;
mod report;
mod source;

//! The report: its actions, called as a flow calls them, and the conversation that it answers.

mod report;
mod source;
mod test_project;

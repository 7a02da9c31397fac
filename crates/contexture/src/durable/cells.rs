//! The journals of the cells of evals (EV-3).
//!
//! Decision: of a cell that has its value only the first and the last line of its journal are read: there
//! may be a hundred thousand cells, and what stands between is not judged.

use super::StoredRun;
use super::stored::{State, each, journals, read_in};
use crate::project::Project;
use crate::run::SetupError;
use contexture_core::store::journals::JournalPlace;
use contexture_llm::Journal;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// What an earlier eval left of a cell.
#[derive(Debug)]
pub(crate) enum StoredCell {
    /// It has its value.
    Done(DoneCell),
    /// It has none, or was taken up again before it had one.
    Begun(Box<StoredRun>),
}

/// A cell that has its value.
#[derive(Debug)]
pub(crate) struct DoneCell {
    /// The id of its run.
    pub(crate) run: String,
    /// The id of the record of the run.
    pub(crate) trace: Option<String>,
    /// The end of the run.
    pub(crate) end: CellEnd,
}

/// The end of the run of a cell that has its value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct CellEnd {
    state: DoneState,
    #[serde(default)]
    pub(crate) value: Value,
    /// The tokens that it took; absent if that is in its record alone.
    pub(crate) tokens: Option<u64>,
    /// The dollars.
    pub(crate) cost: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DoneState {
    Done,
}

/// What the run of a cell began with, as far as it is needed here.
#[derive(Deserialize)]
struct Begin {
    trace: Option<String>,
    cell: Option<String>,
}

/// Returns the cells of evals with a journal, by their keys. All cores read.
///
/// # Errors
/// [`SetupError`] when the journals can't be listed.
pub(crate) fn cells(project: &Project) -> Result<HashMap<String, StoredCell>, SetupError> {
    Ok(each(project, cell)?.into_iter().flatten().collect())
}

/// Removes the journals of cells.
pub(crate) fn forget_cells(project: &Project, runs: &[String]) {
    let journals = journals(project);
    runs.iter().for_each(|run| journals.place(run).remove());
}

/// Returns a cell with its key; `None` for another run, and for one that can't be read.
fn cell(run: &str, place: &dyn JournalPlace) -> Option<(String, StoredCell)> {
    if let Some((begin, end)) = Journal::read_run::<Begin, CellEnd>(place) {
        let done = DoneCell { run: run.to_owned(), trace: begin.trace, end };
        return Some((begin.cell?, StoredCell::Done(done)));
    }
    let mut stored = read_in(place, run).ok()?;
    let key = stored.cell.clone()?;
    if matches!(stored.state, State::Failed | State::Cancelled) {
        // Only what it came to is needed.
        stored.calls = Vec::new();
    }
    let stored = match (stored.state, CellEnd::deserialize(&stored.end)) {
        (State::Done, Ok(end)) => {
            let trace = stored.traces.pop();
            StoredCell::Done(DoneCell { run: stored.id, trace, end })
        }
        _ => StoredCell::Begun(Box::new(stored)),
    };
    Some((key, stored))
}

#[cfg(test)]
mod tests {
    use super::super::RUN;
    use super::super::stored::place_of;
    use super::*;
    use crate::runtime::Runtime;
    use contexture_context::Digest;
    use contexture_llm::Call;
    use serde_json::json;
    use std::sync::Arc;

    /// Writes a journal of lives, each with the end of its run unless that is null.
    fn write(project: &Project, id: &str, lives: &[(Value, Value)]) {
        for (at, (request, end)) in lives.iter().enumerate() {
            let place = place_of(project, id);
            let journal = match at {
                0 => Journal::create(place, Arc::default()).unwrap(),
                _ => Journal::open(place, Arc::default()).unwrap().0,
            };
            let (key, name) = (RUN.to_owned(), RUN.to_owned());
            let call = Call { key, name, digest: Digest::of_text(id), request: request.clone() };
            journal.intend(&call).unwrap();
            let inner = Call { key: "1".to_owned(), ..call.clone() };
            journal.end(&inner, json!("between")).unwrap();
            if !end.is_null() {
                journal.end(&call, end.clone()).unwrap();
            }
        }
    }

    #[test]
    fn ev_3_cells_are_done_by_the_end_of_their_last_life() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::open(folder.path()).unwrap();
        let project = runtime.project();
        let begin =
            |trace: &str, cell: &str| json!({ "trace": trace, "cell": cell, "version": "0" });
        let done =
            |value: u32| json!({ "state": "done", "value": value, "tokens": 7, "cost": 0.5 });
        let failed = json!({ "state": "failed", "code": "x", "message": "it failed" });
        write(project, "a", &[(begin("t1", "once"), done(1))]);
        write(
            project,
            "b",
            &[(begin("t2", "twice"), json!(null)), (begin("t3", "twice"), done(2))],
        );
        write(
            project,
            "c",
            &[(begin("t4", "again"), done(3)), (begin("t5", "again"), json!(null))],
        );
        write(project, "d", &[(begin("t6", "failed"), failed)]);
        write(project, "e", &[(json!({ "trace": "t7" }), done(4))]);
        let torn = project.state_folder().join("journals/a.jsonl");
        let text = std::fs::read_to_string(&torn).unwrap();
        std::fs::write(&torn, format!("{text}{{\"v\": 1, \"seq\"")).unwrap();
        let told = |(key, cell): (String, StoredCell)| match cell {
            StoredCell::Done(DoneCell { run, trace, end }) => {
                let value = json!([run, trace, end.value, end.tokens, end.cost]);
                (key, value)
            }
            StoredCell::Begun(run) => (key, json!([run.id, run.state.as_str(), run.calls.len()])),
        };
        let mut cells: Vec<_> = cells(project).unwrap().into_iter().map(told).collect();
        cells.sort_by(|left, right| left.0.cmp(&right.0));
        let expected = [
            ("again", json!(["c", "interrupted", 2])),
            ("failed", json!(["d", "failed", 0])),
            ("once", json!(["a", "t1", 1, 7, 0.5])),
            ("twice", json!(["b", "t3", 2, 7, 0.5])),
        ];
        assert_eq!(cells, expected.map(|(key, cell)| (key.to_owned(), cell)));
        forget_cells(project, &["a".to_owned(), "b".to_owned()]);
        let mut left: Vec<String> = super::cells(project).unwrap().into_keys().collect();
        left.sort();
        assert_eq!(left, ["again", "failed"]);
    }
}

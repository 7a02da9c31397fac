//! Every action, called as a flow calls it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

mod basics;
mod files;
mod http;
mod sql;

use contexture_actions::{Clock, Settings, builtin};
use contexture_flow::Set;
use contexture_flow::action::{Actions, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::run::{Options, Report, Run};
use contexture_protocol::Limits;
use contexture_protocol::content::{Outcome, Status};
use contexture_tools::Workspace;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

/// 2025-12-01T14:00:00.007Z.
const NOON: u64 = 1_764_597_600_007;

struct Fixed;

impl Clock for Fixed {
    fn now_ms(&self) -> u64 {
        NOON
    }
}

/// A workspace of its own and the actions on it.
struct Fixture {
    folder: TempDir,
    settings: Settings,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
        let settings = Settings { clock: Arc::new(Fixed), ..Settings::of(workspace) };
        Self { folder, settings }
    }

    fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut fixture = Self::new();
        change(&mut fixture.settings);
        fixture
    }

    fn actions(&self) -> Registry {
        builtin(&self.settings)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    async fn run(&self, set: Value) -> Report {
        let actions = self.actions();
        let bytes = set.to_string();
        let set = Set::parse(bytes.as_bytes(), &Limits::FILE).unwrap();
        let plan = check(set, &actions, &Earlier::default()).unwrap();
        Run::new(plan, Arc::new(actions), Options::default()).run().await
    }

    async fn outcome(&self, action: &str, parameters: Value) -> Outcome {
        let step = json!({"instructionId": "it", "action": action, "parameters": parameters});
        self.run(json!({"instructions": [step]})).await.outcome(0).unwrap()
    }

    /// The result of an action that succeeds.
    async fn call(&self, action: &str, parameters: Value) -> Value {
        let outcome = self.outcome(action, parameters).await;
        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
        outcome.result.unwrap()
    }

    /// Code and message of an action that fails.
    async fn fails(&self, action: &str, parameters: Value) -> (String, String) {
        let outcome = self.outcome(action, parameters).await;
        assert_eq!(outcome.status, Status::Failed, "{:?}", outcome.result);
        let error = outcome.error.unwrap();
        (error.code, error.message)
    }

    /// Asserts code and a part of the message.
    async fn refuses(&self, action: &str, parameters: Value, code: &str, part: &str) {
        let shown = parameters.to_string();
        let (found, message) = self.fails(action, parameters).await;
        assert!(found == code && message.contains(part), "{shown}: {found}: {message}");
    }
}

#[test]
fn fl_3_every_action_has_kind_schema_and_description() {
    let fixture = Fixture::new();
    let actions = fixture.actions();
    let table: Vec<String> = actions
        .names()
        .iter()
        .map(|name| {
            let info = actions.describe(name).unwrap();
            let schema = info.parameters.unwrap();
            assert!(schema["description"].as_str().unwrap().ends_with('.'), "{name}");
            for (field, schema) in schema["properties"].as_object().unwrap() {
                assert!(schema["description"].is_string(), "{name}.{field}");
            }
            format!(
                "{name} {} {}",
                info.kind.as_str(),
                if info.idempotent { "again" } else { "once" }
            )
        })
        .collect();
    assert_eq!(
        table,
        [
            "QUERY_DATA QUERY again",
            "calculator QUERY again",
            "clock QUERY again",
            "database_create OPERATION again",
            "database_query QUERY again",
            "echo QUERY again",
            "fail QUERY again",
            "file_list QUERY again",
            "file_read QUERY again",
            "file_write OPERATION once",
            "http_get QUERY again",
            "http_send OPERATION once",
            "sleep QUERY again",
            "text_search QUERY again",
        ]
    );
}

#[test]
fn fl_3_without_workspace_there_are_actions_that_need_none() {
    assert_eq!(
        builtin(&Settings::default()).names(),
        ["calculator", "clock", "echo", "fail", "sleep"]
    );
}

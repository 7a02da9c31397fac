//! A folder of its own to run flows in.

use contexture::flow::run::Report;
use contexture::flows::{Flow, FlowRequest};
use contexture::protocol::content::{Outcome, Status};
use contexture::run::RunRequest;
use contexture::{Environment, Project};
use sales_report::actions;
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

pub struct TestProject {
    folder: TempDir,
}

impl TestProject {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn open(&self) -> Project {
        Project::open(self.folder.path(), Environment::default()).unwrap()
    }

    pub async fn run(&self, set: Value) -> Report {
        let document = set.to_string().into_bytes();
        let run = RunRequest { forget: true, ..RunRequest::default() };
        let request = FlowRequest { run, document, host: actions(), ..FlowRequest::default() };
        Flow::prepare(&self.open(), request).unwrap().run().await
    }

    async fn outcome(&self, action: &str, parameters: Value) -> Outcome {
        let step = json!({"instructionId": "it", "action": action, "parameters": parameters});
        self.run(json!({"instructions": [step]})).await.outcome(0).unwrap()
    }

    /// The result of an action that succeeds.
    pub async fn call(&self, action: &str, parameters: Value) -> Value {
        let outcome = self.outcome(action, parameters).await;
        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
        outcome.result.unwrap()
    }

    /// Asserts code and a part of the message.
    pub async fn refuses(&self, action: &str, parameters: Value, code: &str, part: &str) {
        let shown = parameters.to_string();
        let outcome = self.outcome(action, parameters).await;
        assert_eq!(outcome.status, Status::Failed, "{:?}", outcome.result);
        let error = outcome.error.unwrap();
        assert!(error.code == code && error.message.contains(part), "{shown}: {error:?}");
    }
}

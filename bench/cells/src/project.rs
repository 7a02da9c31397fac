//! A project with a program and its cases.

use crate::Outcome;
use contexture::Runtime;
use contexture::eval::{self, Case, Suite};
use contexture::models::StandIn;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PROGRAM: &str = r#"main func(input { facts string, question string }) {
  use input.facts as facts
  generate({ input: input.question, max_output: 100 }) -> { answer string }
}
"#;

/// The facts are shown if `shown` is chosen; the other choices have no effect.
const CHOICES: &str = r#"main func(input { facts string, question string }) {
  use one of {
    hidden: "The server listens on port 1." selected
    shown: input.facts
    other: "The server listens on port 2."
  } as facts
  use one of {
    plain: "Answer." selected
    brief: "Be brief."
    calm: "Take your time."
  } as tone
  generate({ input: input.question, max_output: 100 }) -> { answer string }
}
"#;

pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    pub(crate) fn new() -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("contexture.toml"), "")?;
        fs::write(folder.path().join("plain.as"), PROGRAM)?;
        fs::write(folder.path().join("choices.as"), CHOICES)?;
        Ok(Self { folder })
    }

    pub(crate) fn runtime(&self) -> Outcome<Runtime> {
        Ok(Runtime::open(self.folder.path())?)
    }

    /// Returns cases that a model answers.
    pub(crate) fn suite(&self, cells: usize) -> Outcome<Suite> {
        self.loaded("plain.as", (0..cells).map(|at| case(at, Value::Null)))
    }

    /// Returns cases with recorded answers.
    pub(crate) fn suite_of_answers(&self, cells: usize) -> Outcome<Suite> {
        let answers = |at| json!([{ "json": { "answer": answer(at) } }]);
        self.loaded("plain.as", (0..cells).map(|at| case(at, answers(at))))
    }

    /// Returns cases of a program with choices.
    pub(crate) fn suite_of_choices(&self, cells: usize) -> Outcome<Suite> {
        self.loaded("choices.as", (0..cells).map(|at| case(at, Value::Null)))
    }

    fn loaded(&self, program: &str, cases: impl Iterator<Item = Value>) -> Outcome<Suite> {
        let lines: String = cases.map(|case| format!("{case}\n")).collect();
        fs::write(self.folder.path().join("cases.jsonl"), lines)?;
        let file = self.folder.path().join("a.test.yaml");
        fs::write(&file, format!("program: {program}\ncases: cases.jsonl\n"))?;
        Ok(eval::load(self.runtime()?.project(), &file, false)?)
    }

    pub(crate) fn journals(&self) -> PathBuf {
        self.folder.path().join(".contexture/journals")
    }

    /// Links the journals of an eval, which are removed when all its cells are scored.
    pub(crate) fn keep_journals(&self) -> Outcome<PathBuf> {
        let kept = self.folder.path().join("kept");
        fs::create_dir(&kept)?;
        link_all(&self.journals(), &kept)?;
        Ok(kept)
    }

    pub(crate) fn restore_journals(&self, kept: &Path) -> Outcome<()> {
        link_all(kept, &self.journals())
    }
}

fn link_all(from: &Path, to: &Path) -> Outcome<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let link = to.join(entry.file_name());
        if !link.exists() {
            fs::hard_link(entry.path(), link)?;
        }
    }
    Ok(())
}

fn answer(at: usize) -> String {
    format!("The server {at} listens on port {}.", 1000 + at)
}

fn case(at: usize, answers: Value) -> Value {
    json!({
        "name": format!("server {at}"),
        "input": { "facts": answer(at), "question": "Which port does the server listen on?" },
        "answers": answers,
        "expect": [{ "equals": { "answer": answer(at) } }, { "where": "size(value.answer) > 10" }],
    })
}

pub(crate) fn stand_in(case: &Case) -> StandIn {
    case.answers.clone().map_or(StandIn::Local, StandIn::Given)
}

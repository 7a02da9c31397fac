//! A workspace in a temporary folder, and runs in it.

pub mod server;

use contexture::Runtime;
use contexture::observe::{Observer, Progress, Silent};
use contexture::packs::Question;
use contexture::run::{RunFailure, RunReport, RunRequest};
use contexture::{Environment, Project};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A workspace with files.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    /// A workspace with a copy of the repository's examples.
    pub fn with_examples() -> Self {
        let place = Self::new(&[]);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        copy(&from, &place.path("examples"));
        let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
        std::fs::copy(readme, place.path("README.md")).unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn project(&self) -> Project {
        Project::open(self.folder.path(), Environment::default()).unwrap()
    }

    /// Copies a folder of the workspace to another place in it.
    pub fn copy(&self, from: &str, to: &str) {
        copy(&self.path(from), &self.path(to));
    }

    /// Every file of the workspace but what Contexture keeps, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(self.folder.path(), self.folder.path(), &mut found);
        found.sort();
        found
    }

    /// Every file that Contexture keeps.
    pub fn kept(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let state = self.path(".contexture");
        list(&state, &state, &mut found);
        found.into_iter().map(|file| state.join(file)).collect()
    }

    pub fn request(&self, program: &str, input: Value) -> RunRequest {
        RunRequest { program: self.path(program), input: input.into(), ..RunRequest::default() }
    }

    pub fn run(&self, request: RunRequest) -> RunReport {
        self.run_observed(request, Arc::new(Silent))
    }

    pub fn run_observed(&self, request: RunRequest, observer: Arc<dyn Observer>) -> RunReport {
        run_in(&self.project(), request, observer)
    }

    /// The value of a program that is to succeed.
    pub fn value(&self, program: &str, input: Value) -> Value {
        value(self.run(self.request(program, input)))
    }
}

/// A tokio runtime for one test.
pub fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs a program of a project.
pub fn run_in(project: &Project, request: RunRequest, observer: Arc<dyn Observer>) -> RunReport {
    let run = Runtime::of(project.clone()).request(request).observer(observer);
    tokio().block_on(run).into()
}

pub fn value(report: RunReport) -> Value {
    report.outcome.unwrap_or_else(|failure| panic!("{}", told(&failure)))
}

/// A failure in words.
pub fn told(failure: &RunFailure) -> String {
    match failure {
        RunFailure::Source(checked) => format!("{:#?}", checked.diagnostics),
        RunFailure::Setup(error) => error.to_string(),
        RunFailure::Program { error, .. } => format!("{error} {:?}", error.details),
    }
}

/// An observer that keeps everything.
#[derive(Default)]
pub struct Listening(pub Mutex<Vec<Progress>>);

impl Observer for Listening {
    fn notify(&self, progress: Progress) {
        self.0.lock().unwrap().push(progress);
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn wants_values(&self) -> bool {
        true
    }
}

/// An observer that lets every pack be read.
pub struct Allowing;

impl Observer for Allowing {
    fn notify(&self, _progress: Progress) {}

    fn allows(&self, _question: &Question) -> bool {
        true
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_name() == ".contexture" {
            continue;
        } else if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn list(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".contexture") && folder == root {
            continue;
        } else if path.is_dir() {
            list(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().display().to_string());
        }
    }
}

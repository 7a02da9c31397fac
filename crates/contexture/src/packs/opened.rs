//! The packs of a project, opened.

use super::consent::Question;
use super::error::PacksError;
use super::options::{DEFAULT_BUDGET, Options};
use super::resolve::Resolvers;
use super::sources;
use super::usage::Log;
use crate::config::NoticeLanguage;
use crate::models::default_model;
use crate::project::Project;
use contexture_context::TokenCounter;
use contexture_context::tokens::tokenizer_for;
use contexture_knowledge::approval::{Allowance, Consent, Gate};
use contexture_knowledge::discovery::Discovery;
use contexture_knowledge::guide::{Guide, activate};
#[cfg(feature = "knowledge")]
use contexture_knowledge::maintenance::RetrievalRun;
use contexture_knowledge::pack::{Pack, PackError};
#[cfg(feature = "knowledge")]
use contexture_knowledge::resolve::IndexReport;
use contexture_knowledge::resolve::{Resolution, SearchHits, Task};
use contexture_knowledge::usage::{FILE as USAGE_FILE, UsageError};
use contexture_knowledge::{Finding, Scope, Status, codes};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The knowledge packs of a project.
pub struct Packs {
    discovery: Discovery,
    options: Options,
    gate: Mutex<Gate>,
    /// Opened packs, with their cached content.
    opened: Mutex<HashMap<String, Pack>>,
    counter: &'static dyn TokenCounter,
    resolvers: Resolvers,
    english: bool,
    log: Log,
}

impl Packs {
    /// Finds the packs of a project. A pack that can't be used becomes a finding of the discovery.
    #[must_use]
    pub fn open(project: &Project, options: Options) -> Self {
        let cache = sources::cache(project);
        let discovery = sources::find(project, &options, cache.as_deref());
        let kept = cache.filter(|_| !options.read_only);
        let home = project.home();
        let approvals = home.map(|home| home.join(".contexture").join("approvals.json"));
        let model = default_model(project, options.model.as_deref()).uri;
        Self {
            discovery,
            gate: Mutex::new(Gate::new(approvals, options.allow.clone())),
            opened: Mutex::default(),
            counter: tokenizer_for(&model),
            resolvers: Resolvers::new(
                kept.map(|cache| cache.join("index")),
                project,
                options.offline,
            ),
            options,
            english: project.config.knowledge.lang == NoticeLanguage::En,
            log: Log::of(project),
        }
    }

    /// Returns the packs that were found, with findings about them and the searched places.
    #[must_use]
    pub const fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Returns a pack that may be read.
    ///
    /// # Errors
    /// [`PacksError`] when there is no such pack, or consent is needed first.
    pub fn pack(&self, name: &str) -> Result<Pack, PacksError> {
        let pack = self.found(name)?;
        match self.question_about(&pack)? {
            Some(question) => Err(PacksError::consent(question)),
            None => Ok(pack),
        }
    }

    /// Returns the guide of a pack with the list of its files (KN-7).
    ///
    /// # Errors
    /// [`PacksError`] when the pack may not or can't be read.
    pub fn activate(&self, name: &str) -> Result<Guide, PacksError> {
        Ok(activate(&self.pack(name)?)?)
    }

    /// Returns the text of a file of a pack, by its path in the pack.
    ///
    /// # Errors
    /// [`PacksError`] when the pack may not be read, or the file can't.
    pub fn read(&self, name: &str, path: &str, max_bytes: u64) -> Result<String, PacksError> {
        Ok(self.pack(name)?.read(path, max_bytes)?)
    }

    /// Returns the question that is asked before a pack is read; `None` when it may be read.
    ///
    /// # Errors
    /// [`PacksError`] when there is no such pack, or it can't be read at all.
    pub fn question(&self, name: &str) -> Result<Option<Question>, PacksError> {
        self.question_about(&self.found(name)?)
    }

    /// Reports whether the notice of fences is in English.
    pub(crate) const fn english(&self) -> bool {
        self.english
    }

    /// Returns a pack by its name, allowed or not, with its present manifest.
    fn found(&self, name: &str) -> Result<Pack, PacksError> {
        if !cfg!(feature = "knowledge") {
            return Err(PacksError::missing());
        }
        let pack = self.discovery.open(name).map_err(|error| self.unless_archived(name, error))?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.get(name).filter(|known| known.item() == pack.item()) {
            return Ok(known.clone());
        }
        opened.insert(name.to_owned(), pack.clone());
        Ok(pack)
    }

    /// Returns the error for an unknown name: an archived pack exists, but is not shown.
    fn unless_archived(&self, name: &str, error: PackError) -> PacksError {
        let is_it = |finding: &Finding| {
            finding.code == codes::ARCHIVED.code
                && finding.path.parent().and_then(Path::file_name).is_some_and(|it| it == name)
        };
        match error {
            PackError::Unknown { .. } if self.discovery.findings.iter().any(is_it) => {
                PacksError::archived(name)
            }
            error => error.into(),
        }
    }

    /// Returns the cost of a text in tokens of the default model: each tier shows its own (KN-1).
    #[must_use]
    pub fn tokens(&self, text: &str) -> u64 {
        self.counter.count(text) as u64
    }

    /// Updates the index of a pack, or rebuilds it (KN-17).
    ///
    /// # Errors
    /// [`PacksError`] when the pack may not or can't be read.
    #[cfg(feature = "knowledge")]
    pub fn index(&self, name: &str, rebuild: bool) -> Result<IndexReport, PacksError> {
        self.resolvers.index(&self.pack(name)?, self.counter, rebuild)
    }

    /// Returns the answer of packs to a task (KN-9), in tokens of the default model. Nothing is
    /// logged; see [`Packs::log`].
    ///
    /// # Errors
    /// [`PacksError`] when a pack may not or can't be read, or the task makes no sense.
    pub fn resolve(&self, names: &[&str], task: &Task) -> Result<Resolution, PacksError> {
        self.resolve_with(names, task, self.counter)
    }

    /// Returns the same, in tokens of that tokenizer.
    ///
    /// # Errors
    /// As [`Packs::resolve`].
    pub fn resolve_with(
        &self,
        names: &[&str],
        task: &Task,
        counter: &'static dyn TokenCounter,
    ) -> Result<Resolution, PacksError> {
        let packs = names.iter().map(|name| self.pack(name));
        let packs = packs.collect::<Result<Vec<Pack>, PacksError>>()?;
        let task = Task { english: task.english || self.english, ..task.clone() };
        self.resolvers.resolve(&packs, &task, counter)
    }

    /// Returns the best sections of packs for a question, at most `most` of them (MA-10).
    ///
    /// # Errors
    /// As [`Packs::resolve`].
    pub fn search(
        &self,
        names: &[&str],
        question: &str,
        most: usize,
    ) -> Result<SearchHits, PacksError> {
        let packs = names.iter().map(|name| self.pack(name));
        let packs = packs.collect::<Result<Vec<Pack>, PacksError>>()?;
        let task = Task::new(question, DEFAULT_BUDGET);
        self.resolvers.search(&packs, &task, most, self.counter)
    }

    /// Asks a pack the questions of a file, and reports how many answers reached the context (MA-8).
    ///
    /// # Errors
    /// [`PacksError`] when the pack may not or can't be read, or the file holds no such questions.
    #[cfg(feature = "knowledge")]
    pub fn eval_retrieval(&self, name: &str, file: &Path) -> Result<RetrievalRun, PacksError> {
        self.resolvers.eval(&self.pack(name)?, file, self.counter)
    }

    /// Logs that a resolution reaches a model: one line for each pack.
    ///
    /// # Errors
    /// The reason why a log can't be written.
    pub fn log(&self, resolution: &Resolution) -> Result<(), UsageError> {
        self.log.write(resolution)
    }

    /// Returns the log of the workspace, whether or not anything is written to it.
    #[must_use]
    pub fn usage_path(&self) -> PathBuf {
        self.log.of_workspace()
    }

    /// Returns the logs of uses that there are: of the workspace, and of packs.
    #[must_use]
    pub fn usage_logs(&self) -> Vec<PathBuf> {
        let packs = self.discovery.packs.iter();
        let own = packs.map(|one| one.item.pack_root.join("runs").join(USAGE_FILE));
        let all = std::iter::once(self.usage_path()).chain(own);
        all.filter(|path| path.is_file()).collect()
    }

    /// Allows the pack of a question: it may be read for as long as this value lives, and its state
    /// is remembered as approved.
    ///
    /// # Errors
    /// [`PacksError`] when the approval can't be saved, or the pack has changed meanwhile.
    pub fn allow(&self, question: &Question) -> Result<(), PacksError> {
        let pack = self.found(&question.pack)?;
        if Allowance::of(&pack)? != question.allowance {
            return Err(PacksError::changed(&question.pack));
        }
        Ok(self.gate().remember(&pack)?)
    }

    /// Approves a pack in its present state for good, and returns that state; with `expected` only
    /// in that one (CA-11).
    ///
    /// # Errors
    /// [`PacksError`] when there is no such pack, it is in another state, or the approval can't be
    /// saved.
    pub fn approve(
        &self,
        name: &str,
        expected: Option<&Allowance>,
    ) -> Result<Allowance, PacksError> {
        let pack = self.found(name)?;
        if expected.is_some_and(|expected| !pack_is(&pack, expected)) {
            return Err(PacksError::changed(name));
        }
        self.gate().remember(&pack)?;
        Ok(Allowance::of(&pack)?)
    }

    fn question_about(&self, pack: &Pack) -> Result<Option<Question>, PacksError> {
        let (item, scope) = (pack.item(), pack.scope());
        if item.status == Status::Archived && !self.options.archived {
            return Err(PacksError::archived(&item.name));
        }
        let mut why = self.gate().needs(pack)?;
        let approved = self.options.approve_project && scope == Scope::Project;
        if approved || self.options.named.contains(&item.name) {
            why.retain(|why| *why != Consent::Workspace);
        }
        if why.is_empty() {
            return Ok(None);
        }
        let allowance = Allowance::of(pack)?;
        let outdated = self.options.allow.iter().find(|given| given.name == item.name).cloned();
        let (pack, location) = (item.name.clone(), item.pack_root.clone());
        Ok(Some(Question { pack, scope, location, why, allowance, outdated }))
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports whether a pack is in the state that an allowance names.
fn pack_is(pack: &Pack, expected: &Allowance) -> bool {
    pack.digest().is_ok_and(|digest| expected.covers(&pack.item().name, &digest))
}

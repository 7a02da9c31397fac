//! The knowledge packs of a project: found, gated, resolved and logged (KN-2 to KN-15).
//!
//! Decision: one value for programs, the command line and servers, so that what one of them may
//! read the others may too. Finding packs reads metadata only; whatever gives content passes the
//! gate, which never asks anybody by itself: it says what is to be asked, see [`Question`].
//!
//! ```
//! use contexture::knowledge::resolve::Task;
//! use contexture::packs::{Options, Packs};
//! use contexture::{Environment, Project};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let pack = folder.join(".agents/knowledge/port");
//! std::fs::create_dir_all(pack.join("compiled"))?;
//! std::fs::write(pack.join("KNOWLEDGE.md"), "\
//! ---
//! name: port
//! description: Which ports the server uses.
//! type: domain-reference
//! status: ready
//! profile: wiki-first
//! ---
//! Read `compiled/ports.md`.
//! ")?;
//! std::fs::write(pack.join("compiled/ports.md"), "# Ports\n\nThe server listens on port 7878.\n")?;
//!
//! let project = Project::open(folder, Environment::default())?;
//! let packs = Packs::open(&project, Options::default());
//! assert_eq!(packs.discovery().packs[0].item.name, "port");
//!
//! // A pack of the project is read once somebody allows it.
//! let refused = packs.activate("port").unwrap_err();
//! let question = refused.question.as_ref().expect("somebody is to be asked");
//! packs.allow(question)?;
//! let found = packs.resolve(&["port"], &Task::new("Which port does the server listen on?", 500))?;
//! assert_eq!(found.selected_files, ["compiled/ports.md"]);
//! assert!(found.context.contains("port 7878"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod around;
mod check;
mod consent;
mod error;
#[cfg(feature = "knowledge")]
mod fetch;
mod on_demand;
#[cfg(feature = "knowledge")]
mod organization;
#[cfg(not(feature = "knowledge"))]
#[path = "packs/organization_missing.rs"]
mod organization;
#[cfg(feature = "knowledge")]
mod resolve;
#[cfg(not(feature = "knowledge"))]
#[path = "packs/resolve_missing.rs"]
mod resolve;
mod sources;
mod usage;

pub(crate) use check::{faults, require};
pub use consent::Question;
pub use error::{NOT_ALLOWED, PacksError};
pub(crate) use on_demand::OnDemand;

use crate::config::NoticeLanguage;
use crate::models::default_model;
use crate::project::Project;
use contexture_context::tokens::tokenizer_for;
use contexture_knowledge::approval::{Allowance, Gate};
use contexture_knowledge::discovery::Discovery;
use contexture_knowledge::guide::{Guide, activate};
use contexture_knowledge::pack::{Pack, PackError};
use contexture_knowledge::{Finding, codes};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The budget of what a pack gives where nobody names one, in tokens.
pub const DEFAULT_BUDGET: u64 = 2_000;

/// What is asked for beside the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Packs, or folders of packs, by their paths; they come before all others and are approved.
    pub explicit: Vec<PathBuf>,
    /// What `--allow-pack` allows.
    pub allow: Vec<Allowance>,
    /// Packs that a person named for this one command, which approves them (KN-8).
    pub named: Vec<String>,
    /// Whether a person named the project for this one command, as `--root` does: that approves its
    /// packs.
    pub approve_project: bool,
    /// Whether archived packs are found and may be read.
    pub archived: bool,
    /// Whether nothing is fetched from the organization's registry.
    pub offline: bool,
    /// Whether nothing is written: what can be made again is kept in memory, and no approval is
    /// remembered.
    pub read_only: bool,
    /// The model whose tokens are counted; the default one when absent.
    pub model: Option<String>,
}

/// The knowledge packs of a project.
pub struct Packs {
    discovery: Discovery,
    options: Options,
    gate: Mutex<Gate>,
    /// Packs that were opened: what is known of their content is kept with them.
    opened: Mutex<HashMap<String, Pack>>,
    resolvers: resolve::Resolvers,
    english: bool,
    log: usage::Log,
}

impl Packs {
    /// Looks for the packs of a project. What can't be used becomes a finding of the discovery.
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
            options,
            opened: Mutex::default(),
            resolvers: resolve::Resolvers::new(
                tokenizer_for(&model),
                kept.map(|cache| cache.join("index")),
            ),
            english: project.config.knowledge.lang == NoticeLanguage::En,
            log: usage::Log::of(project),
        }
    }

    /// The packs that were found, and what is to be said about them and the places looked at.
    #[must_use]
    pub const fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// A pack that may be read.
    ///
    /// # Errors
    /// [`PacksError`] when there is no such pack, or somebody is to be asked first.
    pub fn pack(&self, name: &str) -> Result<Pack, PacksError> {
        let pack = self.found(name)?;
        match self.question_about(&pack)? {
            Some(question) => Err(PacksError::consent(question)),
            None => {
                self.remember(&pack);
                Ok(pack)
            }
        }
    }

    /// The guide of a pack with the list of its files (KN-7).
    ///
    /// # Errors
    /// [`PacksError`] when the pack may not or can't be read.
    pub fn activate(&self, name: &str) -> Result<Guide, PacksError> {
        Ok(activate(&self.pack(name)?)?)
    }

    /// The text of a file of a pack, by its path in the pack.
    ///
    /// # Errors
    /// [`PacksError`] when the pack may not be read, or the file can't.
    pub fn read(&self, name: &str, path: &str, max_bytes: u64) -> Result<String, PacksError> {
        Ok(self.pack(name)?.read(path, max_bytes)?)
    }

    /// What is to be asked before a pack is read; `None` when it may be read.
    ///
    /// # Errors
    /// [`PacksError`] when there is no such pack, or it can't be read at all.
    pub fn question(&self, name: &str) -> Result<Option<Question>, PacksError> {
        self.question_about(&self.found(name)?)
    }

    /// Whether the notice of fences is in English.
    pub(crate) const fn english(&self) -> bool {
        self.english
    }

    /// A pack by its name, whoever may read it, as its manifest is now.
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

    /// What is said of a name that no pack has: an archived one is there, and is not shown.
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

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The packs of a command, and the permission to read them (KN-2, KN-8).
//!
//! Decision: a person who runs a command in a project, or names the project by `--root` or a pack by
//! its name, approves packs of the project for that command (KN-8). For drafts and disputed packs a
//! terminal is asked; elsewhere they are refused unless `--allow-pack` names them.

use super::pack_target;
use crate::output::progress::ProgressDisplay;
use crate::output::text::sanitized;
use crate::prelude::*;
use crate::support::project;
use contexture::Project;
use contexture::knowledge::Scope;
use contexture::knowledge::approval::Allowance;
use contexture::knowledge::maintenance::{MaintenanceError, read_properties};
use contexture::knowledge::pack::GUIDE_FILE;
use contexture::packs::{Options, Packs, PacksError};
use std::borrow::Cow;
use std::io::{self, IsTerminal as _};

/// The folders of packs in a project and in a home.
const FOLDERS: [&str; 2] = [".contexture/knowledge", ".agents/knowledge"];

/// The options that locate packs.
#[derive(Debug, clap::Args)]
pub(super) struct PackScope {
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    root: Option<PathBuf>,
    /// A pack or a folder of packs that takes precedence over all others. May be repeated.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    packs: Vec<PathBuf>,
}

/// The packs that a command names.
#[derive(Debug, Default)]
pub(super) struct NamedPacks {
    /// The names of all of them.
    pub(super) names: Vec<String>,
    /// The folders of those that were named by their folders.
    folders: Vec<PathBuf>,
}

/// The options that locate a new pack.
#[derive(Debug, clap::Args)]
pub(super) struct InstallScope {
    /// The project, or your home for all projects.
    #[arg(long, value_enum, default_value_t)]
    scope: Owner,
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    root: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Owner {
    /// .agents/knowledge/ of the project
    #[default]
    Project,
    /// .agents/knowledge/ of your home
    User,
}

impl InstallScope {
    /// Returns the folder of new packs, and the project with the settings.
    pub(super) fn folder(&self) -> Result<(PathBuf, Project), Abort> {
        let project = project::here_or(self.root.as_deref())?;
        Ok((self.owner(&project)?.join(".agents").join("knowledge"), project))
    }

    /// Returns the folder of the project or the home.
    pub(super) fn owner(&self, project: &Project) -> Result<PathBuf, Abort> {
        match self.scope {
            Owner::Project => Ok(project.root.clone()),
            Owner::User => home(project),
        }
    }
}

pub(super) fn home_of(project: &Project) -> Option<PathBuf> {
    let variable = |name| project.environment.get(name).map(PathBuf::from);
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

fn home(project: &Project) -> Result<PathBuf, Abort> {
    home_of(project).ok_or_else(|| {
        CommandError::refused("no_home", "there is no home folder")
            .help("set the environment variable HOME, or remove `--scope user`")
            .into()
    })
}

/// The options that permit packs which are refused otherwise.
#[derive(Debug, clap::Args)]
pub(super) struct Consent {
    /// Allow a draft or disputed pack in the state that the digest names. May be repeated.
    #[arg(long, value_name = "NAME@DIGEST")]
    allow_pack: Vec<Allowance>,
    /// Also use archived packs.
    #[arg(long)]
    archived: bool,
}

impl PackScope {
    pub(super) fn project(&self) -> Result<Project, Abort> {
        project::here_or(self.root.as_deref())
    }

    /// Returns the options for the named folders, each of which must exist.
    pub(super) fn options(&self) -> Result<Options, Abort> {
        for folder in &self.packs {
            require_folder(folder)?;
        }
        Ok(Options { explicit: self.packs.clone(), approve_project: true, ..Options::default() })
    }

    /// Returns the options with the given consent.
    pub(super) fn options_with(&self, consent: &Consent) -> Result<Options, Abort> {
        let (allow, archived) = (consent.allow_pack.clone(), consent.archived);
        Ok(Options { allow, archived, ..self.options()? })
    }

    /// Returns the packs that arguments name, each by its name or by its folder (MA-6).
    pub(super) fn named(&self, given: &[String], terminal: &Terminal) -> Result<NamedPacks, Abort> {
        let project = self.project()?;
        let mut named = NamedPacks::default();
        for one in given {
            let Some(folder) = pack_target::named_folder(one, self, &project, terminal)? else {
                named.names.push(one.clone());
                continue;
            };
            if !folder.join(GUIDE_FILE).is_file() {
                let reason = Some(format!("it has no {GUIDE_FILE}"));
                return Err(MaintenanceError::NoPack { path: folder, reason }.into());
            }
            let item = read_properties(&folder, &pack_target::options(&project))?;
            named.names.push(item.name);
            named.folders.push(folder);
        }
        Ok(named)
    }

    /// Opens the packs of the project, those named by their folders before all others; with `asks`
    /// a person is asked about the named ones.
    pub(super) fn open_named(
        &self,
        named: &NamedPacks,
        options: Options,
        asks: bool,
        terminal: &Terminal,
    ) -> Result<Packs, Abort> {
        let mut options = Options { named: named.names.clone(), ..options };
        options.explicit.splice(0..0, named.folders.iter().cloned());
        let named = options.named.clone();
        let packs = open(&self.project()?, options, terminal);
        if asks {
            ask(&packs, &named, terminal)?;
        }
        Ok(packs)
    }

    pub(super) fn scope_of(&self, path: &Path, project: &Project) -> Scope {
        let is_below = |folder: &PathBuf| {
            std::path::absolute(folder).is_ok_and(|folder| path.starts_with(folder))
        };
        let holds = |root: &Path| FOLDERS.iter().any(|folder| is_below(&root.join(folder)));
        if self.packs.iter().any(is_below) {
            Scope::Explicit
        } else if holds(&project.root) {
            Scope::Project
        } else if home_of(project).is_some_and(|home| holds(&home)) {
            Scope::User
        } else {
            Scope::Organization
        }
    }
}

/// Finds the packs of a project, which may take long when a registry is contacted.
pub(super) fn open(project: &Project, options: Options, terminal: &Terminal) -> Packs {
    ProgressDisplay::waiting(terminal, "searching for packs", || Packs::open(project, options))
}

/// Returns a text as it can be printed: without terminal commands on a terminal, unchanged elsewhere.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { Cow::Owned(sanitized(text)) } else { Cow::Borrowed(text) }
}

pub(super) fn require_folder(folder: &Path) -> Result<(), Abort> {
    let found = folder.metadata().map_err(|error| Abort::read(folder, error))?;
    if found.is_dir() {
        return Ok(());
    }
    Err(CommandError::refused("file_unreadable", format!("{} is not a folder", folder.display()))
        .file(folder)
        .help("name a folder with a KNOWLEDGE.md, or a folder of such folders")
        .into())
}

/// Asks at the terminal about packs that need permission; without a terminal, the later error
/// shows how to allow them.
fn ask(packs: &Packs, names: &[String], terminal: &Terminal) -> Result<(), Abort> {
    if !terminal.is_interactive() {
        return Ok(());
    }
    for name in names {
        let Some(question) = packs.question(name)? else {
            continue;
        };
        terminal.warn(&question.to_string());
        terminal.note(&format!("location: {}", one_line(&question.location.display().to_string())));
        if terminal.confirm("Use it? [y/N] ") {
            packs.allow(&question)?;
        }
    }
    Ok(())
}

impl From<PacksError> for Abort {
    fn from(error: PacksError) -> Self {
        // Wrong names and missing permissions are wrong input; everything else is a failure.
        let is_input = matches!(error.code, "KN1201" | "pack_not_allowed" | "pack_archived");
        let exit = if is_input { Exit::Refused } else { Exit::Failed };
        let refused = CommandError::refused(error.code, sanitized(&error.message));
        let refused =
            CommandError { exit, ..refused }.maybe_help(error.help.as_deref().map(sanitized));
        match &error.question {
            Some(question) => refused.with("allow", question.allowance.to_string().into()).into(),
            None => refused.into(),
        }
    }
}

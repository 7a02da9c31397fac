//! Which packs are meant, and whether they may be read (KN-2, KN-8).
//!
//! Decision: whoever runs a command names its project, by `--root` or by being in it, or a pack by
//! its name: that approves packs of the project for that command (KN-8). Drafts and disputed packs
//! are asked about at a terminal, and refused elsewhere unless `--allow-pack` names them.

use crate::commands::run::Screen;
use crate::complaint::{Complaint, Stop};
use crate::paint::{harmless, one_line};
use crate::terminal::Terminal;
use crate::workspace;
use contexture::Project;
use contexture::knowledge::Scope;
use contexture::knowledge::approval::Allowance;
use contexture::packs::{Options, Packs, PacksError};
use std::borrow::Cow;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

/// Where packs lie in a project and in a home.
const FOLDERS: [&str; 2] = [".contexture/knowledge", ".agents/knowledge"];

/// Where packs are looked for.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// The project whose packs are meant; by default the nearest folder with a contexture.toml,
    /// else the current one.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    root: Option<PathBuf>,
    /// A pack, or a folder of packs, that comes before all others; may be repeated.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    packs: Vec<PathBuf>,
}

/// Where a pack is put.
#[derive(Debug, clap::Args)]
pub(super) struct Home {
    /// Put it in the project, or in your home for all projects.
    #[arg(long, value_enum, default_value_t)]
    scope: Owner,
    /// The project; by default the nearest folder with a contexture.toml, else the current one.
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

impl Home {
    /// The folder that packs are put into, and the project whose settings hold.
    ///
    /// # Errors
    /// A complaint when the project can't be used, or there is no home.
    pub(super) fn folder(&self) -> Result<(PathBuf, Project), Stop> {
        let project = workspace::here_or(self.root.as_deref())?;
        let owner = match self.scope {
            Owner::Project => project.root.clone(),
            Owner::User => home(&project)?,
        };
        Ok((owner.join(".agents").join("knowledge"), project))
    }
}

fn home_of(project: &Project) -> Option<PathBuf> {
    let variable = |name| project.environment.get(name).map(PathBuf::from);
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

fn home(project: &Project) -> Result<PathBuf, Stop> {
    home_of(project).ok_or_else(|| {
        Complaint::refused("no_home", "there is no home folder")
            .help("set the environment variable HOME, or leave out `--scope user`")
            .into()
    })
}

/// What may be read that is else refused.
#[derive(Debug, clap::Args)]
pub(super) struct Consent {
    /// Use this pack although it is a draft or disputed, in the state that the digest names; may be
    /// repeated.
    #[arg(long, value_name = "NAME@DIGEST")]
    allow_pack: Vec<Allowance>,
    /// Use packs that are archived, too.
    #[arg(long)]
    archived: bool,
}

impl Place {
    /// The project.
    ///
    /// # Errors
    /// A complaint when the folder or its settings can't be used.
    pub(super) fn project(&self) -> Result<Project, Stop> {
        workspace::here_or(self.root.as_deref())
    }

    /// The folders that were named, each of which has to be there.
    ///
    /// # Errors
    /// A complaint about the first that is not.
    pub(super) fn options(&self) -> Result<Options, Stop> {
        for folder in &self.packs {
            is_folder(folder)?;
        }
        Ok(Options { explicit: self.packs.clone(), approve_project: true, ..Options::default() })
    }

    /// The options for packs that are named, with the consent that was given.
    ///
    /// # Errors
    /// As [`Place::options`].
    pub(super) fn options_for(&self, named: &[String], consent: &Consent) -> Result<Options, Stop> {
        let (allow, archived) = (consent.allow_pack.clone(), consent.archived);
        Ok(Options { named: named.to_vec(), allow, archived, ..self.options()? })
    }

    /// The packs of the project, after the questions about those that the options name; without
    /// `asks` nobody is asked.
    ///
    /// # Errors
    /// As [`Place::project`] and [`ask`].
    pub(super) fn open_named(
        &self,
        options: Options,
        asks: bool,
        terminal: &Terminal,
    ) -> Result<Packs, Stop> {
        let named = options.named.clone();
        let packs = open(&self.project()?, options, terminal);
        if asks {
            ask(&packs, &named, terminal)?;
        }
        Ok(packs)
    }

    /// The scope that a place belongs to.
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

/// Looks for the packs of a project: that may take long, as where a registry has to be asked.
pub(super) fn open(project: &Project, options: Options, terminal: &Terminal) -> Packs {
    Screen::waiting(terminal, "looking for packs", || Packs::open(project, options))
}

/// A text as it can be printed: a terminal takes some characters for commands, a file or pipe gets
/// the text as it is.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { Cow::Owned(harmless(text)) } else { Cow::Borrowed(text) }
}

/// Refuses what is no folder.
///
/// # Errors
/// A complaint that names it.
pub(super) fn is_folder(folder: &Path) -> Result<(), Stop> {
    let found = folder.metadata().map_err(|error| Stop::read(folder, error))?;
    if found.is_dir() {
        return Ok(());
    }
    Err(Complaint::refused("file_unreadable", format!("{} is no folder", folder.display()))
        .file(folder)
        .help("name the folder that holds KNOWLEDGE.md, or a folder of such folders")
        .into())
}

/// Asks the person at the terminal about packs that need it; without a person, what follows fails
/// and says how to allow them.
///
/// # Errors
/// A complaint when a pack is unknown or an approval can't be kept.
fn ask(packs: &Packs, names: &[String], terminal: &Terminal) -> Result<(), Stop> {
    if !terminal.is_answered() {
        return Ok(());
    }
    for name in names {
        let Some(question) = packs.question(name).map_err(|error| refuse(&error))? else {
            continue;
        };
        terminal.warn(&question.to_string());
        terminal
            .note(&format!("it lies in {}", one_line(&question.location.display().to_string())));
        if terminal.says_yes("Use it? [y/N] ") {
            packs.allow(&question).map_err(|error| refuse(&error))?;
        }
    }
    Ok(())
}

/// The complaint about a pack that was not given.
pub(super) fn refuse(error: &PacksError) -> Stop {
    // What was named wrongly, or was not allowed, is for the caller to mend; all else failed.
    let named = matches!(error.code, "KN1201" | "pack_not_allowed" | "pack_archived");
    let complaint = if named {
        Complaint::refused(error.code, harmless(&error.message))
    } else {
        Complaint::failed(error.code, harmless(&error.message))
    };
    let help = error.help.as_deref().map(harmless);
    let complaint = Complaint { help, ..complaint };
    match &error.question {
        Some(question) => complaint.with("allow", question.allowance.to_string().into()).into(),
        None => complaint.into(),
    }
}

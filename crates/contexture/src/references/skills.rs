//! `@skill://name`: Agent Skills of the workspace (MA-3).
//!
//! Decision: a skill is a document, read like any other. `@skill://*` is the catalog, a line for
//! each skill with what its front matter says of it; `@skill://name` activates one, by its
//! `SKILL.md`; `@skill://name/path` reads a file beside it. What a skill brings along is never run.

use contexture_context::Trust;
use contexture_diagnostic::{Severity, suggestion};
use contexture_reference::{
    LoadError, LoadFuture, Loaded, Note, Place, Protocol, Request, Resource, Role, codes,
};
use contexture_tools::{EntryKind, FileError, Workspace, WorkspacePath};
use serde::Deserialize;
use std::fmt::Write as _;
use std::sync::Arc;

/// The folders that skills lie in; of two with one name that of the first folder stands.
const FOLDERS: [&str; 5] =
    [".agents/skills", ".claude/skills", ".codex/skills", ".github/skills", "skills"];

/// The file that makes a folder a skill.
const GUIDE: &str = "SKILL.md";

/// The most entries that a folder of skills may have.
const ENTRIES: usize = 4_096;

/// The most bytes of front matter that are read.
const FRONT_MATTER: usize = 64 << 10;

/// The name of the protocol.
const NAME: &str = "skill";

/// A skill of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The name in its front matter, or else that of its folder.
    pub name: String,
    /// What it is for, as its front matter says.
    pub description: String,
    /// Its folder, from the workspace.
    pub folder: String,
}

/// The skills that were found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) skills: Vec<Skill>,
    /// Remarks about those that can't be used as they are.
    notes: Vec<Note>,
}

/// What of a skill's front matter is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FrontMatter {
    name: Option<String>,
    description: Option<String>,
}

/// The protocol over the skills of a workspace.
#[derive(Debug)]
pub(super) struct Skills {
    workspace: Arc<Workspace>,
}

impl Skills {
    pub(super) const fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }

    fn read(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        let found = find(&self.workspace, request.max_bytes);
        if request.path == "*" {
            let text = catalog(&found.skills);
            let resource =
                Resource::of_text(request.reference, "text/markdown", text, Trust::Resource);
            return Ok(Loaded {
                resources: vec![resource],
                notes: found.notes,
                ..Loaded::default()
            });
        }
        let (name, path) = request.path.split_once('/').unwrap_or((request.path, GUIDE));
        let Some(skill) = found.skills.iter().find(|skill| skill.name == name) else {
            return Err(unknown(request, name, &found.skills));
        };
        let resource = self.file(request, skill, path)?;
        Ok(Loaded { resources: vec![resource], ..Loaded::default() })
    }

    fn file(&self, request: Request<'_>, skill: &Skill, path: &str) -> Result<Resource, LoadError> {
        let read = self.workspace.resolve(&skill.folder).and_then(|folder| {
            let file = self.workspace.resolve_from(&folder, path)?;
            if !file.as_str().starts_with(&format!("{}/", skill.folder)) {
                return Err(FileError::Outside(path.to_owned()));
            }
            let text = self.workspace.read_text(&file, request.max_bytes)?;
            Ok((file, text))
        });
        let (file, text) = read.map_err(|error| {
            let missing = matches!(error, FileError::NotFound { .. });
            let code = if missing { codes::NOT_FOUND.code } else { codes::NOT_READABLE.code };
            LoadError::new(code, request.reference, error.to_string()).with_help(error.help())
        })?;
        let is_markdown = file.name().ends_with(".md");
        let media_type = if is_markdown { "text/markdown" } else { "text/plain" };
        let resource = Resource::of_text(request.reference, media_type, text, Trust::Resource);
        Ok(Resource { place: Some(Place::folder(file.parent().as_str())), ..resource })
    }
}

/// Finds the skills of a workspace, by name.
pub(super) fn find(workspace: &Workspace, max_bytes: u64) -> Found {
    let mut found = Found::default();
    for folder in FOLDERS {
        let entries =
            workspace.resolve(folder).and_then(|folder| workspace.entries(&folder, ENTRIES));
        let entries = match entries {
            Ok(listing) => listing.entries,
            Err(FileError::NotFound { .. }) => continue,
            Err(error) => {
                found.notes.push(note(format!("the skills in {folder} are left out: {error}")));
                continue;
            }
        };
        for entry in entries.into_iter().filter(|entry| entry.kind != EntryKind::File) {
            found.add(workspace, &entry.path, max_bytes);
        }
    }
    found.skills.sort_by(|left, right| left.name.cmp(&right.name));
    found
}

impl Found {
    fn add(&mut self, workspace: &Workspace, folder: &WorkspacePath, max_bytes: u64) {
        let guide = workspace.resolve_from(folder, GUIDE);
        let text = guide.and_then(|guide| workspace.read_text(&guide, max_bytes));
        let text = match text {
            Ok(text) => text,
            Err(FileError::NotFound { .. }) => return,
            Err(error) => {
                return self.notes.push(note(format!("the skill {folder} is left out: {error}")));
            }
        };
        let front_matter = front_matter(&text).unwrap_or_else(|fault| {
            self.notes.push(note(format!("{folder}/{GUIDE}: {fault}")));
            FrontMatter::default()
        });
        let name = front_matter.name.unwrap_or_else(|| folder.name().to_owned());
        if let Some(first) = self.skills.iter().find(|skill| skill.name == name) {
            let first = &first.folder;
            self.notes.push(note(format!("the skill {folder} gives way to {first}")));
            return;
        }
        let description = front_matter.description.unwrap_or_default();
        self.skills.push(Skill { name, description, folder: folder.as_str().to_owned() });
    }
}

/// Returns what the front matter of a skill says.
fn front_matter(text: &str) -> Result<FrontMatter, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let opened = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    let Some(rest) = opened else {
        return Err(
            "expected front matter between lines `---`, with `name` and `description`".into()
        );
    };
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let yaml = rest.get(..end).unwrap_or_default();
            return serde_saphyr::from_str(yaml).map_err(|error| {
                format!("the front matter can't be read: {}", error.to_string().replace('\n', " "))
            });
        }
        end += line.len();
        if end > FRONT_MATTER {
            break;
        }
    }
    Err(format!("the front matter has no closing `---` in its first {FRONT_MATTER} bytes"))
}

/// Returns the catalog: a line for each skill.
fn catalog(skills: &[Skill]) -> String {
    let mut text = String::new();
    for Skill { name, description, .. } in skills {
        let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
        // Writing to a string can't fail.
        let _ = writeln!(text, "- `@skill://{name}`: {description}");
    }
    text
}

fn unknown(request: Request<'_>, name: &str, skills: &[Skill]) -> LoadError {
    let names = skills.iter().map(|skill| skill.name.as_str());
    let help = suggestion(name, names.clone()).unwrap_or_else(|| match skills {
        [] => format!("put a folder with a {GUIDE} into one of {}", FOLDERS.join(", ")),
        _ => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
    });
    let message = format!("there is no skill `{name}` in the workspace");
    LoadError::new(codes::NOT_FOUND.code, request.reference, message).with_help(help)
}

fn note(message: String) -> Note {
    Note { code: codes::MATCH_NOT_READ.code, severity: Severity::Warning, message }
}

impl Protocol for Skills {
    fn name(&self) -> &str {
        NAME
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(async move { self.read(request) })
    }
}

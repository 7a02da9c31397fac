//! The one policy about paths of a workspace (GU-1).
//!
//! Decision: a path is judged by its name alone, without a look at any file: the workspace handle
//! asks once for the name that was written and once for the place that was opened, so that links
//! change nothing. Names are compared as the most lenient file system would compare them.

mod names;
mod pattern;
mod values;

pub use values::secrets_in;

use names::parts_of;
use pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The code of every refusal by this policy.
pub const PATH_PROTECTED: &str = "PATH_PROTECTED";

/// The class of a path; a later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PathClass {
    /// Read and written by programs.
    Open,
    /// Read by programs, written by named permission: what runs code or instructs agents.
    Protected,
    /// Read and written by named permission: credentials.
    Secret,
    /// Closed to programs: the records of Contexture itself.
    Private,
}

impl PathClass {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Protected => "protected",
            Self::Secret => "secret",
            Self::Private => "private",
        }
    }
}

/// A use of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Its content, or its entries, are read.
    Read,
    /// It is created, changed or removed.
    Write,
}

impl Access {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// The part of Contexture through which a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Door {
    /// Tools, actions, imports and templates.
    #[default]
    Program,
    /// Memories, which may lie in `.contexture`.
    Memory,
    /// References and definitions, which read `.contexture/resources` and `.contexture/knowledge`.
    Resources,
    /// A path that a person wrote on the command line or in the settings.
    Person,
}

impl Door {
    /// Reports whether this door leads to a place in a private folder; `inside` are the names
    /// below it.
    fn reaches(self, inside: &[&str], access: Access) -> bool {
        match (self, inside) {
            (Self::Memory, [name]) => names::is_memory(name),
            // A pattern into these folders goes through the one that holds them.
            (Self::Resources, []) => access == Access::Read,
            (Self::Resources, [folder, ..]) => {
                access == Access::Read && matches!(&*names::fold(folder), "resources" | "knowledge")
            }
            _ => false,
        }
    }
}

/// A permission of the settings: `{ path = ".env", allow = ["read"] }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathPermission {
    /// The path from the workspace; `*` and `?` stand for characters of one name, `**` for any
    /// folders.
    pub path: String,
    /// The uses that are allowed.
    pub allow: Vec<Access>,
}

/// A permission that can't hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`policy.files` has the path `{path}`: {reason}")]
pub struct PermissionFault {
    path: String,
    reason: &'static str,
}

/// The policy of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<PathPermission>")]
pub struct PathPolicy {
    permissions: Vec<(Pattern, Vec<Access>)>,
    /// Folders whose content is private, as names from the workspace.
    private: Vec<Vec<String>>,
    /// Files that are protected besides those with known names.
    own: Vec<Pattern>,
}

impl PathPolicy {
    /// Creates a policy with permissions of the settings.
    ///
    /// # Errors
    /// [`PermissionFault`] for a path that permits nothing: empty, absolute, upwards or private.
    pub fn new(permissions: &[PathPermission]) -> Result<Self, PermissionFault> {
        let read = |permission: &PathPermission| {
            let path = permission.path.clone();
            let fault = |reason| Err(PermissionFault { path: path.clone(), reason });
            if let Some(reason) = reason_against(permission) {
                return fault(reason);
            }
            Ok((Pattern::new(&permission.path), permission.allow.clone()))
        };
        let permissions = permissions.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { permissions, ..Self::default() })
    }

    /// Makes a folder of the workspace private, by its path from there. `.contexture` itself is
    /// private already, and has doors.
    pub fn close(&mut self, folder: &str) {
        let folder: Vec<String> =
            parts_of(folder).map(|part| names::fold(part).into_owned()).collect();
        let is_whole =
            matches!(folder.as_slice(), [] | [_]) && folder.iter().all(|part| part == names::STATE);
        if !is_whole && !self.private.contains(&folder) {
            self.private.push(folder);
        }
    }

    /// Makes files protected, by their path from the workspace or a pattern: programs that are served.
    pub fn protect(&mut self, files: &str) {
        self.own.push(Pattern::new(files));
    }

    /// Returns the class of a path from the workspace.
    #[must_use]
    pub fn class(&self, path: &str) -> PathClass {
        let parts: Vec<&str> = parts_of(path).collect();
        if self.is_in_private_folder(&parts) {
            return PathClass::Private;
        }
        let is_own = self.own.iter().any(|own| own.matches(path));
        let own = if is_own { PathClass::Protected } else { PathClass::Open };
        names::class(&parts).max(own)
    }

    fn is_in_private_folder(&self, parts: &[&str]) -> bool {
        self.private.iter().any(|folder| {
            parts.len() >= folder.len()
                && folder.iter().zip(parts).all(|(name, part)| *name == names::fold(part))
        })
    }

    /// Checks a use of a path, by its path from the workspace.
    ///
    /// # Errors
    /// [`PathRefusal`].
    pub fn check(&self, path: &str, access: Access, door: Door) -> Result<PathClass, PathRefusal> {
        let class = self.class(path);
        self.check_class(path, class, access, door)
    }

    /// Does what [`PathPolicy::check`] does for a path whose class the caller may have raised.
    ///
    /// # Errors
    /// [`PathRefusal`].
    pub fn check_class(
        &self,
        path: &str,
        class: PathClass,
        access: Access,
        door: Door,
    ) -> Result<PathClass, PathRefusal> {
        let allowed = match class {
            _ if door == Door::Person && access == Access::Read => true,
            PathClass::Open => true,
            PathClass::Protected if access == Access::Read => true,
            PathClass::Protected | PathClass::Secret => self.permits(path, access),
            PathClass::Private => self.is_behind(path, access, door),
        };
        if allowed {
            return Ok(class);
        }
        Err(PathRefusal { path: path.to_owned(), asked: None, class, access })
    }

    fn permits(&self, path: &str, access: Access) -> bool {
        let mut permissions = self.permissions.iter();
        permissions.any(|(pattern, allowed)| allowed.contains(&access) && pattern.matches(path))
    }

    /// Reports whether a private place is one that this door was made for.
    fn is_behind(&self, path: &str, access: Access, door: Door) -> bool {
        let parts: Vec<&str> = parts_of(path).collect();
        let state = parts.iter().position(|part| names::fold(part) == names::STATE);
        let inside = state.and_then(|at| parts.get(at + 1..)).unwrap_or_default();
        !self.is_in_private_folder(&parts) && door.reaches(inside, access)
    }
}

impl TryFrom<Vec<PathPermission>> for PathPolicy {
    type Error = PermissionFault;

    fn try_from(permissions: Vec<PathPermission>) -> Result<Self, PermissionFault> {
        Self::new(&permissions)
    }
}

fn reason_against(permission: &PathPermission) -> Option<&'static str> {
    let path = permission.path.as_str();
    let mut parts = path.split(['/', '\\']);
    if path.trim().is_empty() {
        return Some("it is empty");
    }
    if permission.allow.is_empty() {
        return Some("`allow` names neither `read` nor `write`");
    }
    if path.starts_with(['/', '\\']) || path.get(1..2) == Some(":") {
        return Some("it is absolute; name it from the workspace");
    }
    if parts.clone().any(|part| matches!(part, ".." | "." | "")) {
        return Some("it has `.`, `..` or an empty name in it");
    }
    if parts.any(|part| names::fold(part) == names::STATE) {
        return Some("`.contexture` is private, and no setting opens it");
    }
    None
}

/// A use of a path that the policy refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRefusal {
    /// The place, from the workspace.
    pub path: String,
    /// The path as it was written, if links lead from there to the place.
    pub asked: Option<String>,
    /// Its class.
    pub class: PathClass,
    /// The use.
    pub access: Access,
}

impl PathRefusal {
    /// Adds the path that was written.
    #[must_use]
    pub fn asked_as(mut self, asked: &str) -> Self {
        self.asked = (asked != self.path).then(|| asked.to_owned());
        self
    }

    /// Returns the setting that would allow it, or the reason why none does.
    #[must_use]
    pub fn help(&self) -> String {
        if self.class == PathClass::Private {
            return "no setting opens it: the commands of Contexture show what is in it".to_owned();
        }
        let path = serde_json::Value::from(self.path.as_str());
        let access = self.access.as_str();
        format!(
            "a person can allow it in `contexture.toml`, under `[policy]`: \
             `files = [{{ path = {path}, allow = [\"{access}\"] }}]`"
        )
    }
}

impl fmt::Display for PathRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, asked, class, access } = self;
        if let Some(asked) = asked {
            write!(f, "`{}` leads to ", asked.escape_debug())?;
        }
        let (path, class, access) = (path.escape_debug(), class.as_str(), access.as_str());
        if asked.is_some() {
            return write!(f, "`{path}`, which is {class}: programs may not {access} it");
        }
        write!(f, "`{path}` is {class}: programs may not {access} it")
    }
}

impl std::error::Error for PathRefusal {}

#[cfg(test)]
mod tests;

//! A local model as the embedder of a project (MA-7).

use super::folder;
use crate::config::{CONFIG_FILE, EmbedderSetting, edit};
use crate::project::Project;
use contexture_diagnostic::MissingFeature;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The embedder that a project now has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredEmbedder {
    /// The setting, such as `folder:models/multilingual`.
    pub setting: String,
    /// The id of the model.
    pub model: String,
    /// The number of numbers of a vector.
    pub dimension: usize,
    /// The configuration in which the setting is.
    pub file: PathBuf,
}

/// The reason why a folder is not registered; nothing is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// This build reads no local models.
    #[error("{0}")]
    Missing(MissingFeature),
    /// The folder is not a model.
    #[error("{0}")]
    NotAModel(String),
    /// The setting can't be written without another change.
    #[error("the setting can't be added to {}", file.display())]
    NotEditable {
        /// The configuration.
        file: PathBuf,
        /// The line to write under `[knowledge]`.
        line: String,
    },
    /// The configuration can't be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// The configuration.
        file: PathBuf,
        /// The reason that the system gives.
        source: io::Error,
    },
}

/// Checks that a folder is a model, and sets it as the embedder in the configuration of a project.
///
/// # Errors
/// [`RegisterError`]; nothing is written then.
pub fn register_embedder(
    project: &Project,
    folder: &Path,
) -> Result<RegisteredEmbedder, RegisterError> {
    if let Some(missing) = folder::MISSING {
        return Err(RegisterError::Missing(missing));
    }
    let embedder = folder::open(folder).map_err(RegisterError::NotAModel)?;
    let setting = EmbedderSetting::Folder(place(project, folder)).to_string();
    let file = project.root.join(CONFIG_FILE);
    let failed = |source| RegisterError::Io { file: file.clone(), source };
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let Some(edited) = edit::with_setting(&text, "knowledge", "embedder", &setting) else {
        let line = format!("embedder = {}", serde_json::Value::from(setting));
        return Err(RegisterError::NotEditable { file, line });
    };
    if edited != text {
        fs::write(&file, edited).map_err(failed)?;
    }
    let (model, dimension) = (embedder.id().to_owned(), embedder.dimension());
    Ok(RegisteredEmbedder { setting, model, dimension, file })
}

/// Returns the place of a folder as the configuration names it: relative where it is in the project.
fn place(project: &Project, folder: &Path) -> PathBuf {
    let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
    let Ok(folder) = whole(folder) else { return folder.to_owned() };
    let root = whole(&project.root).unwrap_or_else(|_| project.root.clone());
    folder.strip_prefix(&root).map(Path::to_owned).unwrap_or(folder)
}

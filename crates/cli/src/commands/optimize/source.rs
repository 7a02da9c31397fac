//! The program whose choices are meant.

use crate::output::diagnostics::refused_program;
use crate::prelude::*;
use contexture::diagnostic::SourceFile;
use contexture::run::load;
use contexture::script::syntax::ast::File;

/// A checked file.
pub(super) struct Checked {
    pub(super) source: SourceFile,
    pub(super) file: File,
}

/// Reads a program and checks it: candidates that do not compile are not offered.
pub(super) fn checked(
    path: &Path,
    workspace: &Workspace,
    terminal: &Terminal,
) -> Result<Checked, Abort> {
    let project = workspace.open_for(Some(path))?;
    let (program, checked) = load(&project, path)?;
    if checked.has_errors() {
        return Err(refused_program(&checked, terminal).into());
    }
    let first = program.files.into_iter().next();
    let first = first.ok_or_else(|| {
        CommandError::refused("program_unreadable", format!("{} holds no program", path.display()))
    })?;
    Ok(Checked { source: first.source, file: first.parsed.file })
}

//! The token file of a server.

use crate::prelude::*;
use contexture::store::stamp::now_us;
use contexture_server::serve::Place;
use contexture_server::serve::audit::{self, AuditRecord};
use contexture_server::serve::tokens::TokenFile;

#[derive(Debug, clap::Args)]
pub(super) struct TokenLocation {
    /// The folder of contexts and tokens [default: .contexture/data in the project].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
}

impl TokenLocation {
    fn folder(&self) -> Result<PathBuf, Abort> {
        Ok(Place::of(&self.workspace.open()?, self.data.as_deref())?.folder)
    }

    pub(super) fn tokens(&self) -> Result<TokenFile, Abort> {
        Ok(TokenFile::in_folder(&self.folder()?))
    }

    /// Writes a record to the audit log.
    pub(super) fn note(&self, record: &AuditRecord) -> Result<(), Abort> {
        Ok(audit::note_once(&self.folder()?, record)?)
    }
}

/// Returns the time now, in milliseconds since 1970-01-01 UTC.
pub(super) fn now() -> u64 {
    now_us() / 1_000
}

//! The tokens of servers, in a folder or a database.

use crate::prelude::*;
use contexture::store::stamp::now_us;
use contexture_server::serve::Place;
use contexture_server::serve::audit::{self, AuditRecord};
use contexture_server::serve::tokens::Tokens;

#[derive(Debug, clap::Args)]
pub(super) struct TokenLocation {
    /// The folder of contexts and tokens, or the database, postgres://… [default: .contexture/data in
    /// the project].
    #[arg(long, value_name = "DIR|URL", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
}

impl TokenLocation {
    pub(super) fn tokens(&self) -> Result<Tokens, Abort> {
        let project = self.workspace.open()?;
        Ok(Place::of(&project, self.data.as_deref())?.tokens(&project)?)
    }

    /// Writes a record to the audit log.
    pub(super) fn note(&self, record: &AuditRecord) -> Result<(), Abort> {
        Ok(audit::note_once(
            &Place::of(&self.workspace.open()?, self.data.as_deref())?.folder,
            record,
        )?)
    }
}

/// Returns the time now, in milliseconds since 1970-01-01 UTC.
pub(super) fn now() -> u64 {
    now_us() / 1_000
}

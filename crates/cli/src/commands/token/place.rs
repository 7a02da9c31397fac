//! Where the tokens are.

use crate::complaint::{Complaint, Stop};
use crate::workspace;
use contexture::store::stamp::now_us;
use contexture_server::Fault;
use contexture_server::serve::audit::{self, Record};
use contexture_server::serve::data_folder;
use contexture_server::serve::tokens::TokenFile;
use std::path::PathBuf;

/// The data folder of a server, as an argument.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// The folder of contexts and tokens. [default: .contexture/data in the project]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// The project's folder; by default the nearest with a contexture.toml.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
}

impl Place {
    /// The data folder.
    pub(super) fn folder(&self) -> Result<PathBuf, Stop> {
        let project = workspace::here_or(self.workspace.as_deref())?;
        Ok(data_folder(&project, self.data.clone()))
    }

    /// The tokens in it.
    pub(super) fn tokens(&self) -> Result<TokenFile, Stop> {
        Ok(TokenFile::in_folder(&self.folder()?))
    }

    /// Writes to the audit log what was done.
    pub(super) fn note(&self, record: &Record) -> Result<(), Stop> {
        audit::note_once(&self.folder()?, record).map_err(refuse)
    }
}

/// What the server's part says of it.
pub(super) fn refuse(fault: Fault) -> Stop {
    let complaint = Complaint::refused(&fault.code, fault.message);
    Complaint { help: fault.help, ..complaint }.into()
}

/// Returns the time in milliseconds since 1970-01-01 UTC.
pub(super) fn now() -> u64 {
    now_us() / 1_000
}

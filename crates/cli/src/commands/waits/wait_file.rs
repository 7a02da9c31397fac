//! The file of waits, and the wait that a person names.

use crate::prelude::*;
use contexture::diagnostic::suggestion;
use contexture::protocol::{ErrorCode, Refusal};
use contexture::store::flows::{Wait, WaitFilter, WaitState};
use contexture_server::serve::waits::{WaitFile, chosen};
use contexture_server::serve::{Place, audit};

#[derive(Debug, clap::Args)]
pub(super) struct WaitLocation {
    /// Only that of this context.
    #[arg(long, value_name = "ID")]
    pub(super) context: Option<String>,
    /// Only that of this owner.
    #[arg(long, value_name = "NAME")]
    pub(super) owner: Option<String>,
    /// The folder of contexts, as in `contexture serve` [default: .contexture/data in the project].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

impl WaitLocation {
    fn folder(&self) -> Result<PathBuf, Abort> {
        Ok(Place::of(&self.workspace.open()?, self.data.as_deref())?.only_folder()?)
    }

    /// Opens the waits; `None` when nothing was ever stored.
    pub(super) fn open(&self) -> Result<Option<WaitFile>, Abort> {
        let folder = self.folder()?;
        if !folder.join("flows.db").exists() {
            return Ok(None);
        }
        Ok(Some(WaitFile::open(&folder, &self.workspace.open()?)?))
    }

    pub(super) fn filter(&self) -> WaitFilter {
        let (owner, context) = (self.owner.clone(), self.context.clone());
        WaitFilter { owner, context, ..WaitFilter::default() }
    }

    /// Finds the wait of a callId.
    pub(super) fn find(&self, call: &str) -> Result<(WaitFile, Wait), Abort> {
        let Some(file) = self.open()? else { return Err(unknown(call, None)) };
        let known = file.list(&WaitFilter { call: Some(call.to_owned()), ..self.filter() })?;
        let wait = match chosen(known, call) {
            Ok(wait) => wait,
            Err(refused) if refused.code == ErrorCode::UnknownId => {
                let open = WaitFilter { state: Some(WaitState::Open), ..self.filter() };
                let open = file.list(&open)?;
                return Err(unknown(call, suggestion(call, open.iter().map(|one| &*one.id.call))));
            }
            Err(refused) => return Err(self::refused(&refused)),
        };
        Ok((file, wait))
    }

    /// Stores an answer, and reports it.
    pub(super) fn give(
        &self,
        (file, wait): (&WaitFile, &Wait),
        result: contexture::protocol::content::CallResult,
        (done, terminal): (&str, &Terminal),
    ) -> CommandResult {
        let call = &wait.id.call;
        if !file.answer(wait, result)? {
            let text = format!("the call `{call}` has its answer already, or has ended");
            return Err(self::refused(&Refusal::new(ErrorCode::CallEnded, text)));
        }
        let record = audit::AuditRecord::new(audit::AuditEvent::WaitAnswered);
        let record = record.with("by", "command line").with("owner", wait.id.owner.as_str());
        let record = record.with("contextId", wait.id.context.as_str());
        audit::note_once(&self.folder()?, &record.with("callId", call.as_str()))?;
        if self.json {
            let context = &wait.id.context;
            terminal.print_json(&json!({ "callId": call, "contextId": context }))?;
        } else {
            terminal.note(&format!("{done} the call {} of {}", one_line(call), wait.id.context));
        }
        Ok(Exit::Done)
    }
}

/// Creates the error for a refusal of the server's rules.
pub(super) fn refused(refusal: &Refusal) -> Abort {
    let code = match refusal.code {
        ErrorCode::CallEnded => "call_ended",
        ErrorCode::VersionConflict => "call_ambiguous",
        _ => "bad_usage",
    };
    let mut message = refusal.message.clone();
    for one in &refusal.violations {
        message.push_str(&format!("; {one}"));
    }
    let help = match refusal.code {
        ErrorCode::CallEnded => Some("the first answer counts"),
        ErrorCode::VersionConflict => Some("name it with --context"),
        _ => None,
    };
    CommandError::refused(code, message).maybe_help(help).into()
}

fn unknown(call: &str, help: Option<String>) -> Abort {
    let error = CommandError::refused("call_not_found", format!("no call `{call}` waits"));
    let list = || "`contexture waits list` shows what waits".to_owned();
    error.help(help.unwrap_or_else(list)).into()
}

//! Knowledge packs in a run (KN-7 to KN-13).

use super::LiveHost;
use contexture_script::host::{HostError, Supplied};
use contexture_script::knowledge::KnowledgeCall;

/// Asks a pack.
pub(super) async fn ask(_host: &LiveHost, call: KnowledgeCall) -> Result<Supplied, HostError> {
    Err(HostError::new("pack_unknown", format!("there is no pack `{}`", call.import.pack)))
}

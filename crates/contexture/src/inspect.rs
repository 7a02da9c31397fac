//! Inspection of kept runs: the prompt of each model call, and the differences of two runs.
//!
//! Everything is read from manifests; a text is looked up by its digest only where it is shown.

mod alone;
mod blame;
mod contexts;
mod diff;
mod export;
#[cfg(feature = "flow")]
mod flows;
mod import;
mod kept;
mod listed;
mod outline;
mod packs;
pub(crate) mod prefix;
mod tokens;
mod transcript;
mod treemap;
mod usage;
mod view;
mod why_not;
mod words;

pub use alone::alone;
pub use blame::{Blame, Cause, blame};
pub use contexts::{context, context_changes, context_messages, contexts};
pub use diff::{CallDiff, Change, ItemDiff, LayerDiff, diff};
pub(crate) use diff::{diff_of_functions, is_same_prompt};
pub use export::{Exported, export};
#[cfg(feature = "flow")]
pub use flows::{FlowPictureError, StepPage, flow, flow_picture, flows, open_waits, outer_flows};
pub use import::import;
pub use kept::{Call, InspectError, Kept, SentCall, SentMessage, SentRequest, attempts};
pub use listed::{Outcome, asks_model, listed, outcome};
pub use outline::{EventPage, MOST_EVENTS, Outline};
pub use packs::{MOST_HITS, pack, pack_search, packs};
pub use prefix::{MOST_PREFIX_RUNS, PrefixHits, prefix_hits, shared_prefix};
pub use tokens::{RunTokens, TokenPart, TokensBy, tokens};
pub use transcript::{transcript, transcript_head, transcript_message};
pub use treemap::Tile;
pub use usage::{MOST_RUNS, Usage, UsageBy, UsageQuery, UsageRow, UsageStep, usage};
pub use view::{
    LONGEST_MESSAGE, MOST_TEXT, RUNNING, call, described, head, prompt, state, text_part, trace_id,
};
pub use why_not::{Verdict, WhyNot, why_not};
pub use words::{WordPart, words};

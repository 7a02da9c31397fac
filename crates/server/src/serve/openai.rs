//! The API for OpenAI clients: each agent is a model (CP-5).
//!
//! Decision: nothing is stored, as such apps send the whole conversation each time; one that names a
//! context (`metadata.contextId`, or the header `X-Context-Id`) adds its last message
//! to it, since the context has the earlier ones. Unsupported parameters that would change the meaning of
//! an answer are refused; sampling parameters are left to the agent.

mod answer;
mod ask;
mod content;
mod embeddings;
mod error;
mod format;
mod frames;
mod parameters;
mod request;
mod responses;
mod stored;
mod tools;

pub(crate) use answer::{Chunks, completion, model};
pub(crate) use ask::{ChatAnswer, ChatEvent, ChatTurn, ask};
pub(crate) use embeddings::{Texts, answer as embeddings};
pub(crate) use error::Failure;
pub(crate) use frames::{Frame, Frames};
pub(crate) use request::{Chat, json_of};
pub(crate) use responses::{Asked, Items, fork, go_on, resolve};

/// Reports whether clients of OpenAI call this path.
pub(crate) fn is_own(path: &str) -> bool {
    let own = ["/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/models"];
    own.contains(&path) || path.starts_with("/v1/models/")
}

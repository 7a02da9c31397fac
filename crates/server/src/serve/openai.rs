//! The way in for apps that were written for OpenAI: each agent is a model (CP-5).
//!
//! Decision: nothing is kept, as such apps send the whole conversation each time; one that names a
//! context (`metadata.contextId`, or the header `X-Context-Id`) takes part in it by its last message
//! alone, since the context has those before. What would change the meaning of an answer and can't
//! be done is refused; what only asks for the manner of sampling is left to the agent.

mod answer;
mod ask;
mod content;
mod error;
mod parameters;
mod request;

pub(crate) use answer::{Chunks, completion, model};
pub(crate) use ask::{Answer, Asked, Said, ask};
pub(crate) use error::Failure;
pub(crate) use request::Chat;

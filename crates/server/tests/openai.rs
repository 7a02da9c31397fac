//! The door for clients of OpenAI, and what operators see: status, figures, traces, the end.

#[path = "openai/chat.rs"]
mod chat;
#[path = "openai/drain.rs"]
mod drain;
#[path = "openai/model.rs"]
mod model;
#[path = "openai/site.rs"]
mod site;
#[path = "openai/status.rs"]
mod status;
#[path = "openai/traces.rs"]
mod traces;

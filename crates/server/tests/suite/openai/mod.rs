//! The door for clients of OpenAI, and what those who run a server see of it: status, figures,
//! traces, its end (CP-5, CP-6, CP-8, CP-17, CP-20).

mod chat;
mod drain;
mod embeddings;
mod format;
mod model;
mod responses;
mod script;
mod site;
mod status;
mod tools;
mod traces;

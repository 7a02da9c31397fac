//! The MCP door over pipes and over HTTP (KN-16).

mod http;
mod knowledge;
mod load;
mod people;
mod programs;
mod prompts;
mod stdio;
mod support;

//! Instruction sets and tool calls with everything that a project offers.

mod agents;
mod clients;
mod generations;
mod influence;
mod kept;
mod nested;
mod servers;
pub(crate) mod support;

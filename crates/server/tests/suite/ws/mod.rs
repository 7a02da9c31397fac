//! The WebSocket door and the event stream of a server that runs: frames, sessions, turns, replays,
//! subscriptions, front-end calls (CP-4…CP-8, CP-11, CP-14).

mod approvals;
mod asking;
mod batches;
mod chance;
mod client;
mod converge;
mod deleted;
mod discreet;
mod events;
mod frames;
mod frontend;
mod further;
mod hello;
mod intents;
mod labels;
mod lasting;
mod load;
mod over;
mod replays;
mod resume;
mod routed;
mod services;
mod sets;
mod settle;
mod sides;
mod site;
mod tools;
mod trouble;
mod turns;
mod unkept;
mod waits;

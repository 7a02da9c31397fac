//! `/v1/tools` and `/v1/actions`: what tool calls and instructions can call (WA-7).

use super::answer;
use super::extract::Counted;
use super::refused::Answer;
use super::shared::Shared;
use crate::serve::caller::Scope;
use crate::serve::exchange::offered::offered;
use axum::extract::State;
use contexture_flow::Kind;
use serde_json::json;

/// `GET /v1/tools`
pub(super) async fn tools(State(shared): State<Shared>, Counted(caller): Counted) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let tools = offered(&shared.app, &caller, Kind::Calls).await?;
    Ok(answer::value(&json!({ "tools": tools })))
}

/// `GET /v1/actions`
pub(super) async fn actions(State(shared): State<Shared>, Counted(caller): Counted) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let actions = offered(&shared.app, &caller, Kind::Instructions).await?;
    Ok(answer::value(&json!({ "actions": actions })))
}

//! The availability of front-end tools (CP-13, CP-15).

use crate::serve::session::Session;
use contexture_protocol::content::{
    Availability, Permission, ToolAvailabilityRequest, ToolAvailabilityResponse, ToolDefinition,
    ToolQuery, UnavailableReason,
};
use contexture_protocol::{ErrorCode, Refusal, Violation};
use std::cmp::Ordering;
use std::sync::Arc;

/// The most characters of a text in a refusal.
const SHOWN: usize = 200;

/// Returns the availability of each tool, in the order of the request.
///
/// # Errors
/// VALIDATION_FAILED for an invalid least version.
pub(crate) fn answer(
    clients: &[Arc<Session>],
    request: &ToolAvailabilityRequest,
) -> Result<ToolAvailabilityResponse, Refusal> {
    let queries = request.tools.iter().enumerate();
    let violations: Vec<Violation> = queries
        .filter_map(|(place, query)| {
            let least = query.min_version.as_ref().filter(|least| !is_version(least))?;
            Some(Violation {
                pointer: format!("/content/tools/{place}/minVersion"),
                expected: "a version such as 1.2.0".to_owned(),
                found: least.chars().take(SHOWN).collect(),
            })
        })
        .collect();
    if !violations.is_empty() {
        let text = "a requested least version is not a version";
        return Err(Refusal { violations, ..Refusal::new(ErrorCode::ValidationFailed, text) });
    }
    let available_tools = request.tools.iter().map(|query| of(clients, query)).collect();
    Ok(ToolAvailabilityResponse { available_tools, ..ToolAvailabilityResponse::default() })
}

/// Returns the best availability among the clients.
fn of(clients: &[Arc<Session>], query: &ToolQuery) -> Availability {
    let mut best = refused(query, UnavailableReason::NotSupported);
    let mut rank = 0;
    for session in clients {
        let Some(client) = session.client() else { continue };
        let tools = client.supported_tools.as_deref().unwrap_or_default();
        for tool in tools.iter().filter(|tool| tool.tool_id == query.tool_id) {
            match judge(tool, query, session.is_connected()) {
                None => return available(tool),
                Some(reason) if order(reason) > rank => {
                    rank = order(reason);
                    best = Availability { version: tool.version.clone(), ..refused(query, reason) };
                }
                Some(_) => {}
            }
        }
    }
    best
}

/// Returns why a tool of a client can't be called, if so.
pub(crate) fn judge(
    tool: &ToolDefinition,
    query: &ToolQuery,
    is_connected: bool,
) -> Option<UnavailableReason> {
    let has = tool.capabilities.as_deref().unwrap_or_default();
    let needs = query.required_capabilities.as_deref().unwrap_or_default();
    let version = tool.version.as_deref().unwrap_or("0");
    // An invalid version is met by none.
    let is_old = query
        .min_version
        .as_deref()
        .is_some_and(|least| !is_version(least) || compare(version, least).is_lt());
    if is_old {
        Some(UnavailableReason::VersionTooLow)
    } else if needs.iter().any(|need| !has.contains(need)) {
        Some(UnavailableReason::CapabilityMissing)
    } else if tool.permission == Some(Permission::Denied) {
        Some(UnavailableReason::PermissionDenied)
    } else if !is_connected {
        Some(UnavailableReason::ClientUnavailable)
    } else {
        None
    }
}

/// Returns the rank of a reason: the one that is nearest to working is the most helpful.
const fn order(reason: UnavailableReason) -> u8 {
    match reason {
        UnavailableReason::NotSupported => 0,
        UnavailableReason::VersionTooLow => 1,
        UnavailableReason::CapabilityMissing => 2,
        UnavailableReason::ClientUnavailable => 3,
        UnavailableReason::PermissionDenied => 4,
    }
}

fn available(tool: &ToolDefinition) -> Availability {
    Availability {
        tool_id: tool.tool_id.clone(),
        available: true,
        version: tool.version.clone(),
        capabilities: tool.capabilities.clone(),
        ..Availability::default()
    }
}

fn refused(query: &ToolQuery, reason: UnavailableReason) -> Availability {
    let tool = &query.tool_id;
    let message = match reason {
        UnavailableReason::NotSupported => format!("no client has announced the tool `{tool}`"),
        UnavailableReason::PermissionDenied => format!("the user does not allow the tool `{tool}`"),
        UnavailableReason::VersionTooLow => {
            let least = query.min_version.as_deref().unwrap_or_default();
            format!("no client has the tool `{tool}` in version {least} or later")
        }
        UnavailableReason::CapabilityMissing => {
            format!("no client's tool `{tool}` has all the capabilities asked for")
        }
        UnavailableReason::ClientUnavailable => {
            format!("the client that has the tool `{tool}` is not connected")
        }
    };
    Availability {
        tool_id: tool.clone(),
        available: false,
        reason: Some(reason),
        message: Some(message),
        ..Availability::default()
    }
}

/// Reports whether a text begins with a number, as versions do.
fn is_version(text: &str) -> bool {
    text.strip_prefix('v').unwrap_or(text).starts_with(|sign: char| sign.is_ascii_digit())
}

/// Compares versions by their numbers; one with a `-` comes before the release.
fn compare(left: &str, right: &str) -> Ordering {
    fn parts(text: &str) -> (Vec<u64>, bool) {
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split('+').next().unwrap_or_default();
        let (numbers, early) = match text.split_once('-') {
            Some((numbers, _)) => (numbers, true),
            None => (text, false),
        };
        let mut numbers: Vec<u64> =
            numbers.split('.').map(|part| part.trim().parse().unwrap_or(0)).collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        (numbers, early)
    }
    let ((left, left_early), (right, right_early)) = (parts(left), parts(right));
    left.cmp(&right).then(right_early.cmp(&left_early))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_15_versions_compare_by_numbers() {
        for (left, right, expected) in [
            ("1.2.0", "1.2", Ordering::Equal),
            ("1.10.0", "1.9.9", Ordering::Greater),
            ("1.0.0-beta", "1.0.0", Ordering::Less),
            ("2", "10", Ordering::Less),
            ("v1.0.0", "1.0.0+build", Ordering::Equal),
        ] {
            assert_eq!(compare(left, right), expected, "{left} {right}");
        }
    }
}

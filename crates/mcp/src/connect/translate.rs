//! Between the vocabulary of the protocol's library and ours.

use super::wire::UNREADABLE;
use crate::definition::{Definition, DefinitionError};
use crate::error::McpError;
use crate::port::{Content, Reply};
use crate::wire::MESSAGE_BYTES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contexture_tools::cause;
use rmcp::ServiceError;
use rmcp::model::{CallToolResult, ContentBlock, ListToolsResult, ResourceContents, Tool};
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::Value;
use std::error::Error;

/// The longest reason that a message repeats, in characters.
const REASON_CHARS: usize = 300;

pub(super) struct Page {
    pub(super) tools: Vec<Definition>,
    pub(super) left_out: Vec<DefinitionError>,
    /// The start of the next one.
    pub(super) next: Option<String>,
}

impl Page {
    pub(super) fn of(page: &ListToolsResult) -> Self {
        let tools = page.tools.iter().map(definition).collect();
        Self { tools, left_out: Vec::new(), next: page.next_cursor.clone() }
    }

    /// Returns a page of which each tool is read by itself; none when there is no list.
    pub(super) fn by_tool(mut answer: Value) -> Option<Self> {
        let Some(Value::Array(all)) = answer.get_mut("tools").map(Value::take) else { return None };
        let next = answer.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        let mut page = Self { tools: Vec::new(), left_out: Vec::new(), next };
        for tool in all {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            let name = short(&name.chars().take(80).collect::<String>());
            match serde_json::from_value(tool) {
                Ok(tool) => page.tools.push(definition(&tool)),
                Err(error) => {
                    let reason = short(&error.to_string());
                    page.left_out.push(DefinitionError::Form { name, reason });
                }
            }
        }
        Some(page)
    }
}

fn definition(tool: &Tool) -> Definition {
    Definition {
        name: tool.name.to_string(),
        title: tool.title.clone(),
        description: tool.description.as_ref().map(ToString::to_string),
        input_schema: (*tool.input_schema).clone(),
        output_schema: tool.output_schema.as_ref().map(|schema| Value::Object((**schema).clone())),
        annotations: tool.annotations.as_ref().and_then(|all| serde_json::to_value(all).ok()),
    }
}

pub(super) fn reply(result: CallToolResult) -> Reply {
    Reply {
        content: result.content.into_iter().filter_map(content).collect(),
        structured: result.structured_content,
        is_error: result.is_error.unwrap_or_default(),
    }
}

fn content(block: ContentBlock) -> Option<Content> {
    Some(match block {
        ContentBlock::Text(text) => Content::Text(text.text),
        ContentBlock::Image(image) => bytes("image", Some(image.mime_type), &image.data, None),
        ContentBlock::Audio(audio) => bytes("audio", Some(audio.mime_type), &audio.data, None),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                Content::Resource { uri, mime: mime_type, text }
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                bytes("resource", mime_type, &blob, Some(uri))
            }
            _ => return None,
        },
        ContentBlock::ResourceLink(link) => Content::Link { uri: link.uri, name: link.name },
        _ => return None,
    })
}

fn bytes(kind: &'static str, mime: Option<String>, data: &str, uri: Option<String>) -> Content {
    // What is not base64 is counted as it stands.
    let bytes = STANDARD.decode(data).map_or(data.len(), |bytes| bytes.len());
    Content::Bytes { kind, mime, bytes: bytes as u64, uri }
}

/// Returns the reason why a connection could not be made.
pub(super) fn no_start(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            "it ended, or closed the connection, before it answered".to_owned()
        }
        ClientInitializeError::TransportError { error, .. } => transport(error),
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refused: {} ({})", short(&error.message), error.code.0)
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => no_start(fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks no version of the protocol that is known here".to_owned()
        }
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "what it answered is not a greeting of an MCP server".to_owned()
        }
        other => short(&other.to_string()),
    }
}

/// Returns what a server answered to the greeting, when that can't be read.
pub(super) fn unreadable_greeting(error: &ClientInitializeError) -> Option<String> {
    match error {
        ClientInitializeError::JsonRpcError(error) if error.code == UNREADABLE => {
            Some(short(&error.message))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            unreadable_greeting(fallback)
        }
        ClientInitializeError::TransportError { error, .. } => unreadable_over_http(error),
        _ => None,
    }
}

/// Returns what came over HTTP, when that is not a message.
fn unreadable_over_http(error: &DynamicTransportError) -> Option<String> {
    match error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>()? {
        StreamableHttpError::Deserialize(error) => {
            Some(short(&format!("what is not a message: {error}")))
        }
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("not told");
            Some(short(&format!("what is not a message: its content type is {kind}")))
        }
        // The library reports it in words alone.
        StreamableHttpError::UnexpectedServerResponse(said) if said.contains("parse") => {
            Some(short(&format!("what is not a message: {said}")))
        }
        _ => None,
    }
}

/// Reports whether a server over HTTP answered, and refused in words of HTTP what it was asked.
pub(super) fn is_refusal(error: &DynamicTransportError) -> bool {
    let http = error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    matches!(http, Some(StreamableHttpError::UnexpectedServerResponse(_)))
}

/// Reports whether what came over HTTP is longer than it may be.
pub(super) fn is_too_large(error: &DynamicTransportError) -> bool {
    let http = error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    matches!(http, Some(StreamableHttpError::ResponseBodyTooLarge { .. }))
}

/// Returns the reason why a request failed.
pub(super) fn failed(
    (server, what): (&str, &str),
    error: ServiceError,
    stderr: String,
) -> McpError {
    let (server, what) = (server.to_owned(), what.to_owned());
    match error {
        ServiceError::McpError(error) if error.code == UNREADABLE => {
            McpError::BadAnswer { server, what, found: short(&error.message) }
        }
        ServiceError::McpError(error) => {
            let message = short(&error.message);
            McpError::Refused { server, what, code: i64::from(error.code.0), message }
        }
        ServiceError::TransportSend(error) if is_too_large(&error) => {
            McpError::TooLarge { server, what, limit: MESSAGE_BYTES as u64 }
        }
        ServiceError::TransportSend(error) => match unreadable_over_http(&error) {
            Some(found) => McpError::BadAnswer { server, what, found },
            None => McpError::Unreachable { server, reason: transport(&error), stderr },
        },
        ServiceError::TransportClosed => {
            let reason = "the connection broke off".to_owned();
            McpError::Unreachable { server, reason, stderr }
        }
        ServiceError::UnexpectedResponse => {
            let found = "what is not a result of that kind".to_owned();
            McpError::BadAnswer { server, what, found }
        }
        other => McpError::BadAnswer { server, what, found: short(&other.to_string()) },
    }
}

/// Returns the reason why nothing could be sent or read; addresses are left out, as they may hold secrets.
fn transport(error: &DynamicTransportError) -> String {
    let inner: &(dyn Error + 'static) = error.error.as_ref();
    let http = inner.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    match http {
        Some(StreamableHttpError::Client(client)) => short(&of_client(client)),
        Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
            "it wants a token, or refuses the one it got: see `token_env`".to_owned()
        }
        _ => short(&inner.to_string()),
    }
}

fn of_client(error: &reqwest::Error) -> String {
    if let Some(status) = error.status() {
        return format!("it answered with status {}", status.as_u16());
    }
    if error.is_timeout() {
        return "the connection took too long".to_owned();
    }
    match error.source() {
        Some(_) => cause::root(error),
        None => "the request could not be sent".to_owned(),
    }
}

/// Returns one line of bounded length.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String =
        line.chars().map(|sign| if sign.is_control() { '·' } else { sign }).collect();
    match line.char_indices().nth(REASON_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

//! `GET /v1/ws`: the handshake of a WebSocket.

use super::answer;
use super::connection::Connection;
use super::extract::Sender;
use super::listen::Permit;
use super::refused::{Answer, Refused};
use super::shared::Shared;
use crate::credential::SUBPROTOCOL;
use crate::web::elements;
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contexture_protocol::{ErrorCode, Refusal, Version};
use yawc::{CompressionLevel, DeflatePool, IncomingUpgrade, Options};

/// The buffers of an idle connection, in bytes.
const BUFFER: usize = 1024;
/// Messages below this size are not worth compressing.
const WORTH_COMPRESSING: usize = 1024;

pub(super) async fn open(
    State(shared): State<Shared>,
    Sender(caller): Sender,
    request: Request,
) -> Answer {
    let owner_permit = shared.guard.socket(&caller)?;
    // The connection outlives its request.
    let permit = request.extensions().get::<Permit>().cloned();
    let (mut parts, _) = request.into_parts();
    let offered = elements(&parts.headers, header::SEC_WEBSOCKET_PROTOCOL);
    // A client that offers no version names it in HELLO.
    let chosen = Version::choose_subprotocol(offered.filter(|one| !one.starts_with(SUBPROTOCOL)))?;
    if !is_handshake(&parts.headers) {
        return Ok(no_handshake(&shared));
    }
    let Ok(upgrade) = IncomingUpgrade::from_request_parts(&mut parts, &()).await else {
        return Ok(no_handshake(&shared));
    };
    let options = options(&shared.deflate, shared.app.limits.bytes);
    let Ok((response, upgraded)) = upgrade.upgrade(options) else {
        let text = "the WebSocket extensions that are asked for can't be agreed on";
        let refused = Refusal::new(ErrorCode::ValidationFailed, text);
        return Err(Refused::with_status(refused, StatusCode::BAD_REQUEST));
    };
    let app = shared.app.clone();
    tokio::spawn(async move {
        if let Ok(socket) = upgraded.await {
            Connection::new(app, caller, socket).serve().await;
        }
        drop((owner_permit, permit));
    });
    let mut response = response.into_response();
    if let Some(chosen) = chosen.map(HeaderValue::from_static) {
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, chosen);
    }
    Ok(response)
}

/// Reports whether a connection is to become a WebSocket, with a key of 16 bytes (RFC 6455, 4.2.1).
fn is_handshake(headers: &HeaderMap) -> bool {
    let has = |name: HeaderName, word: &str| {
        elements(headers, name).any(|element| element.eq_ignore_ascii_case(word))
    };
    let mut keys = headers.get_all(header::SEC_WEBSOCKET_KEY).iter();
    let key = keys.next().and_then(|key| STANDARD.decode(key.as_bytes()).ok());
    has(header::CONNECTION, "upgrade")
        && has(header::UPGRADE, "websocket")
        && key.is_some_and(|key| key.len() == 16)
        && keys.next().is_none()
}

fn no_handshake(shared: &Shared) -> Response {
    let text = "the request is not a WebSocket handshake of version 13";
    let refused = Refusal::new(ErrorCode::ValidationFailed, text)
        .suggest("Use a WebSocket client, or POST /v1/messages.");
    let status = Some(StatusCode::UPGRADE_REQUIRED);
    let mut response = answer::refusal(&shared.app, "", refused, status);
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

/// Returns options for compression without a window that outlives a message: an idle connection
/// costs little.
fn options(pool: &DeflatePool, bytes: usize) -> Options {
    Options::default()
        .with_limits(bytes.saturating_add(1), bytes.saturating_add(1))
        .with_read_buffer_capacity(BUFFER)
        .with_write_buffer_capacity(BUFFER)
        .with_utf8()
        .with_compression_level(CompressionLevel::fast())
        .server_no_context_takeover()
        .client_no_context_takeover()
        .with_compression_threshold(WORTH_COMPRESSING)
        .with_deflate_pool(pool.clone())
}

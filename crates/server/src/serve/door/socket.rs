//! `GET /v1/ws`: the handshake of a WebSocket.

use super::connection::Connection;
use super::credential::SUBPROTOCOL;
use super::listen::Place;
use super::{Shared, answer};
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

/// Takes a WebSocket.
pub(super) async fn open(State(shared): State<Shared>, request: Request) -> Response {
    let caller = match shared.guard.admit(&request) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    let seat = match shared.guard.socket(&caller) {
        Ok(seat) => seat,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    // The connection goes on when its request is over.
    let place = request.extensions().get::<Place>().cloned();
    let offered = offered(&request);
    // A client that names no version says it in HELLO.
    let chosen = match Version::choose_subprotocol(offered.iter().map(String::as_str)) {
        Ok(chosen) => chosen,
        Err(refused) => return answer::refusal(&shared.app, *refused),
    };
    let (mut parts, _) = request.into_parts();
    if !is_handshake(&parts.headers) {
        return no_handshake(&shared);
    }
    let Ok(upgrade) = IncomingUpgrade::from_request_parts(&mut parts, &()).await else {
        return no_handshake(&shared);
    };
    let options = options(&shared.deflate, shared.app.limits.bytes);
    let Ok((response, upgraded)) = upgrade.upgrade(options) else {
        let text = "the WebSocket extensions that are asked for can't be agreed on";
        return answer::refusal_with(
            &shared.app,
            Refusal::new(ErrorCode::ValidationFailed, text),
            Some(StatusCode::BAD_REQUEST),
        );
    };
    let app = shared.app.clone();
    tokio::spawn(async move {
        if let Ok(socket) = upgraded.await {
            Connection::new(app, caller, socket).serve().await;
        }
        drop((seat, place));
    });
    let mut response = response.into_response();
    if let Some(chosen) = chosen.map(HeaderValue::from_static) {
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, chosen);
    }
    response
}

/// Reports whether a connection is to become a WebSocket, with a key of 16 bytes (RFC 6455, 4.2.1).
fn is_handshake(headers: &HeaderMap) -> bool {
    let has = |name: HeaderName, word: &str| {
        let texts = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        texts.flat_map(|text| text.split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
    };
    let mut keys = headers.get_all(header::SEC_WEBSOCKET_KEY).iter();
    let key = keys.next().and_then(|key| STANDARD.decode(key.as_bytes()).ok());
    has(header::CONNECTION, "upgrade")
        && has(header::UPGRADE, "websocket")
        && key.is_some_and(|key| key.len() == 16)
        && keys.next().is_none()
}

fn no_handshake(shared: &Shared) -> Response {
    let text = "the request is no WebSocket handshake of version 13";
    let refused = Refusal::new(ErrorCode::ValidationFailed, text)
        .suggest("Use a WebSocket client, or POST /v1/messages.");
    let status = Some(StatusCode::UPGRADE_REQUIRED);
    let mut response = answer::refusal_with(&shared.app, refused, status);
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

fn offered(request: &Request) -> Vec<String> {
    let values = request.headers().get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    let parts = texts.flat_map(|text| text.split(',')).map(str::trim);
    parts.filter(|part| !part.starts_with(SUBPROTOCOL)).map(str::to_owned).collect()
}

/// Compression without a window that outlives a message: an idle connection costs little.
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

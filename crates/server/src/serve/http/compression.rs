//! Request and response bodies with gzip (CP-6, CP-20).
//!
//! Decision: requests are decompressed while they are read, in small pieces, so that the limit of a
//! body applies to its decompressed size, and refused requests are not decompressed. Responses
//! are compressed when that pays; events are flushed one by one, so that none waits.

use super::answer;
use super::shared::Shared;
use crate::web::media_type;
use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use contexture_protocol::{ErrorCode, Refusal};
use flate2::Compression;
use flate2::write::{GzEncoder, MultiGzDecoder};
use futures_util::{StreamExt as _, stream};
use std::io::{self, Write as _};

/// The smallest response that is compressed.
const WORTH: u64 = 1024;
/// The bytes that are compressed at once.
const PIECE: usize = 64 << 10;
/// The bytes that are decompressed at once: gzip expands them at most about a thousand times.
const INPUT_PIECE: usize = 1 << 10;
const GZIP: &str = "gzip";

/// Decompresses a request and compresses its response.
pub(super) async fn layer(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let is_wanted = accepts(request.headers());
    let path = request.uri().path().to_owned();
    let request = match decompressed(request) {
        Ok(request) => request,
        Err(refused) => return unsupported(&shared, &path, *refused),
    };
    let mut response = next.run(request).await;
    if !is_text(response.headers()) || response.headers().contains_key(header::CONTENT_ENCODING) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    let is_worth = response.body().size_hint().exact().is_none_or(|bytes| bytes >= WORTH);
    if is_wanted && is_worth && response.status() != StatusCode::SWITCHING_PROTOCOLS {
        compressed(response)
    } else {
        response
    }
}

fn unsupported(shared: &Shared, path: &str, refused: Refusal) -> Response {
    let status = Some(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let mut response = answer::refusal(&shared.app, path, refused, status);
    response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(GZIP));
    response
}

fn listed(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let texts = headers.get_all(name).into_iter().map(|value| value.to_str().unwrap_or("?"));
    texts.flat_map(|text| text.split(',')).map(str::trim).filter(|text| !text.is_empty())
}

/// Reports whether the client accepts gzip and does not prefer plain answers.
fn accepts(headers: &HeaderMap) -> bool {
    let (mut gzip, mut any, mut plain) = (None, None, None);
    for choice in listed(headers, header::ACCEPT_ENCODING) {
        let mut parts = choice.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let weight = weight.map_or(1.0, |text| text.trim().parse::<f32>().unwrap_or(0.0));
        match &*name {
            GZIP | "x-gzip" => gzip = Some(weight),
            "*" => any = Some(weight),
            "identity" => plain = Some(weight),
            _ => {}
        }
    }
    gzip.or(any).is_some_and(|gzip| gzip > 0.0 && gzip >= plain.unwrap_or(0.0))
}

/// Reports whether a response is compressible.
fn is_text(headers: &HeaderMap) -> bool {
    let kind = media_type(headers);
    kind.starts_with("text/")
        || matches!(
            kind,
            "application/json"
                | "application/schema+json"
                | "application/x-ndjson"
                | "application/openmetrics-text"
                | "image/svg+xml"
        )
}

/// Returns the request with a decompressed body.
fn decompressed(mut request: Request) -> Result<Request, Box<Refusal>> {
    let names = listed(request.headers(), header::CONTENT_ENCODING);
    let names: Vec<String> = names.map(str::to_ascii_lowercase).collect();
    let encodings: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name != "identity").collect();
    match encodings.as_slice() {
        [] => return Ok(request),
        [GZIP | "x-gzip"] => {}
        other => {
            let text =
                format!("the body is encoded as {}: expected gzip, or none", other.join(", "));
            let refused = Refusal::new(ErrorCode::ParseError, text)
                .suggest("Send the body as it is, or with Content-Encoding: gzip.");
            return Err(Box::new(refused));
        }
    }
    let headers = request.headers_mut();
    headers.remove(header::CONTENT_ENCODING);
    headers.remove(header::CONTENT_LENGTH);
    let (parts, body) = request.into_parts();
    let decompressor = Decompressor {
        body: body.into_data_stream(),
        decoder: Some(MultiGzDecoder::new(Vec::new())),
        rest: Bytes::new(),
    };
    let body = Body::from_stream(stream::try_unfold(decompressor, Decompressor::next));
    Ok(Request::from_parts(parts, body))
}

/// A request body.
struct Decompressor {
    body: BodyDataStream,
    /// `None` when everything was read.
    decoder: Option<MultiGzDecoder<Vec<u8>>>,
    /// The bytes that are not decompressed yet.
    rest: Bytes,
}

impl Decompressor {
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        loop {
            let Some(decoder) = &mut self.decoder else { return Ok(None) };
            if self.rest.is_empty() {
                match self.body.next().await {
                    Some(chunk) => self.rest = chunk.map_err(io::Error::other)?,
                    None => {
                        decoder.try_finish().map_err(broken)?;
                        let out = std::mem::take(decoder.get_mut());
                        self.decoder = None;
                        return Ok(Some((out.into(), self)));
                    }
                }
            }
            let piece = self.rest.split_to(self.rest.len().min(INPUT_PIECE));
            decoder.write_all(&piece).map_err(broken)?;
            let out = std::mem::take(decoder.get_mut());
            if !out.is_empty() {
                return Ok(Some((out.into(), self)));
            }
        }
    }
}

fn broken(error: io::Error) -> io::Error {
    io::Error::other(format!("it is not complete gzip ({error})"))
}

/// Returns the response with a compressed body.
fn compressed(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let compressor = Compressor {
        body: body.into_data_stream(),
        encoder: None,
        rest: Bytes::new(),
        flushes: media_type(&parts.headers) == "text/event-stream",
        is_over: false,
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(GZIP));
    let body = Body::from_stream(stream::try_unfold(compressor, Compressor::next));
    Response::from_parts(parts, body)
}

/// A response body.
struct Compressor {
    body: BodyDataStream,
    /// Created with the first data, as streams may wait long for their first event.
    encoder: Option<GzEncoder<Vec<u8>>>,
    rest: Bytes,
    /// True if each chunk is sent at once.
    flushes: bool,
    is_over: bool,
}

impl Compressor {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, axum::Error> {
        loop {
            if self.is_over {
                return Ok(None);
            }
            if self.rest.is_empty() {
                match self.body.next().await {
                    Some(chunk) => self.rest = chunk?,
                    None => {
                        let end = self.encoder().finish().map_err(axum::Error::new)?;
                        self.is_over = true;
                        return Ok(Some((end.into(), self)));
                    }
                }
            }
            let piece = self.rest.split_to(self.rest.len().min(PIECE));
            let mut encoder = self.encoder();
            encoder.write_all(&piece).map_err(axum::Error::new)?;
            if self.flushes && self.rest.is_empty() {
                encoder.flush().map_err(axum::Error::new)?;
            }
            let out = std::mem::take(encoder.get_mut());
            self.encoder = Some(encoder);
            if !out.is_empty() {
                return Ok(Some((out.into(), self)));
            }
        }
    }

    fn encoder(&mut self) -> GzEncoder<Vec<u8>> {
        let fresh = || GzEncoder::new(Vec::new(), Compression::fast());
        self.encoder.take().unwrap_or_else(fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_6_gzip_is_sent_to_clients_that_accept_it() {
        let takes = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            accepts(&headers)
        };
        for text in
            ["gzip", "br, GZIP;q=0.5", "*", "deflate, gzip;q=1.0, *;q=0", "identity;q=0.1,*"]
        {
            assert!(takes(text), "{text}");
        }
        for text in ["", "br", "gzip;q=0", "*;q=0", "identity, gzip;q=0.5", "gzip;q=none"] {
            assert!(!takes(text), "{text}");
        }
        assert!(!accepts(&HeaderMap::new()));
    }
}

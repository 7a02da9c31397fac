//! Requests that are answered before their body was read.
//!
//! Decision: hyper closes a connection on which unread input is left, and a client that keeps it open
//! for its next request would lose that one. So a small body that nobody took is read before the
//! response goes out, for a moment at most; larger ones end the connection as before.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// The largest rest of a body that is read.
const SMALL: u64 = 64 << 10;
/// The time for which it is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A body that is given back when it is dropped.
struct Lent {
    body: Body,
    place: Arc<Mutex<Option<Body>>>,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            *self.place.lock() = Some(std::mem::take(&mut self.body));
        }
    }
}

/// Answers a request, and reads what is left of a small body before the response goes out.
pub(super) async fn layer(request: Request, next: Next) -> Response {
    // A client that waits to be asked for its body sends none after a refusal.
    if request.body().is_end_stream() || request.headers().contains_key(header::EXPECT) {
        return next.run(request).await;
    }
    let place = Arc::new(Mutex::new(None));
    let request = request.map(|body| Body::new(Lent { body, place: Arc::clone(&place) }));
    let response = next.run(request).await;
    let left = place.lock().take();
    if let Some(left) = left {
        // Whether or not it ended in time, the response goes out.
        let _ = tokio::time::timeout(PATIENCE, discard(left)).await;
    }
    response
}

async fn discard(mut body: Body) {
    let mut read = 0;
    while read + body.size_hint().lower() <= SMALL {
        let Some(Ok(frame)) = body.frame().await else { return };
        read += frame.data_ref().map_or(0, |data| data.len() as u64);
    }
}

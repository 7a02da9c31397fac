//! `GET /v1/contexts/{id}/export`: a context as JSON lines, sent while they are read (CP-10).

use super::LINES;
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::failure::refusal;
use crate::serve::http::extract::{Named, Reader};
use crate::serve::http::refused::Answer;
use crate::serve::http::shared::Shared;
use crate::serve::operations::audit::AuditEvent;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use contexture::store::contexts::{ContextError, Key};
use contexture_protocol::{VERSION, VERSION_HEADER};
use futures_util::{StreamExt as _, stream};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The most portions that wait for the client.
const WAITING: usize = 4;
/// The size of a portion, in bytes.
const PORTION: usize = 64 << 10;
/// The time after which a client that reads nothing counts as gone: an export blocks a checkpoint.
const STUCK: Duration = Duration::from_secs(20);

/// `GET /v1/contexts/{id}/export`
pub(crate) async fn export(
    State(shared): State<Shared>,
    Named(id): Named,
    Reader(caller): Reader,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    // The status reports whether the context exists; later errors it can't.
    shared.ask_in(&caller, &id, |store, key| store.head(key)).await?;
    let mut lines = begin(&shared.app, &caller, id.clone());
    // A context that can't be read at all has a status, too.
    let first = match lines.recv().await {
        Some(Ok(portion)) => portion,
        Some(Err(_)) | None => return Err(refusal(ContextError::Closed, Some(&id)).into()),
    };
    shared.note(&caller, AuditEvent::ContextsExported, &id);
    let headers = [
        (header::CONTENT_TYPE.as_str(), LINES.to_owned()),
        (header::CONTENT_DISPOSITION.as_str(), "attachment; filename=\"context.jsonl\"".into()),
        (VERSION_HEADER, VERSION.to_string()),
    ];
    let rest = stream::unfold(lines, |mut receiver| async {
        receiver.recv().await.map(|portion| (portion, receiver))
    });
    let all = stream::iter([Ok(first)]).chain(rest);
    Ok((headers, Body::from_stream(all)).into_response())
}

/// Reads on a separate thread. A failing export ends the response early.
fn begin(app: &Arc<App>, caller: &Caller, id: String) -> Receiver<io::Result<Bytes>> {
    let (sender, receiver) = channel(WAITING);
    let (app, owner) = (Arc::clone(app), caller.owner().to_string());
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || {
        let writer = PortionWriter { sender, handle };
        let mut out = BufWriter::with_capacity(PORTION, writer);
        let done = app.store.export(Key { owner: &owner, context: &id }, &mut out);
        if let Err(error) = done {
            // When the client is gone, the store has not failed.
            if !out.get_ref().sender.is_closed() {
                app.trouble(&error);
            }
            let broken = io::Error::other(error.to_string());
            // Nobody listens when the client is gone.
            let _ = out.get_ref().send(Err(broken));
        }
    });
    receiver
}

struct PortionWriter {
    sender: Sender<io::Result<Bytes>>,
    handle: Handle,
}

impl PortionWriter {
    fn send(&self, portion: io::Result<Bytes>) -> io::Result<()> {
        let sent = self.handle.block_on(tokio::time::timeout(STUCK, self.sender.send(portion)));
        sent?.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for PortionWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send(Ok(Bytes::copy_from_slice(bytes))).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

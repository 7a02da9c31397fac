//! `GET /v1/contexts/{id}/export`: a context as JSON lines, sent while they are read (CP-10).

use super::{ask, enter, note};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::door::path::Named;
use crate::serve::door::{Shared, answer};
use crate::serve::exchange::refusal;
use crate::serve::operations::audit::Deed;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use contexture::store::contexts::{ContextError, Key};
use contexture_protocol::{VERSION, VERSION_HEADER};
use futures_util::{StreamExt as _, stream};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// JSON lines.
pub(super) const LINES: &str = "application/x-ndjson";
/// The most portions that wait for the client.
const WAITING: usize = 4;
/// The size of a portion, in bytes.
const PORTION: usize = 64 << 10;
/// The time after which a client that reads nothing counts as gone: an export blocks a checkpoint.
const STUCK: Duration = Duration::from_secs(20);

/// `GET /v1/contexts/{id}/export`
pub(in crate::serve::door) async fn export(
    State(shared): State<Shared>,
    Named(id): Named,
    request: Request,
) -> Response {
    let work = async {
        let caller = enter(&shared, &request, &[Scope::Read])?;
        drop(request);
        let context = id.clone();
        // The status reports whether the context exists; later errors it can't.
        let head = ask(&shared.app, &caller, Some(&id), move |store, owner| {
            store.head(Key { owner, context: &context })
        });
        head.await?;
        let mut lines = begin(&shared.app, &caller, id.clone());
        // A context that can't be read at all has a status, too.
        let first = match lines.recv().await {
            Some(Ok(portion)) => portion,
            Some(Err(_)) | None => return Err(refusal(ContextError::Closed, Some(&id))),
        };
        note(&shared, &caller, Deed::Exported, &id);
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
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}

/// Reads on a separate thread. A failing export ends the response early.
fn begin(app: &Arc<App>, caller: &Caller, id: String) -> Receiver<io::Result<Bytes>> {
    let (sender, receiver) = channel(WAITING);
    let (app, owner) = (Arc::clone(app), caller.owner().to_string());
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || {
        let outlet = Outlet { sender, handle };
        let mut out = BufWriter::with_capacity(PORTION, outlet);
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

struct Outlet {
    sender: Sender<io::Result<Bytes>>,
    handle: Handle,
}

impl Outlet {
    fn send(&self, portion: io::Result<Bytes>) -> io::Result<()> {
        let sent = self.handle.block_on(tokio::time::timeout(STUCK, self.sender.send(portion)));
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send(Ok(Bytes::copy_from_slice(bytes))).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

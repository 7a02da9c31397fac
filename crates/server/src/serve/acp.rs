//! The Agent Client Protocol, version 1, over a pair of streams (WA-9).
//!
//! Decision: an editor is a client like any other. Its connection is a session of the server that
//! runs in this process: an ACP session is a context, a prompt a turn in it, and a question for
//! permission the call of `confirm_action` that every client gets. The eight messages are read and
//! written here, since the protocol's SDK has changed its interface with five major versions within
//! a year, and would add its own runtime of connections.

mod editor;
mod prompt;
mod rpc;
mod updates;

use super::frontend::calls;
use super::http::drain;
use super::operations::audit::{AuditEvent, AuditRecord};
use super::phase::Phase;
use super::{Serve, codes, neighbours};
use crate::fault::Fault;
use crate::serve::turn::parked;
use contexture::mcp::wire::{Line, Lines, MESSAGE_BYTES};
use editor::Editor;
use rmcp::transport::stdio_pipes;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

/// The time that cancelled prompts have to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time that an editor has to read the last answers.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves the editor that started the process on the standard streams, until stdin ends or `stop` is
/// done. Running prompts are cancelled then.
///
/// # Errors
/// A [`Fault`] when a stream fails.
pub async fn serve(serve: &Serve, stop: impl Future<Output = ()>) -> Result<(), Fault> {
    serve_on(serve, stdio_pipes(), stop).await
}

/// Serves on any pair of streams, one message per line.
///
/// # Errors
/// As [`serve`].
pub async fn serve_on<R, W>(
    serve: &Serve,
    (input, mut output): (R, W),
    stop: impl Future<Output = ()>,
) -> Result<(), Fault>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let app = Arc::clone(&serve.0);
    app.audit.note(&AuditRecord::new(AuditEvent::ServerStarted).with("listen", "stdio"));
    let looking = tokio::spawn(neighbours::look(Arc::clone(&app)));
    let mut editor = Editor::new(&app);
    let streams = (Lines::new(input, MESSAGE_BYTES), &mut output);
    let talked = talk(&mut editor, streams, stop).await;
    // An editor that is still there hears that its prompts are cancelled.
    let _ = timeout(PATIENCE, editor.finish()).await;
    let _ = timeout(FAREWELL, write(&mut output, editor.written())).await;
    looking.abort();
    let session = editor.leave();
    calls::left(&app, &session);
    app.phase.send_replace(Phase::Draining);
    parked::tell_all_draining(&app);
    drain(&app).await;
    app.end_session(&session);
    serve.close().await;
    talked.map_err(|error| {
        Fault::of(codes::TRANSPORT, format!("the connection to the editor failed: {error}"))
            .with_help("the editor starts the command and talks to it over stdin and stdout")
    })
}

/// Talks until the input ends or `stop` is done.
async fn talk<R, W>(
    editor: &mut Editor,
    (mut lines, output): (Lines<R>, &mut W),
    stop: impl Future<Output = ()>,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => return Ok(()),
            line = lines.next() => match line? {
                Line::Whole(line) => editor.take(&line).await,
                Line::TooLong(begin) => editor.too_long(&begin),
                Line::End => return Ok(()),
            },
            () = editor.hears() => {}
        }
        editor.pass_on();
        tokio::select! {
            biased;
            () = &mut stop => return Ok(()),
            written = write(output, editor.written()) => written?,
        }
    }
}

async fn write(output: &mut (impl AsyncWrite + Unpin), lines: Vec<u8>) -> io::Result<()> {
    output.write_all(&lines).await?;
    output.flush().await
}

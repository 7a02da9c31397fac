//! MCP over stdin and stdout: one client, which started the process.
//!
//! A message is one line of at most 16 MiB; the last one needs no line end. Invalid lines are answered
//! with JSON-RPC errors. The protocol of 2025-03-26 allows batches.

mod pending;
mod wire;

use crate::fault::Fault;
use crate::mcp::codes;
use crate::mcp::server::Server;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::stdio_pipes;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use wire::Wire;

/// The time that running programs have to end in order.
const PATIENCE: Duration = Duration::from_secs(3);

/// Serves on the standard streams until stdin ends or `stop` is done.
///
/// # Errors
/// A [`Fault`] when the connection fails, or its first message is not MCP.
pub async fn serve(server: &Server, stop: impl Future<Output = ()>) -> Result<(), Fault> {
    serve_on(server, stdio_pipes(), stop).await
}

/// Serves on any pair of streams, one message per line.
///
/// # Errors
/// As [`serve`].
pub async fn serve_on<R, W>(
    server: &Server,
    streams: (R, W),
    stop: impl Future<Output = ()>,
) -> Result<(), Fault>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let mut stop = std::pin::pin!(stop);
    let running = tokio::select! {
        running = serve_server(server.session(None), Wire::new(streams, server.clone())) => running,
        () = &mut stop => return Ok(()),
    };
    let running = match running {
        Ok(running) => running,
        // A client that disconnects before its first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(failed(&error.to_string())),
    };
    let end = running.cancellation_token();
    let mut waiting = std::pin::pin!(running.waiting());
    let ended = tokio::select! {
        ended = &mut waiting => ended,
        () = &mut stop => {
            server.stop();
            end.cancel();
            waiting.await
        }
    };
    // A cancelled run writes its trace to the end.
    let _ = tokio::time::timeout(PATIENCE, server.idle()).await;
    ended.map(drop).map_err(|error| failed(&error.to_string()))
}

fn failed(cause: &str) -> Fault {
    let cause: String = cause.chars().take(500).collect();
    Fault::of(codes::TRANSPORT, format!("the connection to the client failed: {cause}"))
        .with_help("the first message has to be `initialize`, one message on each line")
}

//! What is measured beside: as little as does the same on the wire.

use crate::Outcome;
use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::get;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

/// Runs a peer: `echo`, a WebSocket of axum that parses each text as JSON and sends it back written
/// anew; `accept`, which takes connections and holds them.
pub fn serve(what: &str) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        eprintln!("peer at http://{}", listener.local_addr()?);
        if what == "accept" {
            loop {
                let (mut stream, _) = listener.accept().await?;
                tokio::spawn(async move { while let Ok(1..) = stream.read(&mut [0; 64]).await {} });
            }
        }
        let router = Router::new().route("/v1/ws", get(open));
        Ok(axum::serve(listener, router).await?)
    })
}

async fn open(upgrade: WebSocketUpgrade) -> axum::response::Response {
    upgrade.on_upgrade(echo)
}

async fn echo(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let Message::Text(text) = message else { continue };
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { return };
        if socket.send(Message::Text(value.to_string().into())).await.is_err() {
            return;
        }
    }
}

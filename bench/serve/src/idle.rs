//! 10,000 connections that say nothing: the memory of each.

use crate::Outcome;
use crate::child::Server;
use crate::wire::Wire;
use std::time::Duration;

const CONNECTIONS: usize = 10_000;

pub async fn measure() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let bare = Server::peer("accept")?;
    let socket = each(&bare, false, false).await?;
    drop(bare);
    let echo = Server::peer("echo")?;
    let axum = each(&echo, true, false).await?;
    drop(echo);
    let ours = Server::ours(folder.path())?;
    let mine = each(&ours, true, true).await?;
    println!(
        "{CONNECTIONS} idle connections: {:.1} KB each, of a bare accept {:.1} KB, of a bare axum WebSocket {:.1} KB; beyond the accept's own {:.1} KB",
        mine / 1024.0,
        socket / 1024.0,
        axum / 1024.0,
        (mine - socket) / 1024.0
    );
    Ok(())
}

/// Memory of the server for one connection.
async fn each(server: &Server, is_socket: bool, says_hello: bool) -> Outcome<f64> {
    // What the first ones need that all share does not count.
    let mut wires = Vec::new();
    for _ in 0..100 {
        wires.push(open(server, is_socket, says_hello).await?);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = server.memory()?;
    for _ in 0..CONNECTIONS {
        wires.push(open(server, is_socket, says_hello).await?);
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok((server.memory()? - before) / CONNECTIONS as f64)
}

async fn open(server: &Server, is_socket: bool, says_hello: bool) -> Outcome<Wire> {
    match (is_socket, says_hello) {
        (false, _) => Wire::connect(server.address).await,
        (true, false) => Wire::open(server.address).await,
        (true, true) => Wire::session(server.address).await,
    }
}

//! The question whether a running server is ready, for health checks (WA-13).

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::time::Duration;
use tokio::net::TcpStream;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most of an answer that is read, in bytes.
const ANSWER: usize = 64 << 10;

/// Asks the server at an `http://` address for `/readyz`.
///
/// # Errors
/// The reason why it is not ready, in one line.
pub async fn ready(server: &str) -> Result<(), String> {
    match tokio::time::timeout(PATIENCE, ask(server)).await {
        Ok(answer) => answer,
        Err(_) => Err(format!("it does not answer within {} s", PATIENCE.as_secs())),
    }
}

async fn ask(server: &str) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let uri: Uri = server.parse().map_err(|error| told(&error))?;
    let Some(authority) = uri.authority().filter(|_| uri.scheme_str() == Some("http")) else {
        return Err("expected an address such as `http://127.0.0.1:7878`".to_owned());
    };
    let host = authority.host().trim_matches(['[', ']']);
    let port = authority.port_u16().unwrap_or(80);
    let stream = TcpStream::connect((host, port)).await.map_err(|error| told(&error))?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| told(&error))?;
    let asked = Request::get("/readyz").header(header::HOST, authority.as_str());
    let asked = asked.body(Empty::<Bytes>::new()).map_err(|error| told(&error))?;
    let answer = async {
        let answer = sender.send_request(asked).await.map_err(|error| told(&error))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), ANSWER).collect().await;
        let body = body.map_err(|error| told(&error))?.to_bytes();
        Ok::<_, String>((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    };
    let (status, body) = tokio::select! {
        answer = answer => answer?,
        Err(error) = connection => return Err(told(&error)),
    };
    reasons(status, &body)
}

fn reasons(status: StatusCode, body: &Value) -> Result<(), String> {
    let word = body.get("status").and_then(Value::as_str);
    let reasons: Vec<&str> = body
        .get("reasons")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match (status, word) {
        (StatusCode::OK, Some("ready")) => Ok(()),
        (StatusCode::SERVICE_UNAVAILABLE, Some(_)) if !reasons.is_empty() => {
            Err(reasons.join("; "))
        }
        _ => Err(format!("`/readyz` answers {status}, and not as a server of Contexture does")),
    }
}

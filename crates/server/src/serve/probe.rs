//! The question whether a running server is ready, for health checks (WA-13).

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::fmt;
use std::time::Duration;
use tokio::net::TcpStream;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most of an answer that is read, in bytes.
const ANSWER: usize = 64 << 10;

/// The reason why a server is not ready, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotReady {
    /// It is not the address of a server.
    Address,
    /// No server answers there.
    Unreachable(String),
    /// The server says so, or is none of Contexture.
    Refused(String),
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => f.write_str("expected an address such as `http://127.0.0.1:7878`"),
            Self::Unreachable(reason) | Self::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for NotReady {}

impl NotReady {
    /// Returns how to fix it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Address => "write the address that `contexture serve` tells when it starts",
            Self::Unreachable(_) => "start the server, or fix the address",
            Self::Refused(_) => "see the log of the server; `/readyz` names the reasons",
        }
    }
}

/// Asks the server at an `http://` address for `/readyz`.
///
/// # Errors
/// [`NotReady`].
pub async fn ready(server: &str) -> Result<(), NotReady> {
    match tokio::time::timeout(PATIENCE, ask(server)).await {
        Ok(answer) => answer,
        Err(_) => {
            let reason = format!("it does not answer within {} s", PATIENCE.as_secs());
            Err(NotReady::Unreachable(reason))
        }
    }
}

async fn ask(server: &str) -> Result<(), NotReady> {
    let told = |error: &dyn std::fmt::Display| NotReady::Unreachable(error.to_string());
    let uri: Uri = server.parse().map_err(|_| NotReady::Address)?;
    let Some(authority) = uri.authority().filter(|_| uri.scheme_str() == Some("http")) else {
        return Err(NotReady::Address);
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
        Ok::<_, NotReady>((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    };
    let (status, body) = tokio::select! {
        answer = answer => answer?,
        Err(error) = connection => return Err(told(&error)),
    };
    reasons(status, &body).map_err(NotReady::Refused)
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

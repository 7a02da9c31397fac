//! `http_get` and `http_send`, through the HTTP tool (AS-25).
//!
//! Decision: reading and changing are two actions, because the one may be repeated after a crash
//! and the other may not. The tool lets a program's own import name loopback; the URL of a flow may
//! come from anywhere, so here loopback needs an entry in `network.allow_private` too.

mod endpoint;

pub use endpoint::Endpoint;

use crate::failure::{invalid, of_tool};
use crate::result::noted;
use crate::shape::{Shape, one_of, text, text_if, text_of, whole};
use contexture_flow::action::{ActionCall, ActionFailure, ActionKind, Class, Registry};
use contexture_tools::Tools;
use contexture_tools::address::{Reach, Refused};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::Url;

/// The methods of `http_send`.
const METHODS: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

/// The parameter that distinguishes the attempts of one step (FL-11).
const KEY: &str = "idempotencyKey";

/// The header that carries it.
const KEY_HEADER: &str = "Idempotency-Key";

/// The longest `timeout`, in milliseconds.
const LONGEST_MS: u64 = 3_600_000;

pub(crate) fn register(registry: &mut Registry, tools: &Arc<Tools>, allow_private: &[String]) {
    let door = Arc::new(Door { tools: Arc::clone(tools), allow_private: allow_private.to_vec() });
    let words = "Fetches an http(s) URL and returns {value, ok, status, headers, source}; value is the JSON of the answer, or its text. An answer that is not 2xx is not a failure: look at `ok`.";
    let info = common(words).of(ActionKind::Query);
    let at = Arc::clone(&door);
    registry.add("http_get", info, move |call| {
        let door = Arc::clone(&at);
        async move { door.call("get", call).await }
    });

    let words = "Sends to an http(s) URL and returns {value, ok, status, headers, source}; value is the JSON of the answer, or its text. An answer that is not 2xx is not a failure: look at `ok`. `idempotencyKey`, else a key made of the run and the step, goes along as the header Idempotency-Key.";
    let info = common(words)
        .takes("method", one_of(&METHODS), "POST by default")
        .takes("body", json!({}), "a string is sent as it is, anything else as JSON")
        .of(ActionKind::Operation)
        .with_class(Class::Send);
    registry.add("http_send", info, move |call| {
        let door = Arc::clone(&door);
        async move {
            let method = text_if(&call, "method")?.unwrap_or("POST");
            if !METHODS.contains(&method) {
                let names = METHODS.join(", ");
                return Err(invalid(format!("`method`: expected one of {names}, found another")));
            }
            let method = method.to_ascii_lowercase();
            door.call(&method, call).await
        }
    });
}

fn common(words: &'static str) -> Shape {
    // Checked by the tool, which never repeats a header; a schema's violation would.
    let fields = json!({});
    Shape::new(words)
        .needs("url", text(), "the URL, with its query")
        .takes("headers", fields, "header names and values")
        .takes("timeout", whole(1, LONGEST_MS), "milliseconds for the whole call; 30000 by default")
}

struct Door {
    tools: Arc<Tools>,
    allow_private: Vec<String>,
}

impl Door {
    async fn call(&self, method: &str, call: ActionCall) -> Result<Value, ActionFailure> {
        let url = parse(text_of(&call, "url")?)?;
        require_public(&url, &self.allow_private).map_err(|refused| private(&refused))?;
        let origin = url.origin().ascii_serialization();
        let source = format!("{origin}{}", url.path());
        let mut argument = Map::from_iter([("url".to_owned(), url.as_str().into())]);
        let taken = ["headers", "body", "timeout"];
        argument.extend(call.parameters.into_iter().filter(|(name, _)| taken.contains(&&**name)));
        if method != "get" {
            carry(&mut argument, in_header(&call.key).into());
        }
        let output = self.tools.call(&origin, method, Value::Object(argument)).await;
        let output = output.map_err(of_tool)?;
        Ok(noted(result(output.value, &source), &output.notes))
    }
}

/// Checks that an address is public, or listed.
fn require_public(url: &Url, allow_private: &[String]) -> Result<(), Refused> {
    let Some(host) = url.host() else { return Ok(()) };
    let port = url.port_or_known_default().unwrap_or_default();
    if let url::Host::Domain(name) = &host
        && is_localhost(name)
    {
        // Its address is known without asking: it is checked as if the URL had it.
        let listed = Reach::public(&host, port, allow_private)? == Reach::Any;
        let loopback = url::Host::<&str>::Ipv4(std::net::Ipv4Addr::LOCALHOST);
        return if listed { Ok(()) } else { Reach::public(&loopback, port, &[]).map(|_| ()) };
    }
    Reach::public(&host, port, allow_private).map(|_| ())
}

/// Returns a key as a header can hold it.
fn in_header(key: &str) -> String {
    if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return key.to_owned();
    }
    url::form_urlencoded::byte_serialize(key.as_bytes()).collect()
}

/// Adds the key of the call as a header, so that the server can know a call that is repeated after
/// a crash (FL-11); a header of that name in the call itself stays as it is.
fn carry(argument: &mut Map<String, Value>, key: Value) {
    let headers = argument.entry("headers").or_insert_with(|| json!({}));
    if headers.is_null() {
        *headers = json!({});
    }
    // The tool reports what is not an object.
    let Some(headers) = headers.as_object_mut() else { return };
    if !headers.keys().any(|name| name.eq_ignore_ascii_case(KEY_HEADER)) {
        headers.insert(KEY_HEADER.to_owned(), key);
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Parses a URL without credentials; an error does not repeat it, since it may hold some.
fn parse(written: &str) -> Result<Url, ActionFailure> {
    let bad = |message: &str| Err(ActionFailure::new("HTTP_URL", message));
    let Ok(url) = Url::parse(written) else {
        return bad("`url`: expected an absolute URL such as https://api.example.com/data");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return bad("`url`: expected a URL that begins with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("`url` must not hold credentials: pass them as an Authorization header");
    }
    Ok(url)
}

fn private(refused: &Refused) -> ActionFailure {
    let message = format!(
        "{refused}: if this is meant, add the host to `network.allow_private` in contexture.toml"
    );
    ActionFailure::new("HTTP_PRIVATE_ADDRESS", message)
}

/// Returns the tool's answer under the names of the protocol.
fn result(mut answer: Value, source: &str) -> Value {
    let mut take = |name: &str| answer.get_mut(name).map(Value::take).unwrap_or_default();
    let (json, body) = (take("json"), take("body"));
    let value = if json.is_null() { body } else { json };
    json!({
        "value": value,
        "ok": take("ok"),
        "status": take("status"),
        "headers": take("headers"),
        "source": source,
    })
}

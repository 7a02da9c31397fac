//! `http(s)://origin`: requests to one origin and nowhere else (AS-25).
//!
//! Decisions: redirects are followed while they stay on the origin and refused when they leave it;
//! an address is checked where the name is resolved, so what was checked is what is connected to;
//! the proxy of the environment is not used, since behind it nobody could tell the address. No
//! error repeats a header, a query or a body.

mod client;
mod error;
mod headers;
mod origin;
mod request;
mod response;
#[cfg(test)]
mod tests;

pub(crate) use client::Clients;
pub(crate) use headers::secrets_in;
pub use origin::Origin;
pub(crate) use request::call;

use crate::method::{Effect, Kind, Method, Parameter, needs, takes};

/// The longest `timeout`, in milliseconds.
const LONGEST_MS: u64 = 3_600_000;

const URL: Parameter =
    needs("url", Kind::Text, "the path and query, relative to the origin, such as \"/api/data\"");
const HEADERS: Parameter = takes("headers", Kind::Fields, "header names and values");
const BODY: Parameter =
    takes("body", Kind::Any, "a string is sent as it is, anything else as JSON");
const TIMEOUT: Parameter =
    takes("timeout", Kind::Count(LONGEST_MS), "milliseconds for the whole call; 30000 by default");

const ASK: &[Parameter] = &[URL, HEADERS, TIMEOUT];
const SEND: &[Parameter] = &[URL, HEADERS, BODY, TIMEOUT];

pub(crate) const METHODS: &[Method] = &[
    method(
        "get",
        Effect::Fetch,
        "Fetches a resource. Returns {ok, status, headers, body, json}.",
        ASK,
    ),
    method("head", Effect::Fetch, "Fetches the headers of a resource alone.", ASK),
    method(
        "post",
        Effect::Write,
        "Posts to a resource. Returns {ok, status, headers, body, json}.",
        SEND,
    ),
    method(
        "put",
        Effect::Write,
        "Puts a resource. Returns {ok, status, headers, body, json}.",
        SEND,
    ),
    method(
        "patch",
        Effect::Write,
        "Patches a resource. Returns {ok, status, headers, body, json}.",
        SEND,
    ),
    method(
        "delete",
        Effect::Write,
        "Deletes a resource. Returns {ok, status, headers, body, json}.",
        SEND,
    ),
];

const fn method(
    name: &'static str,
    effect: Effect,
    description: &'static str,
    parameters: &'static [Parameter],
) -> Method {
    Method { name, effect, description, parameters }
}

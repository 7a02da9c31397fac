//! `/demo/`: a page that talks to the agents and demonstrates front-end tools (CP-16).
//!
//! Decision: the page is part of the program and public, since it contains no data of
//! anybody; it then uses the same API as any client. Its policy lets only
//! its own scripts run, and no text become markup (CP-19).

use super::answer;
use super::shared::Shared;
use crate::web;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::response::{Redirect, Response};

/// The name, content type and text of each file, generated from the sources of the client.
static FILES: &[(&str, &str, &str)] = include!("../../../assets/demo.rs");

/// `GET /demo`: redirects, as the links of the page are relative to its folder.
pub(super) async fn folder() -> Redirect {
    Redirect::permanent("/demo/")
}

pub(super) async fn index(shared: State<Shared>) -> Response {
    file(shared, Path("index.html".to_owned())).await
}

pub(super) async fn file(shared: State<Shared>, Path(path): Path<String>) -> Response {
    let Some(mut response) = web::page_file(FILES, &path) else {
        return answer::no_such_path(shared).await;
    };
    let features = HeaderValue::from_static("camera=(self), geolocation=(self)");
    response.headers_mut().insert("permissions-policy", features);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_16_demo_page_has_all_referenced_files() {
        let has = |name: &str| FILES.iter().any(|(known, ..)| *known == name);
        for name in ["index.html", "page.css", "page.js", "icon.svg", "client.js"] {
            assert!(has(name), "{name}");
        }
        for (name, kind, text) in FILES {
            assert!(kind.ends_with("; charset=utf-8"), "{name}: {kind}");
            assert!(!text.is_empty(), "{name}");
        }
    }
}

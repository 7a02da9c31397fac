//! The page: files that the program carries (IN-16).

use super::answers::{Answer, Refused};
use crate::web;
use axum::extract::Path;
use axum::http::StatusCode;

/// The name, content type and text of each file, generated from the sources of the page.
pub(super) static FILES: &[(&str, &str, &str)] = include!("../../assets/inspect.rs");

pub(super) async fn index() -> Answer {
    file(Path("index.html".to_owned())).await
}

pub(super) async fn file(Path(path): Path<String>) -> Answer {
    web::page_file(FILES, &path).ok_or_else(|| {
        let message = format!("there is nothing at `/{path}`");
        Refused::new(StatusCode::NOT_FOUND, "path_unknown", message)
    })
}

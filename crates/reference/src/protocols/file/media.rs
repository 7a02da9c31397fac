//! Media types by the ending of a name.

/// Returns the media type of a file; `text/plain` when the ending says nothing.
pub(in crate::protocols) fn of_name(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("md" | "markdown") => "text/markdown",
        Some("json" | "jsonl") => "application/json",
        Some("yaml" | "yml") => "application/yaml",
        Some("toml") => "application/toml",
        Some("html" | "htm") => "text/html",
        Some("csv") => "text/csv",
        Some("xml") => "application/xml",
        Some("js" | "mjs") => "text/javascript",
        Some("css") => "text/css",
        Some("pdf") => "application/pdf",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("svg") => "image/svg+xml",
        Some("zip") => "application/zip",
        Some("gz") => "application/gzip",
        _ => "text/plain",
    }
}

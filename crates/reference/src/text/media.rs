//! Media types and their charsets: `text/html; charset=gbk`.

use encoding_rs::Encoding;

/// Returns a media type without its parameters, in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Reports whether a media type has neither parameters nor anything else to take away.
pub(crate) fn is_essence(media_type: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b';' && !byte.is_ascii_uppercase();
    media_type.bytes().all(plain)
}

/// Returns the charset that a media type names, if it is one that can be decoded.
pub(crate) fn charset(media_type: &str) -> Option<&str> {
    let parameters = media_type.split(';').skip(1);
    let charsets = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    });
    charsets.take(1).find(|charset| Encoding::for_label(charset.as_bytes()).is_some())
}

/// Returns the media type of a file by the ending of its name; `text/plain` when it is unknown.
pub(crate) fn media_type_of(name: &str) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_22_charset_is_reported_by_media_type() {
        assert_eq!(charset("text/html; charset=GBK"), Some("GBK"));
        assert_eq!(charset("text/html;x=1; Charset=\"utf-8\""), Some("utf-8"));
        assert_eq!(charset("text/html; charset=klingon"), None);
        assert_eq!(charset("text/html"), None);
        assert_eq!(essence(" Text/HTML ; charset=x"), "text/html");
        assert_eq!(essence(""), "");
        assert!(is_essence("application/vnd.x+json"));
        for other in ["text/html;x=1", "Text/html", "text/html "] {
            assert!(!is_essence(other), "{other}");
        }
    }
}

//! The URIs of packs as resources: `knowledge://NAME` and `knowledge://NAME/PATH`.

use crate::web::encoded;
use percent_encoding::percent_decode_str;

const SCHEME: &str = "knowledge://";

pub(crate) fn of_pack(name: &str) -> String {
    format!("{SCHEME}{}", encoded(name))
}

pub(crate) fn of_file(name: &str, path: &str) -> String {
    let path: Vec<String> = path.split('/').map(encoded).collect();
    format!("{}/{}", of_pack(name), path.join("/"))
}

/// Returns the pack and the path of a URI; `None` for another kind of URI.
pub(crate) fn parse(uri: &str) -> Option<(String, Option<String>)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (name, path) = match rest.split_once('/') {
        Some((name, path)) => (name, Some(path).filter(|path| !path.is_empty())),
        None => (rest, None),
    };
    let name = decoded(name)?;
    let path = path.map(decoded);
    if name.is_empty() || path == Some(None) { None } else { Some((name, path.flatten())) }
}

fn decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut escapes = text.match_indices('%');
    let is_valid = escapes.all(|(at, _)| is_hex(at + 1) && is_hex(at + 2));
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    is_valid.then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_16_uris_of_packs_and_files_round_trip() {
        for (name, path) in [("acme", "wiki/a b.md"), ("品牌", "文档/产品?.md"), ("a%b", "c#d/e")]
        {
            assert_eq!(parse(&of_pack(name)), Some((name.to_owned(), None)));
            let file = of_file(name, path);
            assert_eq!(parse(&file), Some((name.to_owned(), Some(path.to_owned()))), "{file}");
        }
        assert_eq!(of_file("acme", "wiki/a b.md"), "knowledge://acme/wiki/a%20b.md");
        assert_eq!(parse("knowledge://acme/"), Some(("acme".to_owned(), None)));
        for wrong in [
            "file:///etc/passwd",
            "knowledge://",
            "knowledge:///a",
            "knowledge://a%2",
            "knowledge://a%ff",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}

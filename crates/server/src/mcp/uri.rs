//! The URIs of packs as resources: `knowledge://NAME` and `knowledge://NAME/PATH`.

use std::fmt::Write as _;

/// The scheme of the URIs.
const SCHEME: &str = "knowledge://";

/// Returns the URI of the guide of a pack.
pub(crate) fn of_pack(name: &str) -> String {
    format!("{SCHEME}{}", encoded(name))
}

/// Returns the URI of a file in a pack.
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
    let path = match path {
        Some(path) => Some(decoded(path)?),
        None => None,
    };
    (!name.is_empty()).then_some((name, path))
}

fn encoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            // Writing to a string can't fail.
            byte => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let mut digit = || char::from(*rest.next()?).to_digit(16);
        let value = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
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

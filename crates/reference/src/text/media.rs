//! Media types and their charsets: `text/html; charset=gbk`.

use encoding_rs::Encoding;

/// A media type without its parameters, in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// The charset that a media type names, if it is one that can be decoded.
pub(crate) fn charset(media_type: &str) -> Option<&str> {
    let parameters = media_type.split(';').skip(1);
    let charsets = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    });
    charsets.take(1).find(|charset| Encoding::for_label(charset.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_22_the_charset_is_told_by_the_media_type() {
        assert_eq!(charset("text/html; charset=GBK"), Some("GBK"));
        assert_eq!(charset("text/html;x=1; Charset=\"utf-8\""), Some("utf-8"));
        assert_eq!(charset("text/html; charset=klingon"), None);
        assert_eq!(charset("text/html"), None);
        assert_eq!(essence(" Text/HTML ; charset=x"), "text/html");
        assert_eq!(essence(""), "");
    }
}

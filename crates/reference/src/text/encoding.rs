//! From bytes to text (REF-13, REF-14).

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The reason why bytes could not be read as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There is no encoding of that name.
    #[error("there is no encoding `{0}`")]
    Unknown(String),
    /// A byte that the encoding does not have.
    #[error("the bytes are not {name}: byte {offset} does not fit")]
    Malformed {
        /// The encoding.
        name: &'static str,
        /// The first byte that does not fit, from 0; exact for UTF-8.
        offset: usize,
    },
    /// There is a NUL byte, as programs and pictures have.
    #[error("it is binary (a NUL byte at offset {0})")]
    Binary(usize),
}

impl DecodeError {
    /// Returns the way to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Unknown(_) => {
                "write a name of the Encoding Standard, such as utf-8, gbk, big5, shift_jis or \
                 windows-1252"
                    .to_owned()
            }
            Self::Malformed { .. } => {
                "name its encoding, such as `?encoding=gbk`, or save it as UTF-8".to_owned()
            }
            Self::Binary(_) => "load a text; `@base64:…` shows bytes as text".to_owned(),
        }
    }
}

/// Returns the text of `bytes` without a byte order mark.
///
/// A byte order mark decides over `label`. Without both, the bytes are UTF-8. Nothing is replaced:
/// what does not fit is an error.
///
/// # Errors
/// [`DecodeError`] when the label is unknown or the bytes don't fit the encoding.
pub fn decode(bytes: &[u8], label: Option<&str>) -> Result<String, DecodeError> {
    let named = match label {
        None => UTF_8,
        Some(label) => Encoding::for_label(label.trim().as_bytes())
            .ok_or_else(|| DecodeError::Unknown(label.to_owned()))?,
    };
    let (encoding, skip) = Encoding::for_bom(bytes).unwrap_or((named, 0));
    let body = bytes.get(skip..).unwrap_or_default();
    let wide = encoding == UTF_16LE || encoding == UTF_16BE;
    if let (false, Some(offset)) = (wide, memchr::memchr(0, body)) {
        return Err(DecodeError::Binary(offset + skip));
    }
    let malformed = |offset| DecodeError::Malformed { name: encoding.name(), offset };
    if encoding == UTF_8 {
        let text = std::str::from_utf8(body);
        return text.map(str::to_owned).map_err(|error| malformed(error.valid_up_to() + skip));
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(body);
    text.map(std::borrow::Cow::into_owned).ok_or_else(|| malformed(skip))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_14_encoding_is_named_or_told_by_byte_order_mark() {
        assert_eq!(decode("中文".as_bytes(), None).unwrap(), "中文");
        assert_eq!(decode("\u{feff}中文".as_bytes(), None).unwrap(), "中文");
        assert_eq!(decode(&[0xd6, 0xd0, 0xce, 0xc4], Some("gbk")).unwrap(), "中文");
        assert_eq!(decode(&[0xe9], Some("latin1")).unwrap(), "é");
        assert_eq!(decode(&[0xff, 0xfe, 0x2d, 0x4e], None).unwrap(), "中");
        assert_eq!(decode(&[0xfe, 0xff, 0x4e, 0x2d], Some("utf-8")).unwrap(), "中");
    }

    #[test]
    fn ref_14_nothing_is_replaced() {
        let malformed = DecodeError::Malformed { name: "UTF-8", offset: 2 };
        assert_eq!(decode(b"ab\xff", None).unwrap_err(), malformed);
        assert_eq!(decode(b"a\0b", None).unwrap_err(), DecodeError::Binary(1));
        assert!(matches!(decode(&[0x81], Some("gbk")), Err(DecodeError::Malformed { .. })));
        let unknown = DecodeError::Unknown("klingon".to_owned());
        assert_eq!(decode(b"a", Some("klingon")).unwrap_err(), unknown);
    }
}

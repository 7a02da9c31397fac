//! The attachments of a message (CP-2).
//!
//! Decision: a program gets attachments as they are sent and shows them with `use`, and only those
//! that it shows are fetched: by the protocols that load references, so with the same limits and
//! the same rules for addresses. The content of a `data:` URL is not copied into the program's
//! values: there its `url` is a handle.

use crate::run::result::SetupError;
use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The most attachments of one message.
const MOST: usize = 32;

/// A file that a user attached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its kind.
    pub kind: AttachmentKind,
    /// Its URL: `https:`, `http:` or `data:`.
    pub url: String,
    /// `fileName`, `fileSize` in bytes, `mimeType`, and any other data of the client.
    pub metadata: Map<String, Value>,
}

/// The kinds of attachments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AttachmentKind {
    /// A picture.
    Image,
    /// A file.
    File,
    /// A sound.
    Audio,
    /// A film.
    Video,
}

impl AttachmentKind {
    /// Returns the word of the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "IMAGE",
            Self::File => "FILE",
            Self::Audio => "AUDIO",
            Self::Video => "VIDEO",
        }
    }

    /// Returns the kind of a word of the protocol.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Image, Self::File, Self::Audio, Self::Video]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }
}

/// The attachments of a turn, each under the URL by which the program knows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attachments {
    all: Vec<Attached>,
}

/// An attachment as a program knows it.
#[derive(Debug, Clone)]
pub(crate) struct Attached {
    /// The URL in the program's value.
    pub(crate) handle: String,
    pub(crate) attachment: Attachment,
    /// Its place in the message, from 0.
    pub(crate) place: usize,
}

impl Attachments {
    /// Takes the attachments of a message.
    pub(super) fn of(attachments: &[Attachment]) -> Result<Self, SetupError> {
        if attachments.len() > MOST {
            let message = format!(
                "the message has {} attachments, and at most {MOST} are taken",
                attachments.len()
            );
            let help = Some("send them in several messages".to_owned());
            return Err(SetupError::new("attachment_limit", message, help));
        }
        let all = attachments.iter().enumerate().map(|(index, attachment)| {
            let number = index + 1;
            let scheme = attachment.url.split_once(':').map_or("", |(scheme, _)| scheme);
            let handle = match scheme.to_ascii_lowercase().as_str() {
                "data" => format!("attachment:{number}"),
                "http" | "https" => attachment.url.clone(),
                _ => {
                    let message = format!("attachment {number} has no address that can be read");
                    let help = Some("give an `https:` or a `data:` URL".to_owned());
                    return Err(SetupError::new("attachment_url", message, help));
                }
            };
            Ok(Attached { handle, attachment: attachment.clone(), place: index })
        });
        Ok(Self { all: all.collect::<Result<_, _>>()? })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the values that a program gets.
    pub(super) fn values(&self) -> Value {
        self.all.iter().map(Attached::value).collect()
    }

    /// Returns the attachments in a value that is one of them, or a list of nothing else.
    pub(crate) fn among(&self, value: &Value) -> Vec<&Attached> {
        let one = |value: &Value| {
            self.all.iter().find(|attached| {
                value.get("url").and_then(Value::as_str) == Some(&attached.handle)
                    && attached.value() == *value
            })
        };
        match value {
            Value::Array(items) => {
                let found: Option<Vec<&Attached>> = items.iter().map(one).collect();
                found.unwrap_or_default()
            }
            value => one(value).into_iter().collect(),
        }
    }
}

impl Attached {
    fn value(&self) -> Value {
        let Attachment { kind, metadata, .. } = &self.attachment;
        json!({ "type": kind.as_str(), "url": self.handle, "metadata": metadata })
    }

    fn said(&self, name: &str) -> Option<&str> {
        self.attachment.metadata.get(name).and_then(Value::as_str)
    }

    /// Returns its name in a prompt and in messages.
    pub(crate) fn name(&self) -> String {
        let own = self.said("fileName").filter(|name| !name.trim().is_empty());
        let shown = own.unwrap_or(&self.handle);
        let shown = shown.split(['?', '#']).next().unwrap_or_default();
        shown.chars().filter(|sign| !sign.is_control()).take(200).collect()
    }

    /// Returns the media type that the client reports.
    pub(crate) fn mime_type(&self) -> Option<&str> {
        self.said("mimeType")
    }
}

/// Returns the media type and the bytes of a `data:` URL, at most `limit` bytes.
pub(crate) fn data_url(url: &str, limit: u64) -> Result<(String, Vec<u8>), String> {
    let rest = url.get("data:".len()..).unwrap_or_default();
    let (head, body) =
        rest.split_once(',').ok_or("a `data:` URL has a comma before its content")?;
    let (media, encoded) = match head.strip_suffix(";base64") {
        Some(media) => (media, true),
        None => (head, false),
    };
    // Base64 takes four characters for three bytes, percent signs three for one.
    let least = if encoded { body.len() / 4 * 3 } else { body.len() / 3 };
    let too_large = || format!("it has more than {limit} bytes");
    if least.saturating_sub(3) as u64 > limit {
        return Err(too_large());
    }
    let body = percent_decoded(body)?;
    let bytes = if encoded { base64_decoded(&body)? } else { body };
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    let media = media.split(';').next().filter(|media| !media.is_empty()).unwrap_or("text/plain");
    Ok((media.to_ascii_lowercase(), bytes))
}

fn base64_decoded(text: &[u8]) -> Result<Vec<u8>, String> {
    let any = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let text: Vec<u8> = text.iter().copied().filter(|sign| !sign.is_ascii_whitespace()).collect();
    let alphabets = [base64::alphabet::STANDARD, base64::alphabet::URL_SAFE];
    let decoded =
        alphabets.iter().find_map(|alphabet| GeneralPurpose::new(alphabet, any).decode(&text).ok());
    decoded.ok_or_else(|| "its content is no Base64".to_owned())
}

fn percent_decoded(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let value = digit(bytes.next()).zip(digit(bytes.next()));
        let value = value.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        out.push(value.ok_or("a `%` in it is followed by no two hexadecimal digits")?);
    }
    Ok(out)
}

/// Encodes bytes in Base64, as the protocols of models require.
pub(crate) fn base64_of(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment(url: &str) -> Attachment {
        let metadata = Map::from_iter([("fileName".to_owned(), json!("a.txt"))]);
        Attachment { kind: AttachmentKind::File, url: url.to_owned(), metadata }
    }

    #[test]
    fn cp_2_data_urls_are_decoded_within_limit() {
        let read = |url: &str| data_url(url, 10);
        assert_eq!(read("data:,a%20b"), Ok(("text/plain".to_owned(), b"a b".to_vec())));
        assert_eq!(
            read("data:Text/CSV;charset=utf-8;base64,YSxi"),
            Ok(("text/csv".to_owned(), b"a,b".to_vec()))
        );
        assert_eq!(read("data:;base64,-_8"), Ok(("text/plain".to_owned(), vec![0xfb, 0xff])));
        assert_eq!(read("DATA:,x").unwrap().1, b"x");
        for bad in
            ["data:", "data:text/plain", "data:,%4", "data:,%zz", "data:;base64,a", "data:,é"]
        {
            assert_eq!(read(bad).is_err(), bad != "data:,é", "{bad}");
        }
        assert!(read("data:,01234567890").unwrap_err().contains("more than 10 bytes"));
        let long = format!("data:;base64,{}", "A".repeat(1000));
        assert!(read(&long).unwrap_err().contains("more than 10 bytes"));
    }

    #[test]
    fn cp_2_a_program_knows_attachments_by_handles_and_what_it_shows_is_found_again() {
        let all = Attachments::of(&[attachment("data:,secret"), attachment("https://a.example/b")])
            .unwrap();
        let values = all.values();
        assert_eq!(values[0]["url"], "attachment:1");
        assert_eq!(values[1]["url"], "https://a.example/b");
        assert!(!values.to_string().contains("secret"));
        assert_eq!(all.among(&values).len(), 2);
        assert_eq!(all.among(&values[1]).len(), 1);
        assert!(all.among(&json!([values[0], 3])).is_empty());
        assert!(all.among(&json!({ "url": "attachment:1" })).is_empty());
        assert!(all.among(&json!([])).is_empty());
    }

    #[test]
    fn cp_2_attachments_need_valid_address_and_are_limited_in_number() {
        for url in ["", "file:///etc/passwd", "ftp://a/b", "javascript:alert(1)", "a.png"] {
            assert_eq!(Attachments::of(&[attachment(url)]).unwrap_err().code, "attachment_url");
        }
        let many = vec![attachment("data:,a"); MOST + 1];
        assert_eq!(Attachments::of(&many).unwrap_err().code, "attachment_limit");
    }
}

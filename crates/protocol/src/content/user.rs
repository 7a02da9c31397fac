//! USER_INPUT.

use crate::number::Count;
use crate::record::{record, words};

record! {
    /// The input of a user (3.1).
    #[derive(Default)]
    pub struct UserInput {
        /// The text.
        required text: String = "text",
        /// The attached files and media.
        optional attachments: Option<Vec<Attachment>> = "attachments",
    }
}

impl UserInput {
    /// Creates an input without attachments.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

record! {
    /// A file or a medium. It becomes a context item (CP-2).
    pub struct Attachment {
        /// Its kind.
        required kind: AttachmentKind = "type",
        /// The URL.
        required url: String = "url",
        /// Its metadata.
        optional metadata: Option<AttachmentMetadata> = "metadata",
    }
}

record! {
    /// The metadata of an attachment.
    #[derive(Default)]
    pub struct AttachmentMetadata {
        /// The name of the file.
        optional file_name: Option<String> = "fileName",
        /// Its size in bytes.
        optional file_size: Option<Count> = "fileSize",
        /// Its media type, such as `image/jpeg`.
        optional mime_type: Option<String> = "mimeType",
    }
}

words! {
    /// The kind of an attachment.
    pub enum AttachmentKind {
        /// A picture.
        Image = "IMAGE",
        /// A file.
        File = "FILE",
        /// Sound.
        Audio = "AUDIO",
        /// A film.
        Video = "VIDEO",
    }
}

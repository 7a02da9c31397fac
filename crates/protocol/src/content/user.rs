//! USER_INPUT.

use crate::number::Count;
use crate::record::{record, words};

record! {
    /// What a user says to the model (3.1).
    #[derive(Default)]
    pub struct UserInput {
        /// The text.
        required text: String = "text",
        /// Files and media that go with it.
        optional attachments: Option<Vec<Attachment>> = "attachments",
    }
}

impl UserInput {
    /// A text without attachments.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

record! {
    /// A file or a medium. It becomes a context item (CP-2).
    pub struct Attachment {
        /// What it is.
        required kind: AttachmentKind = "type",
        /// Where it can be fetched.
        required url: String = "url",
        /// What is known of it.
        optional metadata: Option<AttachmentMetadata> = "metadata",
    }
}

record! {
    /// What is known of an attachment.
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
    /// What an attachment is.
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

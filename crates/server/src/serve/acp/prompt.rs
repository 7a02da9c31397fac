//! The content of a prompt: its text, and what is attached to it.
//!
//! Decision: text of the person is the input; a file that the editor embeds is an attachment, which a
//! program shows to its model with `use`, fenced as any other file of a user.

use super::rpc::RpcError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contexture::turn::{Attachment, AttachmentKind};
use serde_json::{Map, Value};

/// What a person asks.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Prompt {
    pub(super) text: String,
    pub(super) attachments: Vec<Attachment>,
}

impl Prompt {
    /// Reads the blocks of a prompt.
    ///
    /// # Errors
    /// [`RpcError`] with the place of a block that is none, or an empty prompt.
    pub(super) fn read(blocks: &Value, takes_attachments: bool) -> Result<Self, RpcError> {
        let blocks = blocks.as_array().filter(|blocks| !blocks.is_empty());
        let blocks =
            blocks.ok_or_else(|| RpcError::params("`prompt` has to be a list of content"))?;
        let mut prompt = Self::default();
        for (place, block) in blocks.iter().enumerate() {
            let block = Block { at: format!("prompt[{place}]"), fields: block };
            prompt.add(&block, takes_attachments)?;
        }
        Ok(prompt)
    }

    fn add(&mut self, block: &Block<'_>, takes_attachments: bool) -> Result<(), RpcError> {
        match block.text("type")? {
            "text" => self.text.push_str(block.text("text")?),
            "image" => self.attach(AttachmentKind::Image, block.data()?, block, "image")?,
            "audio" => self.attach(AttachmentKind::Audio, block.data()?, block, "audio")?,
            "resource_link" => self.link(block, takes_attachments)?,
            "resource" => {
                let resource = block.inner("resource")?;
                let kind = resource.optional("mimeType").unwrap_or("text/plain");
                let content = match resource.optional("text") {
                    Some(text) => STANDARD.encode(text),
                    None => resource.text("blob")?.to_owned(),
                };
                let url = format!("data:{kind};base64,{content}");
                self.attach(AttachmentKind::File, url, &resource, resource.text("uri")?)?;
            }
            other => {
                let expected = "text, image, audio, resource or resource_link";
                return Err(block.wrong("type", &format!("{expected}, found `{other}`")));
            }
        }
        Ok(())
    }

    /// Adds a link: what the web has is an attachment, if the agent takes any; another one is named
    /// in the text, and the program decides whether it reads it.
    fn link(&mut self, block: &Block<'_>, takes_attachments: bool) -> Result<(), RpcError> {
        let (uri, name) = (block.text("uri")?, block.text("name")?);
        if takes_attachments && (uri.starts_with("https:") || uri.starts_with("http:")) {
            return self.attach(AttachmentKind::File, uri.to_owned(), block, name);
        }
        self.text.push_str(&format!("[@{name}]({uri})"));
        Ok(())
    }

    fn attach(
        &mut self,
        kind: AttachmentKind,
        url: String,
        block: &Block<'_>,
        name: &str,
    ) -> Result<(), RpcError> {
        let name = name.rsplit('/').next().unwrap_or(name);
        let mut metadata = Map::from_iter([("fileName".to_owned(), Value::from(name))]);
        if let Some(kind) = block.optional("mimeType") {
            metadata.insert("mimeType".to_owned(), Value::from(kind));
        }
        self.attachments.push(Attachment { kind, url, metadata });
        Ok(())
    }
}

/// A block, and its place.
struct Block<'v> {
    at: String,
    fields: &'v Value,
}

impl<'v> Block<'v> {
    fn optional(&self, name: &str) -> Option<&'v str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    fn text(&self, name: &str) -> Result<&'v str, RpcError> {
        self.optional(name).ok_or_else(|| self.wrong(name, "a text"))
    }

    fn inner(&self, name: &str) -> Result<Self, RpcError> {
        let fields = self.fields.get(name).filter(|inner| inner.is_object());
        let fields = fields.ok_or_else(|| self.wrong(name, "an object"))?;
        Ok(Self { at: format!("{}.{name}", self.at), fields })
    }

    /// Returns the URL of the data of a picture or sound.
    fn data(&self) -> Result<String, RpcError> {
        Ok(format!("data:{};base64,{}", self.text("mimeType")?, self.text("data")?))
    }

    fn wrong(&self, name: &str, expected: &str) -> RpcError {
        RpcError::params(format!("{}.{name}: expected {expected}", self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wa_9_blocks_of_prompt_are_text_and_attachments() {
        let prompt = Prompt::read(
            &json!([
                { "type": "text", "text": "看 " },
                { "type": "resource_link", "uri": "file:///w/a.rs", "name": "a.rs" },
                { "type": "resource_link", "uri": "https://h/b.txt", "name": "b.txt" },
                { "type": "resource", "resource": { "uri": "file:///w/c.md", "text": "x" } },
                { "type": "image", "mimeType": "image/png", "data": "aa==" },
            ]),
            true,
        );
        let prompt = prompt.unwrap();
        assert_eq!(prompt.text, "看 [@a.rs](file:///w/a.rs)");
        let attached = prompt.attachments.iter().map(|one| (one.url.as_str(), &one.metadata));
        let attached: Vec<_> =
            attached.map(|(url, data)| (url, data["fileName"].clone())).collect();
        assert_eq!(
            attached,
            [
                ("https://h/b.txt", json!("b.txt")),
                ("data:text/plain;base64,eA==", json!("c.md")),
                ("data:image/png;base64,aa==", json!("image")),
            ]
        );
    }

    #[test]
    fn wa_9_link_is_taken_by_every_agent() {
        let link = json!([{ "type": "resource_link", "uri": "https://h/b.txt", "name": "b.txt" }]);
        let prompt = Prompt::read(&link, false).unwrap();
        assert_eq!(prompt.text, "[@b.txt](https://h/b.txt)");
        assert!(prompt.attachments.is_empty());
    }

    #[test]
    fn wa_9_content_of_unknown_kind_or_form_is_refused_with_its_place() {
        for (blocks, told) in [
            (json!([]), "`prompt` has to be"),
            (json!("hello"), "`prompt` has to be"),
            (json!([{ "type": "text" }]), "prompt[0].text: expected a text"),
            (json!([{ "type": "text", "text": "a" }, { "type": "hologram" }]), "prompt[1].type"),
            (json!([{ "type": "resource", "resource": {} }]), "prompt[0].resource.blob"),
            (json!([null]), "prompt[0].type"),
        ] {
            let error = format!("{:?}", Prompt::read(&blocks, true).unwrap_err());
            assert!(error.contains(told), "{blocks}: {error}");
        }
    }
}

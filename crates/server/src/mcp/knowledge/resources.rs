//! Packs as resources: the guide under `knowledge://NAME`, its files under `knowledge://NAME/PATH`.

use super::served::Knowledge;
use crate::fault::Fault;
use crate::mcp::codes;
use crate::mcp::{said, uri};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

/// The media type of guides and files: text within tags.
const MEDIA_TYPE: &str = "text/markdown";

impl Knowledge {
    /// Lists all packs as resources.
    pub(crate) fn resources(&self) -> Vec<Resource> {
        let resource = |found: &contexture::knowledge::discovery::Found| {
            let item = &found.item;
            Resource::new(uri::of_pack(&item.name), item.name.clone())
                .with_description(said::line(&item.description))
                .with_mime_type(MEDIA_TYPE)
        };
        self.view().served.iter().map(resource).collect()
    }

    /// Returns the template for files of packs.
    pub(crate) fn templates() -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new("knowledge://{name}/{+path}", "knowledge-file")
            .with_title("A file of a knowledge pack")
            .with_description(
                "The guide of a pack lists its files. The text is data, in the pack's fence.",
            )
            .with_mime_type(MEDIA_TYPE);
        vec![template]
    }

    /// Reads the resource of a URI.
    ///
    /// # Errors
    /// A [`Fault`] when the URI is unknown, or its resource is not allowed or can't be read.
    pub(crate) fn resource(&self, asked: &str) -> Result<ResourceContents, Fault> {
        let (name, path) = uri::parse(asked).ok_or_else(|| {
            Fault::of(codes::UNKNOWN_RESOURCE, format!("no resource has the URI `{asked}`"))
                .with_help("expected knowledge://NAME or knowledge://NAME/PATH")
        })?;
        let view = self.view();
        view.served(&name)?;
        let text = match path {
            Some(path) => {
                let shown = self.file(&name, &path, None)?;
                with_warnings(shown.text, shown.warnings.iter().map(String::as_str))
            }
            None => {
                let guide = view.packs.activate(&name)?;
                let warnings = guide.warnings.iter().map(|finding| finding.message.as_str());
                with_warnings(guide.text, warnings)
            }
        };
        Ok(ResourceContents::text(text, asked).with_mime_type(MEDIA_TYPE))
    }
}

fn with_warnings<'w>(mut text: String, warnings: impl Iterator<Item = &'w str>) -> String {
    said::warn(&mut text, warnings);
    text
}

//! The attachments of a message that a program shows with `use` (CP-2).
//!
//! Text becomes an item; a picture, a sound or a PDF goes to the model beside the text, where the
//! model takes such, with an item that names it. Nothing is left out unseen.

use super::errors::of_load;
use super::references::items::share;
use super::run_state::RunState;
use crate::models::Model;
use crate::turn::attachment::{Attached, AttachmentKind, Attachments, base64_of, data_url};
use crate::written::OnDemand;
use contexture_context::{DeclaredItem, Digest, Label, Trust};
use contexture_prompt::{ContentField, OpenaiChatMessage, OpenaiContentPart, Role};
use contexture_reference::syntax::Reference;
use contexture_reference::{Parameters, Place, Request};
use contexture_script::host::{GenerateCall, HostError};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An attachment with its content.
#[derive(Debug)]
struct Fetched {
    media_type: String,
    bytes: Vec<u8>,
    trust: Trust,
}

/// A call with its attachments fetched, and the parts that go beside its text.
pub(super) struct Shown<'c> {
    pub(super) call: Cow<'c, GenerateCall>,
    pub(super) parts: Vec<OpenaiContentPart>,
}

/// The attachments of a turn, and those that were fetched, by handle.
#[derive(Default)]
pub(super) struct TurnAttachments {
    attachments: Attachments,
    fetched: Mutex<HashMap<String, Arc<Fetched>>>,
}

impl TurnAttachments {
    pub(super) fn new(attachments: Attachments) -> Self {
        Self { attachments, fetched: Mutex::default() }
    }

    fn fetched(&self) -> MutexGuard<'_, HashMap<String, Arc<Fetched>>> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports whether there are attachments that no prompt showed.
    pub(super) fn are_unseen(&self) -> bool {
        !self.attachments.is_empty() && self.fetched().is_empty()
    }

    /// Fetches the attachments among the items of a call, and replaces them by their texts.
    pub(super) async fn show<'c>(
        &self,
        run: &RunState,
        references: &OnDemand,
        call: &'c GenerateCall,
        model: &Model,
    ) -> Result<Shown<'c>, HostError> {
        let shows = |item: &DeclaredItem| !self.attachments.among(&item.value).is_empty();
        if self.attachments.is_empty() || !call.items.iter().any(shows) {
            return Ok(Shown { call: Cow::Borrowed(call), parts: Vec::new() });
        }
        let mut shown = call.clone();
        let mut parts = Vec::new();
        let mut items = Vec::with_capacity(call.items.len());
        for item in std::mem::take(&mut shown.items) {
            let among = self.attachments.among(&item.value);
            if among.is_empty() {
                items.push(item);
                continue;
            }
            let at = items.len();
            let mut own = Vec::with_capacity(among.len());
            for attached in among {
                let fetched = self.fetch(run, references, attached).await?;
                let (text, part) = content(attached, &fetched, model)?;
                let source = format!("attachment {}", attached.name());
                let origin = match &item.question {
                    None => fetched.trust.into(),
                    // What is selected depends on the question, too.
                    Some(_) => Label::of(source.clone(), fetched.trust).join(&item.origin),
                };
                own.push(DeclaredItem {
                    source,
                    value: Value::from(text),
                    origin,
                    fence: None,
                    ..item.clone()
                });
                parts.extend(part);
            }
            let is_asked = item.question.is_some();
            let left_out = if is_asked { 0 } else { share(&mut own, model.provider.tokenizer())? };
            if left_out > 0 {
                run.warn(format!(
                    "{}: {left_out} of the {} attachments do not fit their budget; raise `max`",
                    call.site,
                    own.len()
                ));
            }
            // What else is shown stands behind as many items as before, and those that came in.
            let more = own.len().saturating_sub(1);
            for resource in shown.resources.iter_mut().filter(|resource| resource.before > at) {
                resource.before += more;
            }
            items.extend(own);
        }
        shown.items = items;
        Ok(Shown { call: Cow::Owned(shown), parts })
    }

    async fn fetch(
        &self,
        run: &RunState,
        references: &OnDemand,
        attached: &Attached,
    ) -> Result<Arc<Fetched>, HostError> {
        if let Some(fetched) = self.fetched().get(&attached.handle) {
            return Ok(Arc::clone(fetched));
        }
        let limit = run.limits.file_bytes as u64;
        let url = &attached.attachment.url;
        let fetched = if attached.handle == *url {
            run.unless_cancelled(over_network(references, attached, limit)).await??
        } else {
            let (media_type, bytes) =
                data_url(url, limit).map_err(|fault| unreadable(attached, &fault))?;
            Fetched { media_type, bytes, trust: Trust::External }
        };
        let fetched = Arc::new(fetched);
        self.fetched().insert(attached.handle.clone(), Arc::clone(&fetched));
        Ok(fetched)
    }
}

/// Inserts the parts beside the text into the message of the user.
pub(super) fn put(messages: &mut [OpenaiChatMessage], parts: Vec<OpenaiContentPart>) {
    let user = messages.iter_mut().rev().find(|message| message.role == Role::User);
    let Some(content) = user.and_then(|user| user.content.as_mut()) else { return };
    if let ContentField::Text(text) = content {
        *content = ContentField::Array(vec![OpenaiContentPart::text(std::mem::take(text))]);
    }
    if let ContentField::Array(all) = content {
        all.extend(parts);
    }
}

/// Loads by the protocol that references of that scheme are loaded with, but keeps nothing of it.
async fn over_network(
    references: &OnDemand,
    attached: &Attached,
    limit: u64,
) -> Result<Fetched, HostError> {
    let url = &attached.attachment.url;
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let scheme = scheme.to_ascii_lowercase();
    let mut protocols = references.get().loader().protocols();
    let protocol = protocols.find(|protocol| protocol.name() == scheme);
    let protocol = protocol.ok_or_else(|| unreadable(attached, "its address can't be read"))?;
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (rest, None),
    };
    let address = format!("@!{scheme}://{path}");
    let shown = Reference::parse(&address).map_or_else(|_| attached.name(), |found| found.public());
    let taken = BTreeMap::from([("cache".to_owned(), "false".to_owned())]);
    let parameters = Parameters { taken, passed_on: query };
    let place = Place::workspace();
    let loaded = protocol.load(Request {
        reference: &shown,
        path,
        parameters: &parameters,
        input: &[],
        place: &place,
        max_bytes: limit,
        max_resources: 1,
    });
    let loaded = loaded.await.map_err(|error| {
        let cause = of_load(&error);
        let details = Some(json!({ "attachment": attached.place, "cause": cause.code }));
        let failure = unreadable(attached, &cause.message);
        HostError { details, help: cause.help.or(failure.help.clone()), ..failure }
    })?;
    let resource = loaded.resources.into_iter().next();
    let resource = resource.ok_or_else(|| unreadable(attached, "nothing is there"))?;
    let bytes = resource.bytes().unwrap_or_default().to_vec();
    Ok(Fetched { media_type: resource.media_type, bytes, trust: Trust::Web })
}

fn unreadable(attached: &Attached, fault: &str) -> HostError {
    let message = format!("the attachment `{}` can't be read: {fault}", attached.name());
    let details = Some(json!({ "attachment": attached.place }));
    let error = HostError { details, ..HostError::new("attachment_unreadable", message) };
    error.with_help("send it again, smaller where it was too large")
}

/// Returns the text of an attachment for its item, and what goes to the model beside it.
fn content(
    attached: &Attached,
    fetched: &Fetched,
    model: &Model,
) -> Result<(String, Option<OpenaiContentPart>), HostError> {
    let said = attached.mime_type().map(str::to_ascii_lowercase);
    let media = fetched.media_type.split(';').next().unwrap_or_default().trim();
    let vague = media.is_empty() || matches!(media, "application/octet-stream" | "text/plain");
    let media = said.filter(|_| vague).unwrap_or_else(|| media.to_owned());
    let kind = attached.attachment.kind;
    let is_text = !fetched.bytes.contains(&0) && std::str::from_utf8(&fetched.bytes).is_ok();
    if kind == AttachmentKind::File && is_text {
        return Ok((String::from_utf8_lossy(&fetched.bytes).into_owned(), None));
    }
    let part = part(kind, &media, attached, fetched, model)
        .ok_or_else(|| not_taken(kind, &media, attached, model))?;
    let digest = Digest::of_bytes(&fetched.bytes);
    let bytes = fetched.bytes.len();
    let text = format!("{} {} ({media}, {bytes} bytes, {digest})", kind.as_str(), attached.name());
    Ok((text, Some(part)))
}

/// Returns the part that a model is sent; `None` when it does not take such.
fn part(
    kind: AttachmentKind,
    media: &str,
    attached: &Attached,
    fetched: &Fetched,
    model: &Model,
) -> Option<OpenaiContentPart> {
    let family = model.uri.split("://").next().unwrap_or_default();
    let family = family.split('+').next().unwrap_or_default();
    let data = || format!("data:{media};base64,{}", base64_of(&fetched.bytes));
    let picture = matches!(media, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    let as_file = kind == AttachmentKind::File;
    match (family, media) {
        ("openai" | "anthropic" | "ollama", _)
            if picture && (as_file || kind == AttachmentKind::Image) =>
        {
            Some(OpenaiContentPart::image_url(data()))
        }
        ("openai" | "anthropic", "application/pdf") if as_file => {
            Some(OpenaiContentPart::file_data(attached.name(), data()))
        }
        ("openai", _) if kind == AttachmentKind::Audio => {
            let format = match media {
                "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
                "audio/mpeg" | "audio/mp3" => "mp3",
                _ => return None,
            };
            Some(OpenaiContentPart::input_audio(base64_of(&fetched.bytes), format))
        }
        _ => None,
    }
}

fn not_taken(kind: AttachmentKind, media: &str, attached: &Attached, model: &Model) -> HostError {
    let message = format!(
        "the model {} does not take the attachment `{}` ({}, {media})",
        model.uri,
        attached.name(),
        kind.as_str()
    );
    let details = Some(json!({ "attachment": attached.place }));
    HostError { details, ..HostError::new("attachment_kind", message) }
        .with_help("send text, or choose a model that takes such files")
}

//! The kept document of a run: its set, and the request of the run.
//!
//! Decision: what a run needs besides its set to be resumed stands beside the set, under
//! `contexture`, where the set has no field; so an id alone is enough.

use super::discreet::private;
use super::error::FlowError;
use super::request::FlowRequest;
use contexture_context::Trust;
use contexture_store::flows::{FlowJournal, FlowStoreError};
use contexture_store::masker::Masker;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The field of a kept document that is not the set's.
const OWN: &str = "contexture";

/// The data that a run needs besides its set to be resumed.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Asked {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    programs: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<Trust>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    models: BTreeMap<String, String>,
    /// True if texts of the set were masked for this run alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    masked: bool,
}

impl Asked {
    fn of(request: &FlowRequest) -> Self {
        let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Self {
            programs: request.programs.iter().map(whole).collect(),
            near: request.near.as_ref().map(whole),
            allow: request.allow.clone(),
            trust: Some(request.trust).filter(|trust| *trust != Trust::User),
            model: request.run.model.clone(),
            models: request.run.models.by_name.clone(),
            masked: false,
        }
    }

    /// Fills in what the request leaves open. The allowed actions and the trust level stay as they
    /// were.
    fn put(self, request: &mut FlowRequest) {
        if request.programs.is_empty() {
            request.programs = self.programs;
        }
        request.near = request.near.take().or(self.near);
        if request.run.model.is_none() && request.run.models.by_name.is_empty() {
            request.run.model = self.model;
            request.run.models.by_name = self.models;
        }
        request.allow = self.allow;
        request.trust = self.trust.unwrap_or(Trust::User);
    }
}

/// Returns the document as it is kept: the set, and the request of the run.
pub(super) fn to_keep(request: &FlowRequest) -> String {
    let text = String::from_utf8_lossy(&request.document).into_owned();
    let private = private(&request.run.private);
    let masked = private.may_be_in(&text);
    let asked = Asked { masked, ..Asked::of(request) };
    // A field of the caller's own of that name would be read as ours.
    if asked == Asked::default() && !text.contains(OWN) {
        return text;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return text };
    private.value(&mut value);
    if let Value::Object(map) = &mut value {
        map.remove(OWN);
        map.insert(OWN.to_owned(), serde_json::to_value(asked).unwrap_or_default());
    }
    value.to_string()
}

/// Takes the kept document of a run into a request. One that is given must be the same set.
pub(super) fn take_kept(
    journal: &dyn FlowJournal,
    run: &str,
    masker: &Masker,
    request: &mut FlowRequest,
) -> Result<(), FlowError> {
    let summary = journal.summary(run)?;
    if !request.owner.is_empty() && summary.owner != request.owner {
        return Err(FlowStoreError::NotFound(run.to_owned()).into());
    }
    request.owner = summary.owner;
    request.run.context = request.run.context.take().or(summary.context);
    let kept = journal.document(run)?;
    let mut document: Value = serde_json::from_str(&kept.text).unwrap_or_default();
    let asked = document.as_object_mut().and_then(|map| map.remove(OWN)).unwrap_or_default();
    let asked: Asked = serde_json::from_value(asked).unwrap_or_default();
    if request.document.is_empty() {
        if kept.masked || asked.masked {
            let message = format!("the set of the run `{run}` held secrets, which were not kept");
            return Err(FlowError::setup("flow_document_masked", message, "give the set again"));
        }
        request.document = document.to_string().into_bytes();
    } else {
        let mut given: Value = serde_json::from_slice(&request.document).unwrap_or_default();
        given.as_object_mut().and_then(|map| map.remove(OWN));
        masker.value(&mut given);
        if given != document {
            let message = format!("this is not the set that the run `{run}` began with");
            let help = "leave it out to go on with the one that was kept, or begin a new run";
            return Err(FlowError::setup("flow_document_differs", message, help));
        }
    }
    asked.put(request);
    Ok(())
}

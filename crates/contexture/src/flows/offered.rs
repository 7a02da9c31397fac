//! What a set can call, with schemas (WA-7).

use super::catalog::Catalog;
use super::error::FlowError;
use super::journal;
use super::kit::Kit;
use super::request::FlowRequest;
use contexture_flow::action::{ActionInfo, Actions as _};
use std::sync::Arc;

/// An action that a set can call.
#[derive(Debug, Clone)]
pub struct Offered {
    /// The name that a step calls it by.
    pub name: String,
    /// What is known of it.
    pub info: ActionInfo,
}

/// Returns all that a set of this request can call, by name. It reads the programs of the request, and
/// blocks for it.
///
/// # Errors
/// [`FlowError`] when a program or a setting can't be used.
pub fn offered(
    project: &crate::project::Project,
    request: FlowRequest,
) -> Result<Vec<Offered>, FlowError> {
    let masker = journal::masker(project, &[]);
    let kit = Arc::new(Kit::new(project, request, &masker, None)?);
    let catalog = Catalog::without_set(&kit);
    let names = catalog.names().into_iter();
    Ok(names.filter_map(|name| Some(Offered { info: catalog.describe(&name)?, name })).collect())
}

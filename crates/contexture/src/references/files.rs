//! The protocol `file` with the packs of the project: a path into a pack is access to the pack
//! (KN-8, REF-21).
//!
//! Decision: a file found there belongs to the pack, whatever its reference: it gets the pack's
//! name, trust level and fence, and passes the pack's gate.

use crate::packs::OnDemand;
use contexture_context::Trust;
use contexture_reference::protocols::{Files, Located};
use contexture_reference::{
    Content, LoadError, LoadFuture, Loaded, Parameter, Protocol, Request, Resource, Role, pattern,
};
use contexture_tools::Workspace;
use std::sync::Arc;

/// The protocol over files, and the packs that some of them may belong to.
#[derive(Debug)]
pub(super) struct OfPacks {
    files: Files,
    roots: Vec<Arc<Workspace>>,
    packs: Arc<OnDemand>,
}

impl OfPacks {
    pub(super) const fn new(
        files: Files,
        roots: Vec<Arc<Workspace>>,
        packs: Arc<OnDemand>,
    ) -> Self {
        Self { files, roots, packs }
    }

    /// Assigns a resource to the pack that its file belongs to.
    fn claim(&self, request: Request<'_>, resource: &mut Resource) -> Result<(), LoadError> {
        if matches!(resource.content, Content::Listed { .. }) {
            return Ok(());
        }
        let path = match resource.reference.strip_prefix("@file://") {
            Some(path) if pattern::is_pattern(request.path) => path,
            _ => request.path,
        };
        let Ok(Located { root, path, .. }) = self.files.locate(path, request.place) else {
            let message = format!("`{}` is not where it was", resource.reference);
            return Err(LoadError::new("REF3032", request.reference, message));
        };
        let Some(root) = self.roots.get(root) else { return Ok(()) };
        let held = self.packs.around(&root.root().join(path.as_str()));
        let Some(held) =
            held.map_err(|error| super::knowledge::load_error(request.reference, error))?
        else {
            return Ok(());
        };
        resource.trust = resource.trust.least(Trust::Pack);
        resource.reference.clone_from(held.reference());
        Ok(())
    }
}

impl Protocol for OfPacks {
    fn name(&self) -> &str {
        self.files.name()
    }

    fn role(&self) -> Role {
        self.files.role()
    }

    fn parameters(&self) -> &[Parameter] {
        self.files.parameters()
    }

    fn connects(&self) -> bool {
        self.files.connects()
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(async move {
            let mut loaded: Loaded = self.files.load(request).await?;
            for resource in &mut loaded.resources {
                self.claim(request, resource)?;
            }
            Ok(loaded)
        })
    }
}

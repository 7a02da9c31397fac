//! `context`, which is known and has nothing to read in any workspace yet (REF-20).

use contexture_reference::{LoadError, LoadFuture, Protocol, Request, Role, codes};

/// The protocol `context`: it says that nothing is stored, instead of being unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Absent;

impl Protocol for Absent {
    fn name(&self) -> &str {
        "context"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        let message = "no conversation context is stored in this workspace";
        let error = LoadError::new(codes::NOTHING_STORED.code, request.reference, message)
            .with_help("keep the text in a file or in the memory, and name that");
        Box::pin(async move { Err(error) })
    }
}

//! Protocols that are known and have nothing to read in any workspace yet (REF-20).

use contexture_reference::{LoadError, LoadFuture, Protocol, Request, Role, codes};

/// A protocol without anything behind it: it says so, instead of being unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Absent {
    name: &'static str,
    what: &'static str,
}

impl Absent {
    /// `context` and `knowledge`.
    pub(super) fn all() -> [Self; 2] {
        [
            Self { name: "context", what: "conversation context" },
            Self { name: "knowledge", what: "knowledge pack" },
        ]
    }
}

impl Protocol for Absent {
    fn name(&self) -> &str {
        self.name
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        let message = format!("no {} is stored in this workspace", self.what);
        let error = LoadError::new(codes::NOTHING_STORED.code, request.reference, message)
            .with_help("keep the text in a file or in the memory, and name that");
        Box::pin(async move { Err(error) })
    }
}

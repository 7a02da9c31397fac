//! `env`: variables of the environment, those that settings allow (REF-20).

use contexture_context::Trust;
use contexture_core::reference::{
    LoadError, LoadFuture, Loaded, Protocol, Request, Resource, Role,
};
use contexture_diagnostic::suggestion;
use std::collections::BTreeMap;

/// Variables of the environment by name; what is not in it does not exist.
#[derive(Clone, Default)]
pub struct Environment {
    allowed: BTreeMap<String, Option<String>>,
}

impl Environment {
    /// Returns the variables that may be read, with their values; `None` is allowed and not set.
    #[must_use]
    pub fn of(allowed: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        Self { allowed: allowed.into_iter().collect() }
    }

    fn get(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        let name = request.path;
        let names = || self.allowed.keys().map(String::as_str);
        let fail = |message: String, help: String| {
            LoadError::new("REF3034", request.reference, message).with_help(help)
        };
        match self.allowed.get(name) {
            Some(Some(value)) => {
                let resource =
                    Resource::of_text(request.reference, "text/plain", value, Trust::Resource);
                Ok(Loaded { resources: vec![resource], ..Loaded::default() })
            }
            Some(None) => Err(fail(
                format!("the variable `{name}` is not set"),
                "set it before the run".to_owned(),
            )),
            None => Err(fail(
                format!("the variable `{name}` may not be read"),
                suggestion(name, names()).unwrap_or_else(|| {
                    format!("allow it in contexture.toml: [references] env = [\"{name}\"]")
                }),
            )),
        }
    }
}

impl Protocol for Environment {
    fn name(&self) -> &str {
        "env"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(async move { self.get(request) })
    }
}

/// Values may be secrets: names alone are shown.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Environment").field(&self.allowed.keys()).finish()
    }
}

//! The contract of [`Protocol`] (HO-2).

use crate::reference::{
    LoadError, LoadFuture, Loaded, Parameter, ParameterKind, Parameters, Place, Protocol, Request,
    Resource, Role,
};
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::task::Poll;

/// Names of parameters that belong to the loader.
const COMMON: [&str; 3] = ["encoding", "line", "max"];

/// The limits of the requests of the suite.
const MAX_BYTES: u64 = 1 << 20;
const MAX_RESOURCES: usize = 1_000;

/// An example of what a protocol loads.
#[derive(Debug, Clone, Default)]
pub struct ProtocolExample {
    /// A path that it finds; empty for a processor.
    pub path: String,
    /// A path that it does not find; none where every path gives something.
    pub missing: Option<String>,
    /// The parameters that reach it besides the defaults.
    pub parameters: Parameters,
    /// The resources that a processor works on; empty for a source.
    pub input: Vec<Resource>,
    /// Texts of the paths that must appear nowhere in what it returns, such as passwords.
    pub secrets: Vec<String>,
}

impl ProtocolExample {
    /// Returns an example of a source: a path that it finds and one that it does not.
    #[must_use]
    pub fn source(path: impl Into<String>, missing: impl Into<String>) -> Self {
        Self { path: path.into(), missing: Some(missing.into()), ..Self::default() }
    }

    /// Returns an example of a processor: the resource that it works on.
    #[must_use]
    pub fn processor(input: Resource) -> Self {
        Self { input: vec![input], ..Self::default() }
    }
}

/// Checks that a protocol follows the contract, and that it loads the example.
///
/// # Panics
/// Panics with the reason when it does not: call it in a test.
pub async fn protocol(protocol: &dyn Protocol, example: &ProtocolExample) {
    declares_itself(protocol);
    let case = Case::new(protocol, example);
    let first = case.loads().await;
    assert_eq!(case.loads().await, first, "a second load gives something else");
    case.loads_twice_at_once(&first).await;
    case.survives_dropped_loads(&first).await;
    case.misses().await;
    case.takes_no_input().await;
}

/// Checks that the name follows the grammar, and that declared parameters can be taken.
fn declares_itself(protocol: &dyn Protocol) {
    let name = protocol.name();
    let follows =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    assert!(
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(follows),
        "the name {name:?} must be a lower-case letter, then lower-case letters, digits, `_` or `-`"
    );
    assert_eq!(protocol.name(), name, "the name changes");
    let mut names = BTreeSet::new();
    for parameter in protocol.parameters() {
        let Parameter { name, description, default, required, .. } = parameter;
        assert!(
            !name.is_empty() && names.insert(name.clone()),
            "{name:?} is declared twice, or empty"
        );
        assert!(!COMMON.contains(&&**name), "`{name}` belongs to the loader");
        assert!(!description.is_empty(), "`{name}` has no description");
        assert!(!(*required && default.is_some()), "`{name}` is required and has a default");
        if let Some(default) = default {
            assert!(
                takes(&parameter.kind, default),
                "`{name}` does not take its default {default:?}"
            );
        }
    }
}

fn takes(kind: &ParameterKind, value: &str) -> bool {
    match kind {
        ParameterKind::String | ParameterKind::Range => true,
        ParameterKind::Number => value.parse::<f64>().is_ok_and(f64::is_finite),
        ParameterKind::Integer => value.parse::<i64>().is_ok(),
        ParameterKind::Boolean => matches!(value, "true" | "false"),
        ParameterKind::OneOf(words) => words.iter().any(|word| word == value),
    }
}

/// A protocol with its example, and the parameters with the defaults filled in.
struct Case<'a> {
    protocol: &'a dyn Protocol,
    example: &'a ProtocolExample,
    parameters: Parameters,
    place: Place,
}

impl<'a> Case<'a> {
    fn new(protocol: &'a dyn Protocol, example: &'a ProtocolExample) -> Self {
        let mut parameters = example.parameters.clone();
        for Parameter { name, default, required, .. } in protocol.parameters() {
            if let (None, Some(default)) = (parameters.get(name), default) {
                parameters.taken.insert(name.clone(), default.clone());
            }
            let is_given = parameters.get(name).is_some();
            assert!(is_given || !required, "the example lacks the parameter `{name}`");
        }
        Self { protocol, example, parameters, place: Place::workspace() }
    }

    /// Returns the canonical form of the reference, in which no user info is shown.
    fn reference(&self, path: &str) -> String {
        let name = self.protocol.name();
        match self.protocol.role() {
            Role::Source => {
                let authority = path.split('/').next().unwrap_or_default();
                let shown = match authority.rfind('@') {
                    Some(at) => path.get(at + 1..).unwrap_or_default(),
                    None => path,
                };
                format!("@{name}://{shown}")
            }
            Role::Processor => {
                let inner = self.example.input.first().map_or("", |inner| &inner.reference);
                format!("@{name}:{inner}")
            }
        }
    }

    fn load<'r>(
        &'r self,
        reference: &'r str,
        path: &'r str,
        input: &'r [Resource],
    ) -> LoadFuture<'r> {
        self.protocol.load(Request {
            reference,
            path,
            parameters: &self.parameters,
            input,
            place: &self.place,
            max_bytes: MAX_BYTES,
            max_resources: MAX_RESOURCES,
        })
    }

    async fn loads(&self) -> Loaded {
        let reference = self.reference(&self.example.path);
        let loaded = self.load(&reference, &self.example.path, &self.example.input).await;
        assert!(loaded.is_ok(), "{reference} is not loaded: {loaded:?}");
        let loaded = loaded.unwrap_or_default();
        assert!(!loaded.resources.is_empty(), "{reference} gives no resource");
        assert!(loaded.bytes() <= MAX_BYTES, "{reference} gives more than `max_bytes`");
        assert!(
            loaded.resources.len() <= MAX_RESOURCES,
            "{reference} gives more than `max_resources`"
        );
        for resource in &loaded.resources {
            let Resource { reference, media_type, .. } = resource;
            assert!(reference.starts_with('@'), "a resource has the reference {reference:?}");
            assert!(media_type.contains('/'), "{reference} has the media type {media_type:?}");
            let lowest = self.example.input.iter().map(|inner| inner.trust).max();
            assert!(
                lowest.is_none_or(|lowest| resource.trust >= lowest),
                "{reference} is trusted more than what it was made of"
            );
        }
        self.keeps_secrets(&format!("{loaded:?}"));
        loaded
    }

    async fn loads_twice_at_once(&self, expected: &Loaded) {
        let reference = self.reference(&self.example.path);
        let load = || self.load(&reference, &self.example.path, &self.example.input);
        let mut pending = [(load(), None), (load(), None)];
        poll_fn(|context| {
            for (future, done) in &mut pending {
                if done.is_none()
                    && let Poll::Ready(loaded) = future.as_mut().poll(context)
                {
                    *done = Some(loaded);
                }
            }
            if pending.iter().all(|(_, done)| done.is_some()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        for (_, done) in pending {
            assert_eq!(done, Some(Ok(expected.clone())), "two loads at once disagree");
        }
    }

    /// Checks that an abandoned load leaves the protocol as it was.
    async fn survives_dropped_loads(&self, expected: &Loaded) {
        let reference = self.reference(&self.example.path);
        let load = || self.load(&reference, &self.example.path, &self.example.input);
        drop(load());
        let mut begun = load();
        poll_fn(|context| {
            // It may be ready at once.
            let _ = begun.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
        drop(begun);
        assert_eq!(&self.loads().await, expected, "a dropped load changes the next one");
    }

    async fn misses(&self) {
        let Some(missing) = &self.example.missing else { return };
        let reference = self.reference(missing);
        let failed = self.load(&reference, missing, &self.example.input).await;
        assert!(failed.is_err(), "{reference} is found: {failed:?}");
        let Err(error) = failed else { return };
        let LoadError { code, reference: named, message, .. } = &error;
        assert!(
            !code.is_empty() && !message.is_empty(),
            "a failure lacks code or message: {error:?}"
        );
        assert!(!message.contains('\n'), "the message has more than one line: {message:?}");
        assert_eq!(named, &reference, "the failure names another reference");
        self.keeps_secrets(&format!("{error:?}"));
    }

    /// Checks that a processor of nothing returns nothing, or an error.
    async fn takes_no_input(&self) {
        if self.protocol.role() == Role::Processor {
            let reference = self.reference("");
            let loaded = self.load(&reference, "", &[]).await;
            let is_empty = loaded.as_ref().is_ok_and(|loaded| loaded.bytes() == 0);
            assert!(
                loaded.is_err() || is_empty,
                "nothing was given, and this was made: {loaded:?}"
            );
        }
    }

    fn keeps_secrets(&self, shown: &str) {
        let found = self.example.secrets.iter().find(|secret| shown.contains(*secret));
        assert!(found.is_none(), "a secret of the path is shown");
    }
}

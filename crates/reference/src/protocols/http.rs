//! `http` and `https`: what servers of the web give (REF-22).
//!
//! Decisions: redirects are followed here and not by the client, since each hop has rules of its
//! own (addresses, no way back from https, credentials stay with their origin). Answers are asked
//! for uncompressed: what is counted while it is read is what there is, and no small answer becomes
//! a large one. What is in the cache is asked for again with its validators unless the server
//! defined how long it holds: a guess about that would show old texts as new ones.

mod address;
mod answer;
mod cache;
mod exchange;
mod freshness;

use super::fault::Fault;
use super::network::{NetworkSettings, within};
use address::Target;
use answer::{Answer, Format};
pub use cache::CacheSettings;

use cache::Cache;
use contexture_context::Trust;
use contexture_core::reference::{
    Content, LoadError, LoadFuture, Loaded, Parameter, ParameterKind, Protocol, Request, Resource,
    Role,
};
use exchange::{Clients, Exchange, Hop};
use std::sync::Arc;

/// The number of redirects that are followed by default.
const REDIRECTS: usize = 10;

/// The settings of `http` and `https`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Addresses and time-outs.
    pub network: NetworkSettings,
    /// The number of redirects that are followed.
    pub redirects: usize,
    /// The cache of answers; without it nothing is kept.
    pub cache: Option<CacheSettings>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self { network: NetworkSettings::default(), redirects: REDIRECTS, cache: None }
    }
}

/// The `http` or the `https` protocol.
#[derive(Debug, Clone)]
pub struct Http {
    scheme: &'static str,
    shared: Arc<Shared>,
    parameters: Vec<Parameter>,
}

#[derive(Debug)]
struct Shared {
    settings: HttpSettings,
    clients: Clients,
    cache: Option<Cache>,
}

impl Http {
    /// Returns both protocols, which share connections and the cache.
    #[must_use]
    pub fn protocols(settings: HttpSettings) -> [Arc<dyn Protocol>; 2] {
        let cache = settings.cache.clone().map(Cache::new);
        let shared = Arc::new(Shared { settings, clients: Clients::default(), cache });
        ["http", "https"].map(|scheme| -> Arc<dyn Protocol> {
            Arc::new(Self { scheme, shared: Arc::clone(&shared), parameters: parameters() })
        })
    }

    async fn get(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        let fail = |fault: Fault| fault.at(request.reference);
        let query = request.parameters.passed_on.as_deref();
        let target = Target::parse(self.scheme, request.path, query).map_err(fail)?;
        let limit = self.shared.settings.network.timeouts.total;
        let who = target.to_string();
        let late = || Fault::late(&who, "did not answer whole", limit);
        let answer = within(limit, late, self.follow(target, request)).await.map_err(fail)?;
        let format = Format::of(request.parameters);
        let resource = Resource {
            reference: request.reference.to_owned(),
            media_type: format.checked(&answer).map_err(fail)?,
            content: Content::Bytes(answer.body),
            trust: Trust::Web,
            place: None,
        };
        Ok(Loaded { resources: vec![resource], ..Loaded::default() })
    }

    async fn follow(&self, mut target: Target, request: Request<'_>) -> Result<Answer, Fault> {
        let Shared { settings, clients, cache } = &*self.shared;
        let cached = request.parameters.get("cache") != Some("false");
        let exchange = Exchange {
            clients,
            network: &settings.network,
            cache: cache.as_ref().filter(|_| cached),
            renewed: !cached,
            accept: Format::of(request.parameters).accept(),
            max_bytes: request.max_bytes,
        };
        for _ in 0..=settings.redirects {
            match exchange.ask(&target).await? {
                Hop::Answer(answer) => return Ok(answer),
                Hop::Redirect(location) => target = target.redirected(&location)?,
            }
        }
        let message = format!("{target} redirects more than {} times", settings.redirects);
        Err(Fault::new("REF4012", message, "ask for the address that the redirects lead to"))
    }
}

fn parameters() -> Vec<Parameter> {
    let cache = "whether a kept answer may be used and this one be kept";
    let format = "what the server is asked for; what comes with json must be JSON";
    let words = vec!["json".to_owned(), "text".to_owned()];
    vec![
        Parameter::new("cache", ParameterKind::Boolean, cache).or("true"),
        Parameter::new("format", ParameterKind::OneOf(words), format),
    ]
}

impl Protocol for Http {
    fn name(&self) -> &str {
        self.scheme
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(self.get(request))
    }
}

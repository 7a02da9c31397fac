//! The registry of an organization over HTTP (KN-2, KN-16).
//!
//! Decision: archives are fetched by the protocols that load references over http and https: the
//! same address rules, also for each redirect, the same time-outs, and bytes that are counted on
//! arrival.

use crate::project::Project;
use contexture_knowledge::organization::{Fetch, FetchError, Fetched};
use contexture_knowledge::organization::{Registry, RegistryOptions, registry};
#[cfg(feature = "formats")]
use contexture_knowledge::sync::{Missed, SyncError};
use contexture_reference::protocols::{Http, HttpSettings, NetworkSettings};
use contexture_reference::text::decode;
use contexture_reference::{LoadError, Parameters, Place, Protocol, Request, Resource};
use std::path::Path;
use std::sync::Arc;

/// Returns the packs of a registry, as far as it can be read; `offline` uses the cache alone.
pub(super) fn of_registry(project: &Project, url: &str, cache: &Path, offline: bool) -> Registry {
    let web = Web::of(project);
    let fetch: Option<&dyn Fetch> = if offline { None } else { Some(&web) };
    let options = RegistryOptions::default();
    // The caller may be inside a runtime, which must not be entered again.
    let read = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        Some(runtime.block_on(registry(fetch, url, cache, &options)))
    };
    let read = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("registry".to_owned());
        thread.spawn_scoped(scope, read).ok()?.join().ok()?
    });
    read.unwrap_or_default()
}

/// The sources of packs on the web, within the settings of a project (MA-4).
#[cfg(feature = "formats")]
pub struct WebSources(Web);

#[cfg(feature = "formats")]
impl WebSources {
    /// Returns them for a project.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        Self(Web::of(project))
    }
}

#[cfg(feature = "formats")]
impl contexture_knowledge::sync::Web for WebSources {
    fn mirror(&self, address: &str, into: &Path) -> Result<Vec<Missed>, SyncError> {
        let failed = |reason: &str| SyncError::Source {
            source_path: address.to_owned(),
            reason: reason.to_owned(),
        };
        let read = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| failed(&error.to_string()))?;
            runtime.block_on(contexture_knowledge::sync::web::mirror(&self.0, address, into))
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("sources".to_owned());
            let thread = thread.spawn_scoped(scope, read);
            let thread = thread.map_err(|error| failed(&error.to_string()))?;
            thread.join().unwrap_or_else(|_| Err(failed("its pages could not be fetched")))
        })
    }
}

/// http and https within the settings of a project.
struct Web([Arc<dyn Protocol>; 2]);

impl Web {
    fn of(project: &Project) -> Self {
        let network = NetworkSettings {
            allow_private: project.config.network.allow_private.clone(),
            ..NetworkSettings::default()
        };
        Self(Http::protocols(HttpSettings { network, ..HttpSettings::default() }))
    }

    async fn load(&self, url: &str, max_bytes: u64) -> Result<Vec<u8>, FetchError> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let protocol = self.0.iter().find(|protocol| protocol.name() == scheme);
        let unknown = || FetchError::Refused("only http and https are spoken".to_owned());
        let protocol = protocol.ok_or_else(unknown)?;
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (rest, None),
        };
        let request = Request {
            reference: url,
            path,
            parameters: &Parameters { passed_on: query, ..Parameters::default() },
            input: &[],
            place: &Place::workspace(),
            max_bytes,
            max_resources: 1,
        };
        let loaded = protocol.load(request).await.map_err(|error| fault(&error, max_bytes))?;
        Ok(loaded.resources.first().map(in_utf8).unwrap_or_default())
    }
}

/// Returns the bytes of a resource; those of a text whose server names another encoding, in UTF-8.
fn in_utf8(resource: &Resource) -> Vec<u8> {
    let bytes = resource.bytes().unwrap_or_default();
    let named = resource.media_type.split_once("; charset=");
    let text = named.and_then(|(_, charset)| decode(bytes, Some(charset)).ok());
    match text {
        // Its `<meta>` may name the encoding that it had: a mark says more than that.
        Some(text) if resource.media_type.contains("html") => format!("\u{feff}{text}").into(),
        Some(text) => text.into(),
        None => bytes.to_vec(),
    }
}

fn fault(error: &LoadError, limit: u64) -> FetchError {
    let told = match &error.help {
        Some(help) => format!("{}; {help}", error.message),
        None => error.message.clone(),
    };
    match error.code {
        "REF3013" => FetchError::TooLarge { limit },
        "REF4001" | "REF4002" | "REF4013" => FetchError::Refused(told),
        "REF4003" | "REF4004" | "REF4005" | "REF4006" => FetchError::Unreachable(told),
        "REF4008" => FetchError::NotThere(told),
        _ => FetchError::NotGiven(told),
    }
}

impl Fetch for Web {
    fn get<'f>(&'f self, url: &'f str, max_bytes: u64) -> Fetched<'f> {
        Box::pin(self.load(url, max_bytes))
    }
}

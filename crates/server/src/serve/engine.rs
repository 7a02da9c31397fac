//! The engine that drives the runs of sets: this process itself, or Restate (FL-14, WA-12).
//!
//! Decision: the rules of a run are the machine of `contexture_flow`, whichever engine drives it, and
//! the journal of a run stays in the store. An engine decides only where it is remembered what has
//! happened until the journal has it, and who wakes the run.

#[cfg(feature = "restate")]
mod restate;

use super::codes;
use super::flows::journal::Journals;
use super::operations::log::Log;
use crate::fault::Fault;
use contexture::config;
use contexture::flows::Flow;
use contexture_flow::run::Report;
use contexture_protocol::{ErrorCode, Refusal};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What keeps the server from accepting sets while its engine is away.
const AWAY: &str = "the engine of sets does not answer";

/// The time that a server which starts waits for its engine, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(10);

/// The engine of a server.
pub(crate) enum Engine {
    /// This process, with the journal.
    Local,
    #[cfg(feature = "restate")]
    Restate(Arc<restate::Restate>),
}

/// What an engine needs of its server.
#[cfg_attr(not(feature = "restate"), expect(dead_code, reason = "this build has no other engine"))]
pub(super) struct Means<'a> {
    pub(super) settings: &'a config::Serve,
    pub(super) data: &'a Path,
    pub(super) journals: &'a Journals,
    pub(super) log: &'a Arc<Log>,
}

impl Engine {
    /// Opens the engine that the command line or the settings name: `local`, or `restate=` and the
    /// address of its ingress.
    ///
    /// # Errors
    /// A [`Fault`] for an engine that is not known, or not in this build.
    pub(super) fn open(named: Option<&str>, means: &Means<'_>) -> Result<Self, Fault> {
        let named = named.or(means.settings.engine.as_deref()).unwrap_or("local");
        if named == "local" {
            return Ok(Self::Local);
        }
        match named.strip_prefix("restate=") {
            Some(address) => restate_at(address, means),
            None => Err(Fault::of(codes::BAD_SETTING, format!("there is no engine `{named}`"))
                .with_help("name `local`, or `restate=http://HOST:8080`")),
        }
    }

    /// Reports whether this process runs the sets itself.
    pub(crate) const fn is_local(&self) -> bool {
        matches!(self, Self::Local)
    }

    /// Returns why sets can't be accepted, if so.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        (!self.answers()).then_some(AWAY)
    }

    /// Returns the refusal of a new set while the engine is away.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let refused = Refusal::new(ErrorCode::Internal, self.fault()?).policy("engine");
        let refused = refused.suggest("Send the same message again in a moment.");
        Some(Refusal { recoverable: true, ..refused })
    }

    /// Runs a set to its end, or until it only waits. `waiting` are the steps that waited when it was
    /// interrupted. Dropped before, it leaves the run to the next server.
    pub(crate) async fn run(&self, flow: Flow, waiting: Vec<String>) -> Report {
        match self {
            Self::Local => {
                // The flow knows them from its request.
                drop(waiting);
                flow.run().await
            }
            #[cfg(feature = "restate")]
            Self::Restate(restate) => {
                flow.run_by(|parts, labels| Arc::clone(restate).run((parts, labels), waiting)).await
            }
        }
    }

    /// Waits a moment for an engine that is there, so that the first sets are not refused.
    pub(crate) async fn settle(&self) {
        let until = Instant::now() + PATIENCE;
        while !self.answers() && Instant::now() < until {
            tokio::time::sleep(LOOK).await;
        }
    }

    fn answers(&self) -> bool {
        match self {
            Self::Local => true,
            #[cfg(feature = "restate")]
            Self::Restate(restate) => restate.answers(),
        }
    }
}

#[cfg(feature = "restate")]
fn restate_at(address: &str, means: &Means<'_>) -> Result<Engine, Fault> {
    restate::Restate::open(address, means).map(Engine::Restate)
}

#[cfg(not(feature = "restate"))]
fn restate_at(_: &str, _: &Means<'_>) -> Result<Engine, Fault> {
    Err(left_out())
}

/// Returns the fault of a build without Restate.
#[cfg(any(test, not(feature = "restate")))]
fn left_out() -> Fault {
    use contexture::diagnostic::MissingFeature;
    let missing = MissingFeature { part: "engine Restate", feature: "restate" };
    Fault::of(codes::BAD_SETTING, missing.to_string()).with_help(missing.help())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::operations::log::LogSettings;

    fn opened(named: &str) -> Result<Engine, Fault> {
        let ids = Arc::new(contexture::store::stamp::system());
        let log = Arc::new(Log::open(LogSettings::default(), Vec::new(), ids));
        let (settings, journals) = (config::Serve::default(), Journals::nothing());
        let data = Path::new("/nonexistent");
        Engine::open(
            Some(named),
            &Means { settings: &settings, data, journals: &journals, log: &log },
        )
    }

    #[test]
    fn wa_12_unknown_engine_is_refused_with_those_that_there_are() {
        let fault = opened("temporal=http://127.0.0.1").err().unwrap();
        assert_eq!(fault.code, codes::BAD_SETTING.code);
        assert_eq!(fault.help.as_deref(), Some("name `local`, or `restate=http://HOST:8080`"));
        assert!(opened("local").unwrap().refusal().is_none());
    }

    #[test]
    fn wa_12_restate_left_out_of_build_names_feature() {
        let fault = left_out();
        assert_eq!(fault.message, "this build of contexture has no engine Restate");
        assert!(fault.help.unwrap().contains("feature `restate`"));
    }

    #[cfg(feature = "restate")]
    #[test]
    fn wa_12_address_that_is_no_url_is_refused() {
        let fault = opened("restate=localhost").err().unwrap();
        assert!(fault.message.contains("expected an address such as http://127.0.0.1:8080"));
    }
}

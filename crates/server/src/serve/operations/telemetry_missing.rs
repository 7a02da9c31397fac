//! The replacement of traces for OpenTelemetry in a build without the feature `otel`: a turn has the
//! trace of its sender.

use super::metrics::Metrics;
use super::otlp::{ENDPOINT, endpoint, wrong};
use super::parent::Parent;
use crate::fault::Fault;
use crate::serve::turn::ended::Ended;
use contexture::Project;
use contexture::diagnostic::MissingFeature;
use contexture::turn::{Conversation, TurnEvent};
use std::sync::Arc;

const MISSING: MissingFeature = MissingFeature { part: "export of traces", feature: "otel" };

/// An export of spans that does nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Telemetry;

impl Telemetry {
    /// Refuses an environment that enables an export.
    ///
    /// # Errors
    /// A [`Fault`] for a setting that is not supported.
    pub(crate) fn open(project: &Project, _metrics: &Arc<Metrics>) -> Result<Self, Fault> {
        match endpoint(&project.environment)? {
            None => Ok(Self),
            Some(_) => Err(wrong(ENDPOINT, &format!("{MISSING}; {}", MISSING.help()))),
        }
    }

    pub(crate) fn close(&self) {}

    pub(crate) fn turn(
        &self,
        _agent: &str,
        parent: Option<&Parent>,
        _conversation: &Conversation,
    ) -> TurnSpan {
        TurnSpan { trace: parent.map(Parent::trace_id) }
    }
}

/// The trace of the sender of a turn.
pub(crate) struct TurnSpan {
    trace: Option<String>,
}

impl TurnSpan {
    pub(crate) fn trace_id(&self) -> Option<&str> {
        self.trace.as_deref()
    }

    pub(crate) fn event(&mut self, _event: &TurnEvent) {}

    pub(crate) fn end(&mut self, _ended: &Ended) {}
}

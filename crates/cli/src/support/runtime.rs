//! The runtimes that drive commands.

use crate::output::error::{Abort, CommandError};
use std::io;
use tokio::runtime::{Builder, Runtime};

pub(crate) fn single_threaded() -> Result<Runtime, Abort> {
    started(Builder::new_current_thread().enable_all().build())
}

/// Starts a runtime with threads for concurrent steps and connections.
pub(crate) fn multi_threaded() -> Result<Runtime, Abort> {
    started(Builder::new_multi_thread().enable_all().build())
}

fn started(runtime: io::Result<Runtime>) -> Result<Runtime, Abort> {
    runtime.map_err(|error| {
        CommandError::failed("no_runtime", format!("can't start a runtime: {error}")).into()
    })
}

//! The names that nearly every command uses.

pub(crate) use crate::output::error::{Abort, CommandError, CommandResult, Exit};
pub(crate) use crate::output::paint::Paint;
pub(crate) use crate::output::terminal::Terminal;
pub(crate) use crate::output::text::{counted, one_line};
pub(crate) use crate::support::input;
pub(crate) use crate::support::project::Workspace;
pub(crate) use serde_json::{Value, json};
pub(crate) use std::fmt::Write as _;
pub(crate) use std::path::{Path, PathBuf};

//! The parts that commands share: options, input, projects, runtimes and files.

pub(crate) mod asker;
#[cfg(feature = "flow")]
pub(crate) mod asking;
pub(crate) mod code_words;
pub(crate) mod codes;
pub(crate) mod input;
pub(crate) mod new_file;
pub(crate) mod options;
pub(crate) mod output_file;
pub(crate) mod project;
pub(crate) mod runtime;
pub(crate) mod signals;
pub(crate) mod values;

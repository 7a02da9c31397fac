//! Limits as one explicit value: breaching one is an error that names it, never a silent cut.

use serde::{Deserialize, Serialize};

/// The limits of one run. All are inclusive upper bounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one source file.
    pub source_bytes: usize,
    /// Nesting of blocks, expressions and shapes in a source file.
    pub source_depth: usize,
    /// Source files of one program.
    pub source_files: usize,
    /// Calls that may be open at once (functions and agents together).
    pub call_depth: usize,
    /// Instructions that one run may execute.
    pub steps: u64,
    /// Bytes of one string value.
    pub string_bytes: usize,
    /// Items of one list, fields of one object.
    pub collection_items: usize,
    /// Bytes of all lists, objects and strings that a program makes, counted as they are made.
    pub heap_bytes: u64,
    /// Nesting of one value where it becomes JSON.
    pub value_depth: usize,
    /// Bytes of a file that a program imports or reads.
    pub file_bytes: usize,
    /// Model calls of one run, repairs included.
    pub model_calls: u64,
    /// Tool and memory calls of one run.
    pub tool_calls: u64,
    /// Bytes of one model answer.
    pub answer_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 16 << 20,
            source_depth: 1_200,
            source_files: 256,
            call_depth: 10_000,
            steps: 100_000_000_000,
            string_bytes: 64 << 20,
            collection_items: 10_000_000,
            heap_bytes: 4 << 30,
            value_depth: 512,
            file_bytes: 64 << 20,
            model_calls: 10_000,
            tool_calls: 100_000,
            answer_bytes: 16 << 20,
        }
    }
}

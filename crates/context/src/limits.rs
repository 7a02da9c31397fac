//! Limits as one explicit value: a breach is an error that names the limit, never a silent cut.

use serde::{Deserialize, Serialize};

/// The limits of one run. All are inclusive upper bounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// The greatest size of one source file, in bytes.
    pub source_bytes: usize,
    /// The greatest nesting of blocks, expressions and shapes in a source file.
    pub source_depth: usize,
    /// The greatest number of source files in one program.
    pub source_files: usize,
    /// The greatest number of open calls (functions and agents together).
    pub call_depth: usize,
    /// The greatest number of instructions in one run.
    pub steps: u64,
    /// The greatest size of one string value, in bytes.
    pub string_bytes: usize,
    /// The greatest number of items in a list, or fields in an object.
    pub collection_items: usize,
    /// The greatest total size of lists, objects and strings that a program creates, in bytes.
    pub heap_bytes: u64,
    /// The greatest nesting of a value that becomes JSON.
    pub value_depth: usize,
    /// The greatest size of a file that a program imports or reads, in bytes.
    pub file_bytes: usize,
    /// The greatest number of model calls in one run, including repairs.
    pub model_calls: u64,
    /// The greatest number of tool and memory calls in one run.
    pub tool_calls: u64,
    /// The greatest size of one model answer, in bytes.
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

//! Between the vocabularies of the language, the models and the trace.

use contexture_llm::Think;
use contexture_script::host;

/// The reasoning hint of a program as a provider's.
pub(super) const fn think(think: host::Think) -> Think {
    match think {
        host::Think::Off => Think::Off,
        host::Think::On => Think::On,
        host::Think::Auto => Think::Auto,
        host::Think::Low => Think::Low,
        host::Think::Medium => Think::Medium,
        host::Think::High => Think::High,
    }
}

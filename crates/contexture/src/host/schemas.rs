//! The schemas of answers, each made once in a run.

use contexture_answer::Shape;
use contexture_llm::SchemaHint;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The schemas that a run asked for, by their shapes.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    plain: Mutex<HashMap<Shape, Arc<SchemaHint>>>,
    strict: Mutex<HashMap<Shape, Arc<SchemaHint>>>,
}

impl Schemas {
    /// Returns the schema of a shape.
    pub(super) fn of(&self, shape: &Shape, strict: bool) -> Arc<SchemaHint> {
        let known = if strict { &self.strict } else { &self.plain };
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hint) = known.get(shape) {
            return Arc::clone(hint);
        }
        let hint = Arc::new(SchemaHint::of_shape(shape, strict));
        known.insert(shape.clone(), Arc::clone(&hint));
        hint
    }
}

//! Shapes and the lenient reading of model answers.
pub mod shape;

pub use shape::{Field, Shape, ShapeError};

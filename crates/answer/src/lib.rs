//! Shapes and the lenient reading of model answers of Contexture

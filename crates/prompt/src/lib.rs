//! Prompt templates, messages and the composer of Contexture

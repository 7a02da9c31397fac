//! Model providers, record and replay, the ask-and-check loop of Contexture

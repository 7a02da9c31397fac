//! The façade of Contexture: the parts put together

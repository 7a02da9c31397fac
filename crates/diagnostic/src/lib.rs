//! Spans, positions and diagnostics: the shared vocabulary of every front end of Contexture

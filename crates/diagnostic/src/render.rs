//! Renderers: the same diagnostic as JSON, in one line, or as an excerpt for a terminal.

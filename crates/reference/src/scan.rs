//! References in running text (REF-6).

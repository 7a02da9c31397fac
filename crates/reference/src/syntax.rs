//! The grammar of references (REF-1 to REF-5).

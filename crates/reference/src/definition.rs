//! Definitions of protocols by resource elements (REF-15 to REF-19).

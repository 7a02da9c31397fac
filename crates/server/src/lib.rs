//! The doors that other programs come in by (KN-16).

//! Syntax: tokens, tree and parser.

pub mod ast;

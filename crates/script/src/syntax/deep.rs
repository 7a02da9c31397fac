//! The traits that the compiler would derive for the two recursive nodes, with stack space for
//! trees of any height.

use super::ast::{Block, Expr, ExprKind};
use crate::stack::deeper;
use std::fmt;

impl Expr {
    /// Takes the kind out of the expression, and leaves an error in its place.
    pub(crate) fn take_kind(&mut self) -> ExprKind {
        std::mem::replace(&mut self.kind, ExprKind::Error)
    }
}

impl ExprKind {
    /// Reports whether there is no other expression below.
    const fn is_leaf(&self) -> bool {
        matches!(
            self,
            Self::None
                | Self::Bool(_)
                | Self::Int(_)
                | Self::Float(_)
                | Self::Str(_)
                | Self::Name(_)
                | Self::Error
        )
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        if !self.kind.is_leaf() {
            let kind = self.take_kind();
            deeper(move || drop(kind));
        }
    }
}

impl Clone for Expr {
    fn clone(&self) -> Self {
        Self { kind: deeper(|| self.kind.clone()), span: self.span }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.span == other.span && deeper(|| self.kind == other.kind)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, span } = self;
        deeper(|| f.debug_struct("Expr").field("kind", kind).field("span", span).finish())
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if !self.statements.is_empty() {
            let statements = std::mem::take(&mut self.statements);
            deeper(move || drop(statements));
        }
    }
}

impl Clone for Block {
    fn clone(&self) -> Self {
        Self { statements: deeper(|| self.statements.clone()), span: self.span }
    }
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        self.span == other.span && deeper(|| self.statements == other.statements)
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { statements, span } = self;
        deeper(|| {
            f.debug_struct("Block").field("statements", statements).field("span", span).finish()
        })
    }
}

//! Statements as JSON.

use super::{At, begin, finish};
use crate::stack::deeper;
use crate::syntax::ast::{
    Accessor, AssignOp, Block, BudgetNode, Candidate, Expr, For, Statement, StatementKind, Target,
    Use, UseSource,
};
use contexture_context::{Keep, Measure};
use contexture_diagnostic::SourceFile;
use serde::ser::{Serialize, SerializeMap, Serializer};

impl Serialize for At<'_, Block> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        deeper(|| {
            let mut map = begin(serializer, "Block")?;
            map.serialize_entry("statements", &At(self.0.statements.as_slice(), self.1))?;
            finish(map, self.0.span, self.1)
        })
    }
}

const fn name_of(kind: &StatementKind) -> &'static str {
    match kind {
        StatementKind::Assign { .. } => "Assign",
        StatementKind::Return(_) => "Return",
        StatementKind::If { .. } => "If",
        StatementKind::Loop { .. } => "Loop",
        StatementKind::Repeat { .. } => "Repeat",
        StatementKind::For(_) => "For",
        StatementKind::Expr(_) => "Expression",
        StatementKind::Use(_) | StatementKind::Config(_) | StatementKind::Error => "Error",
    }
}

impl Serialize for At<'_, Statement> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            StatementKind::Use(used) => return At(used, self.1).serialize(serializer),
            StatementKind::Config(config) => return At(config, self.1).serialize(serializer),
            _ => {}
        }
        let mut map = begin(serializer, name_of(&self.0.kind))?;
        parts(&self.0.kind, &mut map, self.1)?;
        finish(map, self.0.span, self.1)
    }
}

fn parts<M: SerializeMap>(
    kind: &StatementKind,
    map: &mut M,
    source: &SourceFile,
) -> Result<(), M::Error> {
    match kind {
        StatementKind::Assign { target, op, value } => assign(target, *op, value, map, source),
        StatementKind::Return(value) => map.serialize_entry("value", &At(value, source)),
        StatementKind::If { arms, otherwise } => {
            map.serialize_entry("arms", &At(arms.as_slice(), source))?;
            map.serialize_entry("else", &At(otherwise, source))
        }
        StatementKind::Loop { until, max, body } => {
            map.serialize_entry("until", &At(until, source))?;
            map.serialize_entry("max", &At(max, source))?;
            map.serialize_entry("body", &At(body, source))
        }
        StatementKind::Repeat { count, body } => {
            map.serialize_entry("count", &At(count, source))?;
            map.serialize_entry("body", &At(body, source))
        }
        StatementKind::For(each) => for_parts(each, map, source),
        StatementKind::Expr(expr) => map.serialize_entry("value", &At(expr, source)),
        StatementKind::Use(_) | StatementKind::Config(_) | StatementKind::Error => Ok(()),
    }
}

fn assign<M: SerializeMap>(
    target: &Target,
    op: AssignOp,
    value: &Expr,
    map: &mut M,
    source: &SourceFile,
) -> Result<(), M::Error> {
    let op = match op {
        AssignOp::Set => "=",
        AssignOp::Add => "+=",
        AssignOp::Subtract => "-=",
    };
    map.serialize_entry("target", &At(target, source))?;
    map.serialize_entry("op", op)?;
    map.serialize_entry("value", &At(value, source))
}

/// The parts of `for` and `parallel for`.
pub(super) fn for_parts<M: SerializeMap>(
    each: &For,
    map: &mut M,
    source: &SourceFile,
) -> Result<(), M::Error> {
    map.serialize_entry("variable", &At(&each.variable, source))?;
    map.serialize_entry("list", &At(&each.list, source))?;
    map.serialize_entry("max", &At(&each.max, source))?;
    map.serialize_entry("body", &At(&each.body, source))
}

impl Serialize for At<'_, (Expr, Block)> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("condition", &At(&self.0.0, self.1))?;
        map.serialize_entry("block", &At(&self.0.1, self.1))?;
        map.end()
    }
}

impl Serialize for At<'_, Target> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Target")?;
        map.serialize_entry("base", &At(&self.0.base, self.1))?;
        map.serialize_entry("path", &At(self.0.path.as_slice(), self.1))?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, Accessor> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self.0 {
            Accessor::Field(name) => map.serialize_entry("field", &At(name, self.1))?,
            Accessor::Index(index) => map.serialize_entry("index", &At(index, self.1))?,
        }
        map.end()
    }
}

impl Serialize for At<'_, Use> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Use")?;
        let (expr, candidates) = match &self.0.source {
            UseSource::Expr(expr) => (Some(expr), None),
            UseSource::OneOf(candidates) => (None, Some(candidates.as_slice())),
        };
        map.serialize_entry("source", &expr.map(|expr| At(expr, self.1)))?;
        map.serialize_entry("one_of", &candidates.map(|all| At(all, self.1)))?;
        map.serialize_entry("max", &At(&self.0.max, self.1))?;
        map.serialize_entry("keep", &self.0.keep.map(|(keep, _)| keep_word(keep)))?;
        map.serialize_entry("priority", &self.0.priority.map(|(value, _)| value))?;
        map.serialize_entry("label", &At(&self.0.label, self.1))?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, Candidate> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, "Candidate")?;
        map.serialize_entry("name", &At(&self.0.name, self.1))?;
        map.serialize_entry("source", &At(&self.0.source, self.1))?;
        map.serialize_entry("max", &At(&self.0.max, self.1))?;
        map.serialize_entry("keep", &self.0.keep.map(|(keep, _)| keep_word(keep)))?;
        map.serialize_entry("selected", &self.0.selected.is_some())?;
        finish(map, self.0.span, self.1)
    }
}

impl Serialize for At<'_, BudgetNode> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let measure = match self.0.measure {
            Measure::Tokens => "tokens",
            Measure::Chars => "chars",
        };
        let mut map = begin(serializer, "Budget")?;
        map.serialize_entry("limit", &self.0.limit)?;
        map.serialize_entry("measure", measure)?;
        finish(map, self.0.span, self.1)
    }
}

const fn keep_word(keep: Keep) -> &'static str {
    match keep {
        Keep::Head => "head",
        Keep::Tail => "tail",
        Keep::Middle => "middle",
    }
}

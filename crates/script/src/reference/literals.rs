//! The literal texts of a program that may hold references.

use super::Layer;
use super::texts::Written;
use crate::syntax::ast::{Block, Config, ConfigKind, ExprKind, Item, StatementKind};
use crate::syntax::walk;
use contexture_diagnostic::SourceFile;

pub(crate) fn texts_of_items(items: &[Item], source: &SourceFile) -> Vec<Written> {
    let mut texts = Vec::new();
    for item in items {
        match item {
            Item::Agent(agent) => texts.extend(texts_of_items(&agent.items, source)),
            Item::Func(func) => texts.extend(texts_of_block(&func.body, source)),
            Item::Config(config) => texts.extend(text_of_config(config, source)),
            Item::Import(_) | Item::Use(_) | Item::Shape(_) => {}
        }
    }
    texts
}

pub(crate) fn texts_of_block(block: &Block, source: &SourceFile) -> Vec<Written> {
    let mut texts = Vec::new();
    walk::statements(block, &mut |statement| {
        if let StatementKind::Config(config) = &statement.kind {
            texts.extend(text_of_config(config, source));
        }
    });
    walk::block_expressions(block, &mut |expr| {
        let ExprKind::Generate(generate) = &expr.kind else { return };
        texts.extend(generate.options.iter().filter_map(|(name, value)| {
            Written::of_expr(value, Layer::of_option(&name.value)?, source)
        }));
    });
    texts
}

fn text_of_config(config: &Config, source: &SourceFile) -> Option<Written> {
    match &config.kind {
        ConfigKind::Role(text) => Written::of_expr(text, Layer::Role, source),
        ConfigKind::Description(text) => Written::of_expr(text, Layer::Description, source),
        ConfigKind::Model(_) | ConfigKind::Policy { .. } => None,
    }
}

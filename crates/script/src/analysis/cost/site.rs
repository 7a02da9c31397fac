//! The worst case of one `generate`.

use super::super::declarations::Global;
use super::{Sum, Walker, constant};
use crate::host::NamedModel;
use crate::semantic::ceiling::{Ceiling, KnownModel, SiteCost};
use crate::syntax::ast::{Expr, ExprKind, Generate, ImportKind, MOST_OUTPUT, Text};
use crate::syntax::walk::{self, strip};
use contexture_core::profile::TOOL_ROUNDS;
use contexture_diagnostic::Span;
use std::collections::BTreeMap;

/// The greatest number of attempts whose answers grow one by one.
const GROWING: u64 = 64;

/// The options of a `generate` that bound it. An absent one is not a number that the program writes.
struct Bounds {
    attempts: Option<u64>,
    requests: u64,
    max_input: Option<u64>,
    max_output: Option<u64>,
    most_output: Option<u64>,
}

impl<'p> Walker<'p, '_> {
    /// Returns the worst case of a `generate` with all that it evaluates: its options, and the uses
    /// that it sees.
    pub(super) fn generate(&mut self, expr: &'p Expr, generate: &'p Generate) -> Sum {
        let mut sum = Sum::default();
        for (key, value) in &generate.options {
            if key.value != "tools" {
                sum = sum.plus(&self.expr(value));
            }
        }
        for scope in &self.scopes {
            sum = sum.plus(&scope.uses);
        }
        let number = self.site(expr, generate);
        let each = self.sites.get(number).map_or(Ceiling::ZERO, |site| site.each);
        sum.plus(&Sum { total: each, sites: BTreeMap::from([(number, Some(1))]) })
    }

    /// Returns the number of a model call; the same one when it is walked again.
    fn site(&mut self, expr: &'p Expr, generate: &'p Generate) -> usize {
        let bounds = self.bounds(generate);
        let known: Vec<KnownModel> =
            self.alternatives().iter().map(|model| (self.models)(model.as_ref())).collect();
        // One of them answers: the dearest counts.
        let each = known.iter().map(|model| self.worst(expr, generate, &bounds, model));
        let each = each.fold(Ceiling::ZERO, Ceiling::dearer);
        let site = SiteCost {
            file: self.source().to_owned(),
            span: expr.span,
            each,
            is_exact: known.iter().all(|model| model.is_exact),
            is_priced: known.iter().all(|model| model.profile.price.is_some()),
            model: known.into_iter().map(|model| model.uri).collect::<Vec<_>>().join(" or "),
            times: None,
        };
        let known = self.sites.iter().position(|known| *known == site);
        known.unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        })
    }

    /// Returns the models in force, each as if it were alone; `None` is the default one.
    fn alternatives(&self) -> Vec<Option<NamedModel>> {
        let name = self.scopes.iter().rev().find_map(|scope| scope.model);
        let global = name.and_then(|name| self.declarations.global(self.home.0, None, name));
        match (name, global) {
            (Some(name), Some(Global::Import(import))) if import.kind == ImportKind::Llm => {
                let alone = |uri: &Text| {
                    let groups = vec![vec![uri.value.clone()]];
                    Some(NamedModel { name: name.to_owned(), groups })
                };
                import.groups().into_iter().flatten().map(alone).collect()
            }
            _ => vec![None],
        }
    }

    fn bounds(&self, generate: &'p Generate) -> Bounds {
        let option = |name: &str| {
            let found = generate.options.iter().rev().find(|(key, _)| key.value == name);
            found.map(|(_, value)| value)
        };
        let number = |name: &str| option(name).and_then(constant);
        let is_list = |value: &&Expr| match &strip(value).kind {
            ExprKind::List(items) => !items.is_empty(),
            _ => true,
        };
        let may_call = option("tools").filter(is_list).is_some() || self.may_load(option("input"));
        Bounds {
            attempts: option("attempts").map_or(Some(1), constant),
            requests: if may_call { 1 + u64::from(TOOL_ROUNDS) } else { 1 },
            max_input: number("max_input"),
            max_output: number("max_output"),
            most_output: number(MOST_OUTPUT),
        }
    }

    /// Reports whether the model may be offered to load resources: a text of the prompt may hold a
    /// reference, or a `use` shows one.
    fn may_load(&self, input: Option<&'p Expr>) -> bool {
        let mut written = self.scopes.iter().any(|scope| scope.has_reference);
        let mut look = |expr: &Expr| {
            written |= matches!(&expr.kind, ExprKind::Str(text) if text.contains('@'));
        };
        if let Some(input) = input {
            walk::expressions(input, &mut look);
        }
        written
    }

    fn worst(
        &mut self,
        expr: &'p Expr,
        generate: &'p Generate,
        bounds: &Bounds,
        model: &KnownModel,
    ) -> Ceiling {
        let at = Span::new(expr.span.start, (expr.span.start + 8).min(expr.span.end));
        let KnownModel { uri, profile, .. } = model;
        let last = |name: &str| generate.options.iter().rev().find(|(key, _)| key.value == name);
        let is_off = |value: &Expr| matches!(strip(value).kind, ExprKind::Bool(false));
        let is_planned = last("plan").is_some_and(|(_, value)| !is_off(value));
        if is_planned {
            self.open(at, "a plan decides how often a model reads; limit the run with --max-cost");
        }
        // Anthropic counts the reasoning beside the limit of the answer.
        let thinks = last("think").is_some_and(|(_, value)| !is_off(value));
        let asked = bounds.max_output.filter(|_| !(thinks && uri.starts_with("anthropic:")));
        let most = asked.and(bounds.most_output);
        if bounds.attempts.is_none() {
            self.open(at, "`attempts` is not a number that the program writes");
        }
        let input = profile.input(bounds.max_input, most.or(asked));
        if input.is_none() {
            let reason = format!(
                "nothing bounds its prompt: give `max_input`, or the `window` of {uri} under [profiles]"
            );
            self.open(at, reason);
        }
        let output = profile.output(asked);
        if output.is_none() {
            let reason = format!(
                "nothing bounds its answer: give `max_output`, here or of {uri} under [profiles]"
            );
            self.open(at, reason);
        }
        let requests = Some(bounds.requests);
        let calls = bounds.attempts.zip(requests).map(|(one, other)| one.saturating_mul(other));
        let calls = calls.filter(|_| !is_planned);
        let input = calls.zip(input).map(|(calls, input)| calls.saturating_mul(input));
        let answers = output.zip(bounds.attempts).map(|(output, attempts)| {
            grown(output, profile.output(most.or(asked)).unwrap_or(output), attempts)
        });
        let output = calls.and(answers).map(|all| all.saturating_mul(bounds.requests));
        let money = input.zip(output).zip(profile.price);
        let money = money.map(|((input, output), price)| price.worst(input, output));
        Ceiling { calls, input, output, money }
    }
}

/// Returns the sum of the answers of attempts, each of which may be twice as long as the one before
/// it, up to `most`.
fn grown(first: u64, most: u64, attempts: u64) -> u64 {
    let mut sum: u64 = 0;
    let mut next = first;
    for _ in 0..attempts.min(GROWING) {
        sum = sum.saturating_add(next);
        next = next.saturating_mul(2).min(most.max(first));
    }
    let rest = attempts.saturating_sub(GROWING);
    sum.saturating_add(rest.saturating_mul(most.max(first)))
}

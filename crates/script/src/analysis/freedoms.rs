//! Bounds of a `use` that leave a choice (EV-10).

use super::Checker;
use super::declarations::Global;
use crate::codes;
use crate::syntax::ast::{Expr, ExprKind, ImportKind, SelectedNode, Use};
use crate::syntax::freedom::{MOST_CANDIDATES, candidates, keep_word, units};
use crate::syntax::walk::strip;
use contexture_diagnostic::Span;

impl<'p> Checker<'p, '_> {
    pub(super) fn freedom(&mut self, used: &'p Use, expr: &'p Expr) {
        self.best(used, expr);
        self.ranges(used);
        let candidates = candidates(used).len();
        if candidates > MOST_CANDIDATES {
            let message = format!(
                "the bounds leave {candidates} candidates, and {MOST_CANDIDATES} are the most"
            );
            self.push(codes::BAD_CHOICE.at(used.span, message).with_help("narrow a range"));
        }
        // A mark without a choice is reported by the parser.
        let is_written = |one: &&SelectedNode| (one.best, one.max, one.keep) != (None, None, None);
        if let Some(selected) = used.selected.as_ref().filter(is_written) {
            self.selected(used, selected);
        }
    }

    /// Checks `best 3 of`, which only a question gives a meaning.
    fn best(&mut self, used: &Use, expr: &Expr) {
        let Some(best) = &used.best else { return };
        if used.question.is_none() {
            let fault = codes::BAD_CHOICE.at(best.span, "`best` selects by a question");
            self.push(
                fault.with_help("write it, as in `use best 3 of Examples for input.question`"),
            );
        }
        if best.limit == 0 && best.low.is_none() {
            let fault = codes::BAD_CHOICE.at(best.span, "`best 0 of` shows nothing");
            self.push(fault.with_help("write how many parts are shown at most"));
        }
        let ExprKind::Name(name) = &strip(expr).kind else { return };
        let is_pack = !self.scopes.is_variable(name)
            && matches!(self.global(name), Some(Global::Import(import)) if import.kind == ImportKind::Knowledge);
        if is_pack {
            let fault = codes::BAD_CHOICE.at(best.span, "a knowledge pack has no parts to count");
            self.push(fault.with_help("give it a budget: `use Pack max 2k for input.question`"));
        }
    }

    fn ranges(&mut self, used: &Use) {
        let best = used.best.as_ref().map(|best| (best.low, best.limit, best.span));
        let max = used.max.as_ref().map(|max| (max.low, max.limit, max.span));
        for (low, limit, span) in [best, max].into_iter().flatten() {
            if low.is_some_and(|low| low >= limit) {
                let fault = codes::BAD_CHOICE.at(span, "the range leaves no choice");
                self.push(fault.with_help("write the least number first, as in `max 1k..6k`"));
            }
        }
        let Some((first, span)) = used.keep else { return };
        let mut seen = vec![first];
        for keep in &used.keep_or {
            if seen.contains(keep) {
                let message = format!("`{}` stands twice", keep_word(*keep));
                self.push(codes::BAD_CHOICE.at(span, message).with_help("remove one"));
            }
            seen.push(*keep);
        }
    }

    /// Checks that what is selected lies within the bounds, and nothing is selected of what has none.
    fn selected(&mut self, used: &Use, selected: &SelectedNode) {
        let best = used.best.as_ref().and_then(|best| Some((best.low?, best.limit)));
        let max = used.max.as_ref().and_then(|max| Some((max.low?, max.limit)));
        self.selected_number(
            selected.span,
            ("best", "best 0..4 of"),
            (best, selected.best),
            |it| it.to_string(),
        );
        self.selected_number(selected.span, ("max", "max 1k..6k"), (max, selected.max), units);
        let keeps = used.keep.iter().map(|(keep, _)| *keep).chain(used.keep_or.iter().copied());
        let keeps: Vec<_> = keeps.filter(|_| !used.keep_or.is_empty()).collect();
        let fault = match selected.keep {
            Some(keep) if keeps.is_empty() => {
                let message =
                    format!("`{}` is selected, and `keep` leaves no choice", keep_word(keep));
                Some((message, "write a choice, as in `keep head | tail`, or remove it".to_owned()))
            }
            Some(keep) if !keeps.contains(&keep) => {
                let known: Vec<&str> = keeps.iter().map(|keep| keep_word(*keep)).collect();
                let message = format!("`{}` is not a part that `keep` names", keep_word(keep));
                Some((message, format!("select {}", known.join(" or "))))
            }
            None if !keeps.is_empty() => {
                let known: Vec<&str> = keeps.iter().map(|keep| keep_word(*keep)).collect();
                let message = "`selected` names no part to keep".to_owned();
                Some((message, format!("add {}", known.join(" or "))))
            }
            _ => None,
        };
        if let Some((message, help)) = fault {
            self.push(codes::BAD_CHOICE.at(selected.span, message).with_help(help));
        }
    }

    fn selected_number(
        &mut self,
        span: Span,
        (word, example): (&str, &str),
        (range, chosen): (Option<(u64, u64)>, Option<u64>),
        written: fn(u64) -> String,
    ) {
        let fault = match (range, chosen) {
            (None, Some(number)) => {
                let message =
                    format!("`{}` is selected, and `{word}` leaves no choice", written(number));
                Some((message, format!("write a range, as in `{example}`, or remove it")))
            }
            (Some((low, limit)), Some(number)) if number < low || number > limit => {
                let message = format!("`{}` is not in the range of `{word}`", written(number));
                Some((message, format!("select {} to {}", written(low), written(limit))))
            }
            (Some((low, limit)), None) => {
                let message = format!("`selected` names no number of `{word}`");
                Some((message, format!("select {} to {}", written(low), written(limit))))
            }
            _ => None,
        };
        if let Some((message, help)) = fault {
            self.push(codes::BAD_CHOICE.at(span, message).with_help(help));
        }
    }
}

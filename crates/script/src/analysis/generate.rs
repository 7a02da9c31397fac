//! `generate`: its options and its shape (AS-19, AS-22).

use super::Checker;
use super::tools::is_literal;
use crate::codes;
use crate::runtime::options::RELEASE;
use crate::semantic::{Cause, GenerateFacts};
use crate::syntax::ast::{Expr, ExprKind, Generate, MOST_OUTPUT, Text, UnaryOp};
use crate::syntax::walk::strip;
use contexture_answer::{Shape, View};
use contexture_diagnostic::{Span, suggestion};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionType {
    Text,
    Count,
    Number,
    Flag,
    Think,
    OnCut,
    Tools,
    Release,
}

impl OptionType {
    const fn describe(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Count => "a positive whole number",
            Self::Number => "a number from 0",
            Self::Flag => "true or false",
            Self::Think => "true, false, \"auto\", \"low\", \"medium\" or \"high\"",
            Self::OnCut => "\"fail\" or \"keep\"",
            Self::Release => "a reason, or an object with a `reason` and bounds",
            Self::Tools => {
                "a list of imported tools and their methods, such as `[Grep, File.read]`"
            }
        }
    }
}

const TYPES: &[(&str, OptionType)] = &[
    ("input", OptionType::Text),
    ("role", OptionType::Text),
    ("description", OptionType::Text),
    ("max_output", OptionType::Count),
    (MOST_OUTPUT, OptionType::Count),
    ("on_cut", OptionType::OnCut),
    ("release", OptionType::Release),
    ("max_input", OptionType::Count),
    ("attempts", OptionType::Count),
    ("temperature", OptionType::Number),
    ("think", OptionType::Think),
    ("strict", OptionType::Flag),
    ("debug", OptionType::Flag),
    ("cache", OptionType::Flag),
    ("timeout", OptionType::Count),
    ("tools", OptionType::Tools),
    ("plan", OptionType::Flag),
];

/// Returns the options of `generate` with what each one takes, for editors (TY-10).
pub fn options() -> impl Iterator<Item = (&'static str, &'static str)> {
    let written = TYPES.iter().filter(|(name, _)| *name != MOST_OUTPUT);
    written.map(|(name, kind)| (*name, kind.describe()))
}

const ON_CUT: &[&str] = &["fail", "keep"];

const THINK: &[&str] = &["auto", "low", "medium", "high"];

impl<'p> Checker<'p, '_> {
    pub(super) fn generate(&mut self, expr: &'p Expr, generate: &'p Generate) {
        let mut can = Vec::new();
        for (key, value) in &generate.options {
            self.option(key, value, &mut can);
        }
        let file = self.program.files.get(self.file).map_or("", |file| file.source.name());
        let plan = self.plan_option(generate);
        self.cut_options(generate);
        self.release_option(generate);
        self.generates.push(GenerateFacts { file: file.to_owned(), span: expr.span, can, plan });
        for pending in self.scopes.missing_now() {
            self.unknown_in_use(pending.name, pending.span, Some(keyword(expr.span)));
        }
        let has_input = generate.options.iter().any(|(key, _)| key.value == "input");
        let badly_formed = self.was_told_badly_formed(expr.span);
        if !has_input && !badly_formed {
            let message = "missing option `input` of `generate`";
            let help = "describe the task: `input: \"…\"`";
            self.push(codes::MISSING_INPUT.at(keyword(expr.span), message).with_help(help));
        }
        match &generate.shape {
            Some(shape) => self.shape(shape),
            None if badly_formed => {}
            None => {
                let message =
                    "`generate` without a shape: its answer is raw text and is not checked";
                let help = "declare the shape of the answer: `-> { answer string }`";
                self.push(codes::NO_SHAPE.at(keyword(expr.span), message).with_help(help));
            }
        }
    }

    /// Refuses a `release` that lets nothing up: booleans and choices are closed, others where bounds are
    /// given.
    fn release_option(&mut self, generate: &Generate) {
        let option = generate.options.iter().rev().find(|(key, _)| key.value == "release");
        let Some((key, value)) = option else { return };
        let literal = &strip(value).kind;
        let parts = match literal {
            ExprKind::Object(parts) => parts.as_slice(),
            _ => &[],
        };
        let unknown = parts.iter().find(|(key, _)| !RELEASE.contains(&key.value.as_str()));
        let reason = parts.iter().find(|(key, _)| key.value == "reason");
        let is_blank = |expr: &Expr| matches!(&strip(expr).kind, ExprKind::Str(text) if text.trim().is_empty());
        let is_empty = match literal {
            ExprKind::Object(_) => reason.is_none_or(|(_, value)| is_blank(value)),
            _ => is_blank(value),
        };
        let has = |names: &[&str]| parts.iter().any(|(key, _)| names.contains(&key.value.as_str()));
        let bounded = Bounded { numbers: has(&["numbers", "ids"]), texts: has(&["dates", "ids"]) };
        // An object that is not written here may have any bounds.
        let is_open = !matches!(literal, ExprKind::Str(_) | ExprKind::Object(_));
        let bounded = if is_open { Bounded { numbers: true, texts: true } } else { bounded };
        if let Some((key, _)) = unknown {
            let message = format!("`release` has no part `{}`", key.value);
            let help = suggestion(&key.value, RELEASE)
                .unwrap_or_else(|| format!("it has {}", RELEASE.join(", ")));
            self.push(codes::BAD_RELEASE.at(key.span, message).with_help(help));
        } else if is_empty {
            let fault = codes::BAD_RELEASE.at(value.span, "`release` without a reason");
            self.push(fault.with_help("say why the page, file or tool may decide this"));
        } else if !generate
            .shape
            .as_ref()
            .and_then(|shape| self.declarations.shapes.shape_of(self.file, shape).ok())
            .is_some_and(|shape| bounded.is_closed(View::of(&shape)))
        {
            let message = "`release` lets nothing up: the answer has no boolean, no choice and nothing with bounds";
            let help = "declare closed parts, as in `-> { urgent boolean }`, or give bounds: `release: { reason: \"…\", numbers: [1, 10] }`";
            self.push(codes::BAD_RELEASE.at(key.span, message).with_help(help));
        }
    }

    /// Refuses what says nothing about an answer that was cut off: a text to keep where an object is
    /// wanted, and a range whose end is below its beginning.
    fn cut_options(&mut self, generate: &Generate) {
        let option = |name: &str| generate.options.iter().rev().find(|(key, _)| key.value == name);
        let literal = |name: &str| option(name).map(|(_, value)| &strip(value).kind);
        let keeps = matches!(literal("on_cut"), Some(ExprKind::Str(word)) if word == "keep");
        if let (true, Some(_), Some((key, _))) = (keeps, &generate.shape, option("on_cut")) {
            let message = "`on_cut: \"keep\"` keeps a text, and this answer has a shape";
            let help = "allow a longer answer: `max_output: 800 to 3200, attempts: 2`";
            self.push(codes::BAD_CUT.at(key.span, message).with_help(help));
        }
        if let (Some(ExprKind::Int(least)), Some(ExprKind::Int(most))) =
            (literal("max_output"), literal(MOST_OUTPUT))
            && let Some((_, value)) = option(MOST_OUTPUT).filter(|_| most < least)
        {
            let message = format!("the range of `max_output` ends at {most}, below {least}");
            self.push(codes::BAD_CUT.at(value.span, message).with_help("write the smaller first"));
        }
    }

    /// Reports whether a call may be planned, and refuses a plan without tools: there would be
    /// nothing to plan.
    fn plan_option(&mut self, generate: &Generate) -> bool {
        let option = |name: &str| generate.options.iter().rev().find(|(key, _)| key.value == name);
        let is = |value: &Expr, wanted| matches!(strip(value).kind, ExprKind::Bool(own) if own == wanted);
        let Some((key, _)) = option("plan").filter(|(_, value)| !is(value, false)) else {
            return false;
        };
        let is_empty =
            |value: &Expr| matches!(&strip(value).kind, ExprKind::List(items) if items.is_empty());
        if option("tools").is_none_or(|(_, value)| is_empty(value)) {
            let help = "name what the plan may use: `tools: [File.read, File.write]`";
            let fault =
                codes::BAD_PLAN.at(key.span, "`plan` without `tools`: there is nothing to plan");
            self.push(fault.with_help(help));
        } else if let Some((cache, _)) = option("cache").filter(|(_, value)| !is(value, false)) {
            let fault = codes::BAD_PLAN.at(
                cache.span,
                "`cache` does not go with `plan`: the steps would not be done again",
            );
            self.push(fault.with_help("leave `cache` out"));
        }
        true
    }

    fn was_told_badly_formed(&self, span: Span) -> bool {
        let first = self.bad_generates.partition_point(|bad| bad.start < span.start);
        self.bad_generates.get(first).is_some_and(|bad| bad.end <= span.end)
    }

    fn option(&mut self, key: &'p Text, value: &'p Expr, can: &mut Vec<Cause>) {
        // `limit` is the old name of `max_output`, which has been reported.
        let name = if key.value == "limit" { "max_output" } else { key.value.as_str() };
        let Some((_, kind)) = TYPES.iter().find(|(known, _)| *known == name) else {
            self.expr(value);
            return self.unknown_option(key);
        };
        if *kind == OptionType::Tools {
            return self.tools_option(value, can);
        }
        self.expr(value);
        if !fits(*kind, value) {
            let message = format!("the option `{name}` must be {}", kind.describe());
            let help = match (kind, &strip(value).kind) {
                (OptionType::Think, ExprKind::Str(text)) => suggestion(text, THINK.iter().copied()),
                (OptionType::OnCut, ExprKind::Str(text)) => {
                    suggestion(text, ON_CUT.iter().copied())
                }
                _ => None,
            };
            let help = help.unwrap_or_else(|| format!("give {}", kind.describe()));
            self.push(codes::OPTION_TYPE.at(value.span, message).with_help(help));
        }
    }

    fn unknown_option(&mut self, key: &Text) {
        let name = key.value.as_str();
        let meant = match name {
            "prompt" | "instruction" | "message" | "text" => Some("input"),
            "max_tokens" | "max" | "maxOutput" | "tokens" => Some("max_output"),
            "temp" => Some("temperature"),
            "retries" | "retry" | "tries" => Some("attempts"),
            "thinking" | "reasoning" | "effort" => Some("think"),
            _ => None,
        };
        let help = match (meant, name) {
            (Some(meant), _) => format!("did you mean `{meant}`?"),
            (None, "model") => "choose a model with `model NAME` before the `generate`".to_owned(),
            (None, "schema" | "shape" | "output") => {
                "write the shape after the call: `-> { … }`".to_owned()
            }
            (None, "system" | "role") => {
                "set the identity with `role \"…\"` and `description \"…\"`".to_owned()
            }
            (None, "context") => "select what the model sees with `use`".to_owned(),
            (None, _) => {
                let known =
                    TYPES.iter().map(|(known, _)| *known).filter(|name| *name != MOST_OUTPUT);
                let known: Vec<&str> = known.collect();
                suggestion(name, known.iter().copied())
                    .unwrap_or_else(|| format!("the options are {}", known.join(", ")))
            }
        };
        let message = format!("unknown option `{name}` of `generate`");
        self.push(codes::UNKNOWN_OPTION.at(key.span, message).with_help(help));
    }
}

/// Reports whether an answer of this shape has a closed part outside of lists.
/// The kinds of values that a release bounds.
struct Bounded {
    numbers: bool,
    texts: bool,
}

impl Bounded {
    /// Reports whether a part of an answer may be let up.
    fn is_closed(&self, view: View<'_>) -> bool {
        match view.shape {
            Shape::Boolean | Shape::Enum(_) => true,
            Shape::Number | Shape::Integer => self.numbers,
            Shape::String => self.texts,
            Shape::Object(fields) => fields
                .iter()
                .filter(|field| !matches!(field.shape, Shape::Named(_)))
                .any(|field| self.is_closed(view.field(field))),
            _ => false,
        }
    }
}

fn keyword(span: Span) -> Span {
    Span::new(span.start, (span.start + 8).min(span.end))
}

/// Reports whether an expression may be the value of an option: literals are checked, everything
/// else may.
fn fits(kind: OptionType, value: &Expr) -> bool {
    let literal = &strip(value).kind;
    let negative = matches!(literal, ExprKind::Unary { op: UnaryOp::Negate, operand }
        if matches!(strip(operand).kind, ExprKind::Int(_) | ExprKind::Float(_)));
    match (kind, literal) {
        (OptionType::Text | OptionType::Release, ExprKind::Str(_))
        | (OptionType::Release, ExprKind::Object(_))
        | (OptionType::Flag | OptionType::Think, ExprKind::Bool(_))
        | (OptionType::Number, ExprKind::Int(_) | ExprKind::Float(_)) => true,
        (OptionType::Think, ExprKind::Str(text)) => THINK.contains(&text.as_str()),
        (OptionType::OnCut, ExprKind::Str(text)) => ON_CUT.contains(&text.as_str()),
        (OptionType::Count, ExprKind::Int(value)) => *value >= 1,
        _ => !(is_literal(literal) || negative),
    }
}

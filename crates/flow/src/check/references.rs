//! Conditions and `${…}`: their syntax, their roots, and whether the outcomes they read are
//! declared (FL-5).

use super::ids::Ids;
use super::plan::Guard;
use super::report::{Diagnostic, Report};
use crate::codes;
use crate::condition::{Condition, Path};
use crate::graph::reach::Reach;
use crate::graph::{Edges, Marks, number};
use crate::reference::{self, Part};
use crate::set::{Set, Step};
use contexture_diagnostic::{Span, nearest};
use contexture_protocol::content::Status;
use serde_json::{Map, Value};

/// The greatest nesting of lists and objects in parameters.
const MAX_DEPTH: usize = 1_000;

/// A place that reads the outcome of an indirect dependency.
struct Use<'l> {
    step: u32,
    node: u32,
    id: String,
    place: String,
    source: &'l str,
    span: Span,
}

/// Checks all steps; returns the compiled conditions, and whether parameters contain references.
pub(crate) fn check(
    set: &Set,
    ids: &mut Ids<'_>,
    dependencies: &Edges,
    mut reach: Reach<'_>,
    report: &mut Report,
) -> (Vec<Option<Box<Guard>>>, Vec<bool>) {
    let mut guards = Vec::with_capacity(set.steps.len());
    let mut is_expanded = Vec::with_capacity(set.steps.len());
    let (mut uses, mut direct) = (Vec::new(), Marks::new(ids.count()));
    for (index, step) in set.steps.iter().enumerate() {
        direct.next();
        for node in dependencies.of(number(index)) {
            direct.mark(*node);
        }
        let mut look = Look {
            set,
            index,
            ids,
            report,
            reach: &mut reach,
            direct: &direct,
            uses: &mut uses,
            holds: false,
        };
        guards.push(look.condition(step));
        look.parameters(step);
        is_expanded.push(look.holds);
    }
    declared(set, ids, &reach, &uses, report);
    (guards, is_expanded)
}

/// Reports outcomes that are read without being declared.
fn declared(set: &Set, ids: &Ids<'_>, reach: &Reach<'_>, uses: &[Use<'_>], report: &mut Report) {
    // Declarations are unknown if one of them can't be parsed.
    if uses.is_empty() || set.form.as_ref().is_some_and(|form| form.is_vague) {
        return;
    }
    let pairs: Vec<(u32, u32)> = uses.iter().map(|used| (used.node, used.step)).collect();
    let answers = reach.answers(&pairs);
    let lost = uses.iter().zip(answers).filter(|(_, is_before)| !is_before).map(|(used, _)| used);
    let lost: Vec<&Use<'_>> = lost.collect();
    let turned: Vec<(u32, u32)> = lost.iter().map(|used| (used.step, used.node)).collect();
    // A step that runs later can't be a dependency as well.
    for (used, is_after) in lost.into_iter().zip(reach.answers(&turned)) {
        let step = set.steps.get(used.step as usize).map_or("", |step| step.id.as_str());
        let field = set.dependency_field();
        report.add(|| undeclared(used, step, field, ids.is_earlier(used.node), is_after));
    }
}

fn undeclared(
    used: &Use<'_>,
    step: &str,
    field: &str,
    is_earlier: bool,
    is_after: bool,
) -> Diagnostic {
    let id = &used.id;
    let (message, help) = if used.node == used.step {
        (format!("`{id}` reads its own outcome"), "read another step".to_owned())
    } else if is_after {
        (
            format!("`{id}` is not a dependency of `{step}`"),
            format!("`{id}` depends on `{step}` and ends after it: read another step"),
        )
    } else {
        let ended = if is_earlier { ", which ended earlier," } else { "" };
        (
            format!("`{id}`{ended} is not a dependency of `{step}`"),
            format!("add \"{id}\" to `{field}` of `{step}`"),
        )
    };
    Diagnostic::new(codes::UNDECLARED_REFERENCE, &*used.place, message)
        .with_help(help)
        .with_source(used.source, used.span)
}

struct Look<'l, 's, 'g, 't> {
    set: &'t Set,
    index: usize,
    ids: &'l mut Ids<'s>,
    report: &'l mut Report,
    reach: &'l mut Reach<'g>,
    /// The direct dependencies of the step.
    direct: &'l Marks,
    uses: &'l mut Vec<Use<'t>>,
    holds: bool,
}

impl<'t> Look<'_, '_, '_, 't> {
    fn place(&self, rest: &str) -> String {
        format!("{}{rest}", self.set.pointer_of(self.index))
    }

    fn condition(&mut self, step: &'t Step) -> Option<Box<Guard>> {
        let text = step.condition.as_deref()?;
        let condition = match Condition::optional(text) {
            Ok(condition) => condition?,
            Err(fault) => {
                let place = self.place("/condition");
                self.report
                    .add(|| Diagnostic::syntax(codes::CONDITION_SYNTAX, place, text, &fault));
                return None;
            }
        };
        let mut excused = Vec::new();
        for path in condition.paths() {
            self.path(path, text, || "/condition".to_owned(), false);
            if !matches!(path.outcome_field(), Some("status" | "error")) {
                continue;
            }
            let known = path.outcome().and_then(|id| self.ids.number(id));
            excused.extend(known.filter(|node| self.direct.has(*node)));
        }
        self.statuses(&condition, text);
        excused.sort_unstable();
        excused.dedup();
        Some(Box::new(Guard { condition, excused: excused.into() }))
    }

    /// Warns of a status that is compared with a word that no status is.
    fn statuses(&mut self, condition: &Condition, text: &str) {
        for comparison in condition.status_comparisons() {
            let word = comparison.word;
            if Status::parse(word).is_some_and(Status::is_final) {
                continue;
            }
            let place = self.place("/condition");
            self.report.warn(|| {
                let message = format!("the status of `{}` is never `{word}` here", comparison.path);
                Diagnostic::new(codes::IMPOSSIBLE_STATUS, place, message)
                    .with_help(meant(word))
                    .with_source(text, comparison.path.span())
            });
        }
    }

    fn parameters(&mut self, step: &'t Step) {
        self.map(&step.parameters, "/parameters");
        let recovery = step.recovery.as_ref().and_then(|recovery| recovery.alternative.as_ref());
        if let Some(map) = recovery.and_then(|alternative| alternative.parameters.as_ref()) {
            self.map(map, "/recovery/alternative/parameters");
        }
        let frontend = step.frontend.as_ref().and_then(|frontend| frontend.alternative.as_ref());
        if let Some(map) = frontend.and_then(|alternative| alternative.parameters.as_ref()) {
            self.map(map, "/alternative/parameters");
        }
    }

    fn map(&mut self, map: &'t Map<String, Value>, at: &str) {
        let mut way = Vec::new();
        for (key, value) in map {
            way.push(Key::Name(key));
            self.value(value, at, &mut way);
            way.pop();
        }
    }

    fn value(&mut self, value: &'t Value, at: &str, way: &mut Vec<Key<'t>>) {
        if way.len() > MAX_DEPTH {
            let place = self.place(&(at.to_owned() + &pointer(way)));
            let message = format!("nested deeper than {MAX_DEPTH} lists and objects");
            self.report.add(|| Diagnostic::new(codes::MALFORMED, place, message));
            return;
        }
        match value {
            Value::String(text) if reference::is_expanded(text) => self.text(text, at, way),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    way.push(Key::Index(index));
                    stacker::maybe_grow(32 << 10, 1 << 20, || self.value(item, at, way));
                    way.pop();
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    way.push(Key::Name(key));
                    stacker::maybe_grow(32 << 10, 1 << 20, || self.value(value, at, way));
                    way.pop();
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &'t str, at: &str, way: &[Key<'_>]) {
        self.holds = true;
        let rest = || at.to_owned() + &pointer(way);
        match reference::parts(text) {
            Err(fault) => {
                let place = self.place(&rest());
                self.report.add(|| Diagnostic::syntax(codes::BAD_REFERENCE, place, text, &fault));
            }
            Ok(parts) => {
                for part in &parts {
                    if let Part::Path(path) = part {
                        self.path(path, text, rest, true);
                    }
                }
            }
        }
    }

    /// Checks the root and the id of a path.
    fn path(&mut self, path: &Path, text: &'t str, rest: impl Fn() -> String, is_reference: bool) {
        let place = |look: &Self| look.place(&rest());
        let Some(id) = path.outcome() else {
            let place = place(self);
            self.report
                .add(|| unknown_root(path, place, is_reference).with_source(text, path.span()));
            return;
        };
        let Some(node) = self.ids.number(id) else {
            if self.set.has_nameless() {
                return;
            }
            let place = place(self);
            let ids = &mut *self.ids;
            self.report.add(|| ids.unknown(place, id).with_source(text, path.span()));
            return;
        };
        let step = number(self.index);
        if !self.direct.has(node) && !self.reach.is_above(node, step) {
            let (id, place, span) = (id.to_owned(), place(self), path.span());
            self.uses.push(Use { step, node, id, place, source: text, span });
        }
    }
}

fn unknown_root(path: &Path, place: String, is_reference: bool) -> Diagnostic {
    let root = path.root();
    let kind = if is_reference { codes::BAD_REFERENCE } else { codes::UNKNOWN_ROOT };
    if matches!(root, "dependencies" | "results") {
        let message = format!("`{root}` alone is not an outcome");
        let help = format!("name an outcome by its id: {root}.ID");
        let fault = Diagnostic::new(kind, place, message).with_help(help);
        return Diagnostic { code: "UNDECLARED_REFERENCE", ..fault };
    }
    let message = format!("unknown root `{root}`");
    let fault = Diagnostic::new(kind, place, message);
    let near = nearest(root, ["dependencies", "results"]);
    let fault = match (near, is_reference) {
        (Some(near), _) => fault.with_help(format!("did you mean `{near}`?")),
        (None, true) => fault.with_help(
            "the roots are `dependencies` and `results`; write `$${` for a literal `${`",
        ),
        (None, false) => {
            fault.with_help("the roots are `dependencies` and `results`; put a text in quotes")
        }
    };
    Diagnostic { code: "UNDECLARED_REFERENCE", ..fault }
}

fn meant(word: &str) -> String {
    let right = match word.to_ascii_uppercase().as_str() {
        "SUCCESS" | "SUCCEEDED" | "OK" | "DONE" | "COMPLETE" | "FINISHED" => "COMPLETED",
        "ERROR" | "FAILURE" | "FAIL" => "FAILED",
        "SKIP" => "SKIPPED",
        "TIMED_OUT" | "LATE" => "TIMEOUT",
        _ => {
            let words = ["COMPLETED", "FAILED", "SKIPPED", "TIMEOUT"];
            match nearest(word, words) {
                Some(near) => near,
                None => return "a status is COMPLETED, FAILED, SKIPPED or TIMEOUT".to_owned(),
            }
        }
    };
    format!("write '{right}'")
}

/// A step into a value.
enum Key<'v> {
    Name(&'v str),
    Index(usize),
}

fn pointer(way: &[Key<'_>]) -> String {
    let mut out = String::new();
    for key in way {
        out.push('/');
        match key {
            Key::Name(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Key::Index(index) => out.push_str(&index.to_string()),
        }
    }
    out
}

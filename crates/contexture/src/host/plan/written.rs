//! A plan as a model wrote it: its shape, and the check before anything of it is done.

use super::actions::PlanActions;
use super::inputs::Input;
use crate::flows::origins::{holds_references, outcomes_in};
use crate::flows::shape;
use contexture_answer::{Field, FieldError, Shape};
use contexture_context::Limits as RunLimits;
use contexture_diagnostic::Severity;
use contexture_flow::action::Actions as _;
use contexture_flow::check::{Earlier, Plan, Report, check};
use contexture_flow::condition::Condition;
use contexture_flow::reference::{Part, parts};
use contexture_flow::{Set, Step};
use contexture_llm::mock::placeholder;
use contexture_protocol::Limits;
use serde_json::{Map, Value, json};

/// The action that reads a text into a hole.
pub(super) const READ: &str = "read_text";

/// The action that ends a plan.
pub(super) const ANSWER: &str = "answer";

/// The most steps of a plan.
pub(super) const MOST_STEPS: usize = 100;

/// The limits of a plan as a document.
const LIMITS: Limits = Limits { items: MOST_STEPS, bytes: 1 << 20, ..Limits::WIRE };

/// Returns the shape of a plan with these actions: an instruction set.
pub(super) fn shape_of_plan(actions: impl IntoIterator<Item = String>) -> Shape {
    let step = Shape::Object(vec![
        Field::new("instructionId", Shape::String),
        Field::new("action", Shape::one_of(actions)),
        Field::new("parameters", Shape::Json),
        Field::new("condition", Shape::String).optional(),
    ]);
    Shape::Object(vec![Field::new("instructions", Shape::list(step))])
}

/// Returns a plan that answers with a placeholder of this shape.
pub(super) fn mock(shape: Option<&Shape>) -> Value {
    let schema = shape.map(Shape::to_json_schema).unwrap_or_default();
    let value = placeholder(&schema);
    let parameters = json!({ "value": value });
    let step = json!({ "instructionId": ANSWER, "action": ANSWER, "parameters": parameters });
    json!({ "instructions": [step] })
}

/// Returns the document of a plan: the fields that a plan has, and the dependencies that follow
/// from what its steps name.
pub(super) fn document(value: &Value) -> Value {
    let steps = value.get("instructions").and_then(Value::as_array);
    let steps = steps.into_iter().flatten().map(|step| {
        let field = |name: &str| step.get(name).filter(|value| !value.is_null()).cloned();
        let mut names = field("parameters").map(|own| outcomes_in(&own)).unwrap_or_default();
        let condition = field("condition");
        names.extend(condition.as_ref().and_then(Value::as_str).map(named_by).unwrap_or_default());
        names.sort_unstable();
        names.dedup();
        let mut fields = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            fields.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("instructionId", field("instructionId"));
        put("action", field("action"));
        put("parameters", field("parameters"));
        put("dependencies", (!names.is_empty()).then(|| json!(names)));
        put("condition", condition);
        Value::Object(fields)
    });
    json!({ "instructions": steps.collect::<Vec<_>>() })
}

/// Returns the ids of the outcomes that a condition names.
pub(super) fn named_by(condition: &str) -> Vec<String> {
    let condition = Condition::optional(condition).ok().flatten();
    let paths = condition.as_ref().map(Condition::paths).unwrap_or_default();
    paths.into_iter().filter_map(|path| path.outcome().map(str::to_owned)).collect()
}

/// The facts that a plan is checked against.
pub(super) struct Check<'p> {
    pub(super) actions: &'p PlanActions,
    pub(super) inputs: &'p [Input],
    pub(super) earlier: &'p Earlier,
    pub(super) limits: &'p RunLimits,
}

impl Check<'_> {
    /// Checks a plan.
    ///
    /// # Errors
    /// All that is wrong with it, by place.
    pub(super) fn plan(&self, value: &Value) -> Result<Plan, Vec<FieldError>> {
        let steps = value.get("instructions").and_then(Value::as_array).map_or(0, Vec::len);
        if steps > MOST_STEPS {
            let expected = format!("at most {MOST_STEPS} steps");
            return Err(vec![fault("instructions".to_owned(), expected, steps.to_string())]);
        }
        let set = Set::from_value(document(value), &LIMITS).map_err(|report| told(&report))?;
        let mut faults = self.steps(&set);
        match check(set, self.actions, self.earlier) {
            Ok(plan) if faults.is_empty() => Ok(plan),
            Ok(_) => Err(faults),
            Err(report) => {
                faults.extend(told(&report));
                Err(faults)
            }
        }
    }

    /// Returns what the check of any set does not look at.
    fn steps(&self, set: &Set) -> Vec<FieldError> {
        let mut faults = Vec::new();
        let last = set.steps.len().saturating_sub(1);
        for (at, step) in set.steps.iter().enumerate() {
            let mut say = |place: &str, expected: &str, found: String| {
                faults.push(fault(format!("instructions[{at}].{place}"), expected, found));
            };
            if self.inputs.iter().any(|input| input.id == step.id) {
                say("instructionId", "an id that is not an input's", format!("`{}`", step.id));
            }
            match step.action.as_str() {
                ANSWER if at < last => {
                    say("action", "`answer` as the last step alone", ANSWER.into())
                }
                ANSWER if step.condition.is_some() => {
                    say("condition", "none: a plan always answers", "a condition".into());
                }
                READ => self.reading(step, &mut say),
                _ => {}
            }
            for misfit in self.misfits(set, step) {
                say("parameters", "parameters that fit the action", misfit);
            }
        }
        if set.steps.last().is_none_or(|step| step.action != ANSWER) {
            let found = "a plan without it".to_owned();
            faults.push(fault("instructions".to_owned(), "`answer` as the last step", found));
        }
        faults
    }

    /// Checks that question and shape are the plan's own words.
    fn reading(&self, step: &Step, say: &mut impl FnMut(&str, &str, String)) {
        let own = |name: &str| step.parameters.get(name).filter(|value| !holds_references(value));
        if own("question").and_then(Value::as_str).is_none() {
            say("parameters.question", "a text without `${…}`", "another".to_owned());
        }
        let shape = own("shape").ok_or_else(|| "another".to_owned());
        if let Err(found) = shape.and_then(|written| shape::read(written, self.limits)) {
            say("parameters.shape", "a shape without `${…}`", found);
        }
    }

    /// Returns the shape of what a template is: a hole, or a field of one.
    fn hole(&self, set: &Set, template: &Value) -> Option<Shape> {
        let parts = parts(template.as_str()?).ok()?;
        let [Part::Path(path)] = parts.as_slice() else { return None };
        let [id, result, fields @ ..] = path.segments() else { return None };
        let is_hole = |step: &&Step| step.action == READ && step.id == id.name();
        let step = set.steps.iter().find(is_hole).filter(|_| result.name() == "result")?;
        let (shape, _) = shape::read(step.parameters.get("shape")?, self.limits).ok()?;
        fields.iter().try_fold(shape?, |shape, field| match shape {
            Shape::Object(fields) => {
                let found = fields.into_iter().find(|one| one.name == field.name());
                found.filter(|one| !one.optional).map(|one| one.shape)
            }
            _ => None,
        })
    }

    /// Returns how the parameters whose type is known differ from what the action takes.
    fn misfits(&self, set: &Set, step: &Step) -> Vec<String> {
        let Some(schema) = self.actions.describe(&step.action).and_then(|info| info.parameters)
        else {
            return Vec::new();
        };
        let (named, mut own): (Map<_, _>, Map<_, _>) =
            step.parameters.clone().into_iter().partition(|(_, value)| holds_references(value));
        // Of a hole the shape is known, so a value of it stands for it.
        let mut open = Map::new();
        for (name, value) in named {
            match self.hole(set, &value) {
                Some(shape) => own.insert(name, placeholder(&shape.to_json_schema())),
                None => open.insert(name, value),
            };
        }
        let mut schema = schema;
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|name| name.as_str().is_none_or(|name| !open.contains_key(name)));
        }
        crate::frontend::check(&Value::Object(own), &schema)
    }
}

fn told(report: &Report) -> Vec<FieldError> {
    let errors = report.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let told = errors.map(|one| {
        let help = one.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        let expected = one.message.strip_prefix("expected ");
        match expected.and_then(|rest| rest.split_once(", found ")) {
            Some((expected, found)) => fault(place(&one.path), expected, found.to_owned()),
            None => {
                let found = format!("{}{help}", one.message);
                fault(place(&one.path), "a step that can be done", found)
            }
        }
    });
    told.collect()
}

/// Returns a JSON pointer as a path: `instructions[0].action`.
fn place(pointer: &str) -> String {
    let parts = pointer.split('/').filter(|part| !part.is_empty());
    parts.fold(String::new(), |path, part| match part.parse::<usize>() {
        Ok(index) => format!("{path}[{index}]"),
        Err(_) if path.is_empty() => part.to_owned(),
        Err(_) => format!("{path}.{part}"),
    })
}

fn fault(path: String, expected: impl Into<String>, found: String) -> FieldError {
    FieldError { path, expected: expected.into(), found }
}

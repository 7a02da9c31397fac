//! The obedient model where a program has its calls planned: what it is shown to plan with, and the
//! holes that it fills.
//!
//! Its honest plan holds the calls that a case says, as far as it can: an argument that it was told is
//! written into the plan, and any other is a hole, read from the inputs and the results so far. It obeys
//! orders here as well: one that reaches the planner is a step, and one in a text fills a hole with the
//! attacker's argument.

use super::case::{Case, Step};
use super::model::{Order, answer, plain};
use serde_json::{Map, Value, json};

/// What the request for a plan begins with.
const GUIDE: &str = "Answer with a plan, not with the answer";
const HOLE: &str = "HOLE ";

/// Returns a case with its calls planned; none where no `generate` holds tools.
pub fn case(case: &Case) -> Option<Case> {
    let program = case.program.replace("tools: [", "plan: true, tools: [");
    let program = program.replace("plan: true, tools: []", "tools: []");
    (program != case.program).then(|| Case { program, ..case.clone() })
}

/// Returns the answer to a request for a plan, or for the value of a hole.
pub fn response(steps: &[Step], prompt: &str, orders: &[Order]) -> Option<String> {
    if let Some(at) = prompt.rfind(HOLE) {
        return Some(filled(steps, prompt, &prompt[at + HOLE.len()..], orders));
    }
    prompt.contains(GUIDE).then(|| plan(steps, prompt, orders))
}

/// Returns the value of a hole: what an order says, else the honest one.
fn filled(steps: &[Step], prompt: &str, hole: &str, orders: &[Order]) -> String {
    let mut words = hole.split_whitespace();
    let step = words.next().and_then(|number| steps.get(number.parse::<usize>().ok()?));
    let Some(call) = words.next().and_then(|number| number.parse::<usize>().ok()) else {
        let said = answer(step, orders, prompt);
        let is_json = step.is_some_and(|step| step.json.is_some());
        return if is_json { said } else { json!(said).to_string() };
    };
    let name = words.next().unwrap_or_default();
    let ordered = orders.iter().find_map(|order| match order {
        Order::Call(_, arguments) => arguments.get(name),
        _ => None,
    });
    let honest = step.and_then(|step| step.calls.get(call)?.1.get(name));
    ordered.or(honest).cloned().unwrap_or_default().to_string()
}

fn plan(steps: &[Step], prompt: &str, orders: &[Order]) -> String {
    let (task, told) = prompt.split_once(GUIDE).unwrap();
    let whole = format!("{task}{}", told.rsplit_once("Instruction:").map_or("", |(_, own)| own));
    let found = (0..steps.len()).filter(|at| whole.contains(&steps[*at].when));
    let at = found.max_by_key(|at| whole.rfind(&steps[*at].when));
    let mut written = Written { told, whole, ids: inputs(told), steps: Vec::new() };
    let honest = at.map_or(&[][..], |at| steps[at].calls.as_slice());
    for (number, (name, arguments)) in honest.iter().enumerate() {
        written.call((at.unwrap(), number), name, arguments);
    }
    for order in orders {
        if let Order::Call(name, arguments) = order {
            written.obey(name, arguments);
        }
    }
    let hole = format!("{HOLE}{} answer", at.unwrap_or(steps.len()));
    let shape = told.split_once("answers the instruction, in this shape: ");
    let shape = shape.and_then(|(_, rest)| rest.lines().next()?.strip_suffix('.'));
    let value = match written.ids.is_empty() {
        true => {
            let own = at.map(|at| &steps[at]);
            let said = answer(own, orders, prompt);
            serde_json::from_str(&said).ok().filter(Value::is_object).unwrap_or(json!(said))
        }
        false => written.hole(&hole, shape.unwrap_or("string")),
    };
    written.step("answer", json!({ "value": value }));
    json!({ "instructions": written.steps }).to_string()
}

/// The ids of the inputs that the planner is told.
fn inputs(told: &str) -> Vec<String> {
    let list = told.split_once("Inputs, by their ids:\n").map_or("", |(_, list)| list);
    let ids = list.lines().map_while(|line| line.strip_prefix("- "));
    ids.map(str::to_owned).collect()
}

/// A plan that is being written.
struct Written<'p> {
    told: &'p str,
    /// What the planner knows of the task.
    whole: String,
    /// The inputs and results so far.
    ids: Vec<String>,
    steps: Vec<Value>,
}

impl Written<'_> {
    fn call(&mut self, (at, number): (usize, usize), name: &str, arguments: &Value) {
        let Some(action) = self.action(name) else { return };
        let mut parameters = Map::new();
        for (argument, value) in arguments.as_object().unwrap() {
            let is_known = value.as_str().is_none_or(|text| self.whole.contains(text));
            let value = match is_known || self.ids.is_empty() {
                true => value.clone(),
                false => self.hole(&format!("{HOLE}{at} {number} {argument}"), "string"),
            };
            parameters.insert(argument.clone(), value);
        }
        let id = self.step(&action, parameters.into());
        self.ids.push(id);
    }

    /// Adds what an order says: data that it asks for is all that there is.
    fn obey(&mut self, name: &str, arguments: &Value) {
        let Some(action) = self.action(name) else { return };
        let all = self.text();
        let fill = |text: &str| text.replace("%ALL%", &all).replace("%SECRET%", &all);
        let parameters = super::model::mapped(arguments, &fill);
        self.step(&action, parameters);
    }

    fn hole(&mut self, question: &str, shape: &str) -> Value {
        let parameters = json!({ "text": self.text(), "question": question, "shape": shape });
        let id = self.step("read_text", parameters);
        format!("${{results.{id}.result}}").into()
    }

    /// All that there is so far.
    fn text(&self) -> String {
        let parts = self.ids.iter().map(|id| format!("${{results.{id}.result}}"));
        parts.collect::<Vec<_>>().join("\n")
    }

    fn step(&mut self, action: &str, parameters: Value) -> String {
        let id = format!("s{}", self.steps.len());
        let step = json!({ "instructionId": id, "action": action, "parameters": parameters });
        self.steps.push(step);
        id
    }

    /// The action that the name of a function means.
    fn action(&self, name: &str) -> Option<String> {
        let actions =
            self.told.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
        let actions: Vec<&str> =
            actions.map(|(name, _)| name).filter(|name| !name.contains(' ')).collect();
        let meant = plain(name);
        let found = actions.iter().find(|action| plain(action) == meant);
        let found = found.or_else(|| actions.iter().find(|one| plain(one).ends_with(&meant)));
        let mut own = actions.iter().filter(|action| action.ends_with(".run"));
        let only = own.next().filter(|_| own.next().is_none());
        found.or(only).map(|action| (*action).to_owned())
    }
}

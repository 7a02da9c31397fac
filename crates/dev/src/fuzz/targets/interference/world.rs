//! What stands outside of a program: files and pages that differ from world to world, the true policy,
//! and a model that obeys whatever it reads.

use contexture_context::{Label, TraceKind, Trust};
use contexture_core::policy::{Class, Effect, Influence, Policy, Verdict};
use contexture_script::host::{
    Event, FileImport, GenerateCall, Host, HostError, HostFuture, MemoryCall, Supplied,
    SuppliedFile, ToolCall,
};
use contexture_script::knowledge::KnowledgeCall;
use contexture_script::template::TemplateCall;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a run does that another one has to do as well.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Effect(String),
    Failure(String),
}

/// The world of a run: what stands outside, the true policy, and a model that obeys the data.
pub(super) struct World {
    seed: u64,
    policy: Policy,
    /// True if a person says yes to each question.
    says_yes: bool,
    /// True if answers forget what they were made of.
    washes: bool,
    steps: Mutex<Vec<Step>>,
    notes: Mutex<Vec<(Value, Label)>>,
}

pub(super) fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl World {
    pub(super) fn new(seed: u64, mode: Mode, washes: bool) -> Self {
        let mut policy = Policy::default();
        if mode == Mode::Deny {
            policy.classes.insert(Class::Send, Verdict::Deny);
        }
        let says_yes = mode == Mode::Person;
        Self { seed, policy, says_yes, washes, steps: Mutex::default(), notes: Mutex::default() }
    }

    /// Returns what was done in it.
    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps.into_inner()
    }

    /// Returns what a file or page of this world holds.
    fn outside(&self, name: &str) -> Value {
        let number = hash((self.seed, name));
        match name {
            "n" => json!(number % 4),
            "l" => {
                let all = [number % 3, number % 5 % 3, 1];
                all.into_iter().take(1 + usize::try_from(number % 3).unwrap_or_default()).collect()
            }
            "o" => json!({ "x": number % 4, "y": number % 3 }),
            _ => json!(format!("w{}", number % 4)),
        }
    }

    fn permitted(
        &self,
        (name, class, origin): (&str, Class, Option<&str>),
        influence: &Influence,
        arguments: &Value,
    ) -> Result<(), HostError> {
        let decision =
            self.policy.decide(&Effect { name, class, influence, origin, demands: None });
        match decision.verdict {
            Verdict::Allow => {
                let demanded = ["path", "url", "headers"].map(|one| arguments.get(one));
                let step = Step::Effect(format!("{name} {demanded:?}"));
                self.steps.lock().push(step);
                Ok(())
            }
            Verdict::Ask if self.says_yes => Ok(()),
            _ => Err(HostError::new("POLICY_DENIED", "refused")),
        }
    }
}

fn ready<'a>(result: Result<Supplied, HostError>) -> HostFuture<'a, Supplied> {
    Box::pin(std::future::ready(result))
}

/// Refuses what the programs don't have.
fn missing<'a, T: Send + 'a>() -> HostFuture<'a, T> {
    Box::pin(std::future::ready(Err(HostError::new("missing", "the programs have none"))))
}

fn supplied(value: Value, label: Label) -> Result<Supplied, HostError> {
    Ok(Supplied { value, label, ..Supplied::default() })
}

impl Host for World {
    fn generate<'a>(&'a self, call: GenerateCall) -> HostFuture<'a, Supplied> {
        let mut label = call.decision.clone().join(&call.instruction_label);
        let mut prompt = call.instruction.clone();
        for item in &call.items {
            label = label.join(&item.origin);
            prompt += &item.value.to_string();
        }
        let wish = hash(&prompt) % 4;
        if !call.options.tools.is_empty() {
            let arguments = json!({ "path": format!("m{wish}"), "content": prompt });
            let names = arguments.as_object().into_iter().flat_map(serde_json::Map::keys);
            let influence = Influence::of_model(&label, names);
            // A model gets a refusal as an answer.
            let _ = self.permitted(("file.write", Class::Write, None), &influence, &arguments);
        }
        let value = match call.shape {
            Some(_) => json!({ "n": wish, "ok": wish < 2 }),
            None => json!(format!("w{wish}")),
        };
        let label = if self.washes { Label::default() } else { label.answered("answer") };
        ready(supplied(value, label))
    }

    fn tool<'a>(&'a self, call: ToolCall) -> HostFuture<'a, Supplied> {
        let origin = "https://api.example.com";
        let (name, class, origin) = match (call.tool.name.as_str(), call.method.as_str()) {
            ("File", "read") => {
                let path = call.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
                let value = self.outside(path);
                return ready(supplied(value, Label::of(path, Trust::Tool)));
            }
            ("File", _) => ("file.write", Class::Write, None),
            (_, "get") => ("http.get", Class::Read, Some(origin)),
            _ => ("http.post", Class::Send, Some(origin)),
        };
        let allowed = self.permitted((name, class, origin), &call.influence, &call.arguments);
        let label = match class {
            Class::Write => call.influence.whole(),
            _ => Label::of("page", Trust::Web),
        };
        ready(allowed.and_then(|()| supplied(self.outside("n"), label)))
    }

    fn memory<'a>(&'a self, call: MemoryCall) -> HostFuture<'a, Supplied> {
        let mut notes = self.notes.lock();
        if call.method == "add" {
            let note = call.arguments.get("n").cloned().unwrap_or_default();
            notes.push((note, call.influence.whole()));
            return ready(supplied(json!({}), Label::of("Notes", Trust::Memory)));
        }
        let label = Label::of("Notes", Trust::Memory);
        let label = notes.iter().fold(label, |all, (_, label)| all.join(label));
        ready(supplied(notes.iter().map(|(note, _)| note.clone()).collect(), label))
    }

    fn knowledge<'a>(&'a self, _: KnowledgeCall) -> HostFuture<'a, Supplied> {
        missing()
    }

    fn file<'a>(&'a self, _: FileImport) -> HostFuture<'a, SuppliedFile> {
        missing()
    }

    fn template<'a>(&'a self, _: TemplateCall) -> HostFuture<'a, Supplied> {
        missing()
    }

    fn record(&self, event: Event) {
        if event.kind == TraceKind::Error {
            self.steps.lock().push(Step::Failure(format!("{:?}", event.data)));
        }
    }
}

/// The policies under which programs run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mode {
    /// Nobody can be asked.
    Default,
    /// A class is denied.
    Deny,
    /// A person says yes to all.
    Person,
}

pub(super) const MODES: [Mode; 3] = [Mode::Default, Mode::Deny, Mode::Person];

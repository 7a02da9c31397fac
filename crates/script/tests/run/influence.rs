//! Non-interference (GU-8): two runs of a program that differ only in what comes from outside do
//! the same on their own, whatever a model is talked into.
//!
//! What is compared: the effects that happen without a person's word, in their order, with what
//! decides about them: a path, an address, headers. The content of a file and the body of a request
//! may differ, and what a person allowed is a release. A failure ends the comparison where only one
//! of the runs has it: that an operation did not fail is not followed (docs/security.md).

use crate::support::{block_on, executable, limited};
use contexture_context::{Label, TraceKind, Trust};
use contexture_core::policy::{Class, Effect, Influence, Policy, Verdict};
use contexture_script::host::{
    Event, FileImport, GenerateCall, Host, HostError, HostFuture, MemoryCall, Standing, Supplied,
    ToolCall,
};
use contexture_script::knowledge::KnowledgeCall;
use contexture_script::runtime::{Entry, Executable, run};
use contexture_script::template::TemplateCall;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

/// What a run does that another one has to do as well.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Effect(String),
    Failure(String),
}

/// The world of a run: what stands outside, the true policy, and a model that obeys the data.
struct World {
    seed: u64,
    policy: Policy,
    /// True if a person says yes to each question.
    says_yes: bool,
    /// True if answers forget what they were made of.
    washes: bool,
    steps: Mutex<Vec<Step>>,
    notes: Mutex<Vec<(Value, Label)>>,
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl World {
    fn new(seed: u64, mode: Mode, washes: bool) -> Self {
        let mut policy = Policy::default();
        if mode == Mode::Deny {
            policy.classes.insert(Class::Send, Verdict::Deny);
        }
        let says_yes = mode == Mode::Person;
        Self { seed, policy, says_yes, washes, steps: Mutex::default(), notes: Mutex::default() }
    }

    /// Returns what a file or page of this world holds.
    fn outside(&self, name: &str) -> Value {
        let number = hash((self.seed, name));
        match name {
            "n" => json!(number % 4),
            "l" => json!([number % 3, number % 5 % 3, 1][..(number % 3) as usize + 1].to_vec()),
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
                self.steps.lock().unwrap().push(step);
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

fn supplied(value: Value, label: Label) -> Result<Supplied, HostError> {
    Ok(Supplied { value, label, standing: Standing::Real })
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
            let names = arguments.as_object().unwrap().keys();
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
                let path = call.arguments["path"].as_str().unwrap_or_default();
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
        let mut notes = self.notes.lock().unwrap();
        if call.method == "add" {
            notes.push((call.arguments["n"].clone(), call.influence.whole()));
            return ready(supplied(json!({}), Label::of("Notes", Trust::Memory)));
        }
        let label = Label::of("Notes", Trust::Memory);
        let label = notes.iter().fold(label, |all, (_, label)| all.join(label));
        ready(supplied(notes.iter().map(|(note, _)| note.clone()).collect(), label))
    }

    fn knowledge<'a>(&'a self, _: KnowledgeCall) -> HostFuture<'a, Supplied> {
        unreachable!("the programs have no packs")
    }

    fn file<'a>(&'a self, _: FileImport) -> HostFuture<'a, Supplied> {
        unreachable!("the programs import no files")
    }

    fn template<'a>(&'a self, _: TemplateCall) -> HostFuture<'a, Supplied> {
        unreachable!("the programs have no templates")
    }

    fn record(&self, event: Event) {
        if event.kind == TraceKind::Error {
            self.steps.lock().unwrap().push(Step::Failure(format!("{:?}", event.data)));
        }
    }
}

/// The policies under which programs run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    /// Nobody can be asked.
    Default,
    /// A class is denied.
    Deny,
    /// A person says yes to all.
    Person,
}

const MODES: [Mode; 3] = [Mode::Default, Mode::Deny, Mode::Person];

/// What the programs share. `outer` changes an object of its caller.
const SHARED: &str = r#"
import tool File from "file://workspace"
import tool Web from "https://api.example.com"
import memory Notes from "file://n.jsonl"
func ask(x) { use x as "evidence" generate({ input: "Say" }) }
func chosen(x) { use x as "evidence" generate({ input: "Choose" }) -> { n integer, ok boolean } }
func act(x) { use x as "evidence" generate({ input: "Act", tools: [File.write] }) }
func twice(x) { x + x }
func big(x) { x > 1 }
func pick(c, a, b) { if c { return a } b }
func count(n) { i = 0 loop until i >= n max 4 { i = i + 1 } i }
func quiet(n) { if n == 1 { return 0 } File.write({ path: "quiet", content: "x" }) n }
func outer(o, v) { o.x = v }
agent Other {
  main func(input) { input }
  func last(a, b) { if a { return b } input = b input }
}
"#;

/// Writes random programs. Their variables are numbers `v`, texts `s`, lists `l` and objects `o`.
struct Writer {
    state: u64,
    /// True if an object may have two names, and functions may change what they are given.
    aliases: bool,
}

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % bound
    }

    fn var(&mut self, kind: char) -> String {
        format!("{kind}{}", self.below(3))
    }

    fn number(&mut self, depth: u64) -> String {
        if depth == 0 {
            return if self.below(2) == 0 { self.below(4).to_string() } else { self.var('v') };
        }
        let deeper = depth - 1;
        match self.below(16) {
            0..4 => self.var('v'),
            4 => format!("({} + {})", self.number(deeper), self.number(deeper)),
            5 => format!("({} * {})", self.number(deeper), self.number(deeper)),
            6 => format!("(-{})", self.number(0)),
            7 => format!("{}.length", self.list(deeper)),
            8 => format!("{}.x", self.var('o')),
            9 => format!("{}.get(\"y\", {})", self.var('o'), self.number(deeper)),
            10 => {
                let test = self.test(deeper);
                format!("pick({test}, {}, {})", self.number(deeper), self.number(deeper))
            }
            11 => format!("count({})", self.number(deeper)),
            12 => format!("({} % 3)", self.number(deeper)),
            13 => format!("Other.last({}, {})", self.test(deeper), self.number(deeper)),
            14 => format!("{}.length", self.text(deeper)),
            _ => format!("{}.summary.y", self.var('o')),
        }
    }

    fn test(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 3 } else { 9 }) {
            0 => format!("{} == {}", self.number(0), self.number(0)),
            1 => format!("{} < {}", self.number(0), self.number(1)),
            2 => format!("{} < \"w2\"", self.var('s')),
            3 => format!("(not ({}))", self.test(deeper)),
            4 => format!("({} and {})", self.test(deeper), self.test(deeper)),
            5 => format!("({} or {})", self.test(deeper), self.test(deeper)),
            6 => format!("{}.contains({})", self.list(deeper), self.number(deeper)),
            7 => format!("{}.endsWith(\"1\")", self.text(deeper)),
            _ => format!("{} == {}", self.var('o'), self.var('o')),
        }
    }

    fn text(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 4 } else { 10 }) {
            0 => format!("\"w{}\"", self.below(3)),
            1..4 => self.var('s'),
            4..6 => format!("(\"p\" + {})", self.number(deeper)),
            6 => format!("{}.upper()", self.text(deeper)),
            7 => format!("{}.join(\"-\")", self.list(deeper)),
            8 => format!("({} + {})", self.text(deeper), self.text(deeper)),
            _ => format!("{}.replace(\"w\", {})", self.text(deeper), self.text(deeper)),
        }
    }

    fn list(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 2 } else { 8 }) {
            0 => self.var('l'),
            1 => format!("[{}, {}]", self.number(0), self.number(0)),
            2 => format!("{}.map(twice)", self.list(deeper)),
            3 => format!("{}.filter(big)", self.list(deeper)),
            4 => format!("{}.sort()", self.list(deeper)),
            5 => format!("{}.summary", self.list(deeper)),
            6 => format!("Other({})", self.list(deeper)),
            _ => format!("{}.slice(1)", self.list(deeper)),
        }
    }

    fn block(&mut self, depth: u64) -> String {
        let count = 1 + self.below(2);
        let all: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        format!("{{\n{}\n}}", all.join("\n"))
    }

    fn effect(&mut self) -> String {
        let (text, content) = (self.text(1), self.text(1));
        match self.below(6) {
            0..3 => format!("File.write({{ path: {text}, content: {content} }})"),
            3 => format!("Web.post({{ url: \"/\" + {text}, body: {content} }})"),
            4 => format!("v0 = Web.get({{ url: \"/\" + {text} }})"),
            _ => format!("Notes.add({{ n: {} }})", self.number(1)),
        }
    }

    fn outside(&mut self) -> String {
        let kind = ["v", "s", "l", "o"][self.below(4) as usize];
        let path = if kind == "v" { "n" } else { kind };
        let variable = self.var(kind.chars().next().unwrap());
        match self.below(8) {
            0..2 => format!("{} = ask({})", self.var('s'), self.text(1)),
            2..4 => format!("{} = chosen({}).n", self.var('v'), self.list(1)),
            4 => format!("act({})", self.text(1)),
            5 => format!("{} = Notes.query({{}})", self.var('l')),
            _ => format!("{variable} = File.read({{ path: \"{path}\" }})"),
        }
    }

    fn statement(&mut self, depth: u64) -> String {
        let deeper = depth.saturating_sub(1);
        match self.below(if depth == 0 { 15 } else { 24 }) {
            0 => format!("{} = {}", self.var('v'), self.number(2)),
            1 => format!("{} = {}", self.var('s'), self.text(2)),
            2 => format!("{} = {}", self.var('l'), self.fresh_list()),
            3 => format!("{}.add({})", self.var('l'), self.number(1)),
            4 => format!("{} = {{ x: {}, y: {} }}", self.var('o'), self.number(1), self.number(1)),
            5 => format!(
                "{}.{} = {}",
                self.var('o'),
                ["x", "y"][self.below(2) as usize],
                self.number(1)
            ),
            6..9 => self.effect(),
            9..12 => self.outside(),
            12..14 => self.named(),
            14 => format!("{} += {}", self.var('v'), self.number(1)),
            15..18 => format!("if {} {}", self.test(1), self.block(deeper)),
            18 => format!("if {} {} else {}", self.test(1), self.block(deeper), self.block(deeper)),
            19 => {
                format!("for x in {} max 3 {{ v1 = x\n{} }}", self.list(1), self.statement(deeper))
            }
            20 => format!("repeat * {} % 3 {}", self.number(0), self.block(deeper)),
            21 => format!("loop until {} max 2 {}", self.test(1), self.block(deeper)),
            22 => format!("try {} else e {}", self.block(deeper), self.block(deeper)),
            _ => format!(
                "{} = (parallel for x in {} max 3 {{ x + {} }})",
                self.var('l'),
                self.list(1),
                self.number(1)
            ),
        }
    }

    fn fresh_list(&mut self) -> String {
        format!("{}.summary", self.list(2))
    }

    /// Returns a statement that gives something a second name, or another way to it.
    fn named(&mut self) -> String {
        if !self.aliases {
            return match self.below(3) {
                0 => format!("v2 = quiet({})", self.number(1)),
                1 => format!("if {} {{ return 1 }}", self.test(1)),
                _ => format!("{} = Other({})", self.var('o'), self.var('o')),
            };
        }
        match self.below(4) {
            0 => format!("{} = {}", self.var('o'), self.var('o')),
            1 => format!("outer({}, {})", self.var('o'), self.number(1)),
            2 => format!(
                "p = [{}, {}][{} % 2]\np.x = {}",
                self.var('o'),
                self.var('o'),
                self.var('v'),
                self.number(1)
            ),
            _ => format!("{} = {}", self.var('l'), self.var('l')),
        }
    }

    fn program(&mut self) -> String {
        let count = 14 + self.below(10);
        let body: Vec<String> = (0..count).map(|_| self.statement(3)).collect();
        format!(
            "{SHARED}main func(input) {{\nv0 = 0 v1 = 1 v2 = 2 s0 = \"w0\" s1 = \"w1\" s2 = \"\"\n\
             l0 = [1, 2] l1 = [0] l2 = []\no0 = {{ x: 1, y: 0 }} o1 = {{ x: 0, y: 2 }} o2 = {{ x: 0, y: 0 }}\n\
             v2 = File.read({{ path: \"n\" }})\n{}\n0\n}}\n",
            body.join("\n")
        )
    }
}

fn steps(program: &Executable, world: World) -> Vec<Step> {
    let options = limited(|limits| limits.steps = 20_000);
    block_on(run(program, &Entry::default(), json!({}), &world, &options));
    world.steps.into_inner().unwrap()
}

/// Returns where two runs differ, if that is not where one of them failed.
fn difference(left: &[Step], right: &[Step]) -> Option<String> {
    let at = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let (left, right) = (left.get(at), right.get(at));
    let failed = |step: Option<&Step>| matches!(step, Some(Step::Failure(_)));
    (left != right && !failed(left) && !failed(right)).then(|| format!("{left:?} or {right:?}"))
}

/// Returns the number of programs that interfere, the first of them, and what all runs did.
fn interfering(count: u64, aliases: bool, washes: bool) -> (usize, String, usize) {
    let (mut found, mut first, mut done) = (0, String::new(), 0);
    for number in 1..=count {
        let mut writer = Writer { state: hash(number) | 1, aliases };
        let source = writer.program();
        let program = executable(&source);
        for mode in MODES {
            let base = steps(&program, World::new(0, mode, washes));
            done += base.len();
            let differs = (1..4).find_map(|seed| {
                difference(&base, &steps(&program, World::new(seed, mode, washes)))
            });
            if let Some(differs) = differs {
                found += 1;
                if first.is_empty() {
                    first = format!("{number} {mode:?}: {differs}\n{source}");
                }
            }
        }
    }
    (found, first, done)
}

#[test]
fn gu_8_random_programs_do_the_same_whatever_comes_from_outside() {
    let (found, first, done) = interfering(400, false, false);
    assert_eq!(found, 0, "{first}");
    assert!(done > 2_000, "they do something: {done}");
}

#[test]
fn gu_8_interference_is_found_where_answers_forget_their_sources() {
    let (found, _, _) = interfering(200, false, true);
    assert!(found > 3, "{found}");
}

/// A branch that is not taken lowers variables and what they hold directly. What it would have
/// changed through another name stays as it is: this test says so, and fails when it is closed.
#[test]
fn gu_8_change_through_another_name_is_not_followed_on_way_not_taken() {
    let (found, first, _) = interfering(400, true, false);
    assert!(found > 0);
    assert!(first.contains("outer(") || first.contains("p.x ="), "{first}");
}

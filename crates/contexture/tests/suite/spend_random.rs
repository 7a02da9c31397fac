//! The worst case of random programs, against models that take the most that they are allowed (CA-5).

use crate::common::{Place, tokio};
use contexture::llm::{
    BoxFuture, CancelToken, ChatCall, LlmError, Provider, Reply, SpendLimit, TextSink,
};
use contexture::prompt::{ChatResponse, FinishReason, ToolCall, Usage};
use contexture::run::RunRequest;
use contexture::{Environment, Run, RunError, Runtime};
use serde_json::json;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

/// Numbers that look drawn by chance, the same for each seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Two models that take the whole prompt and the whole answer of each request, and want more.
struct Greedy {
    chance: Mutex<Chance>,
    /// True if requests fail now and then, so that the other model is asked.
    fails: bool,
    taken: Mutex<Taken>,
}

/// What was answered, and how often nothing was.
#[derive(Debug, Default, Clone, Copy)]
struct Taken {
    calls: u64,
    input: u64,
    output: u64,
    failed: u64,
}

impl Provider for Greedy {
    fn uri(&self) -> &str {
        "greedy://model"
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        _sink: Option<TextSink<'a>>,
        _cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        let usage = Usage::new(call.max_input.unwrap(), call.output_limit().unwrap());
        if let Some(error) = self.failure() {
            self.taken.lock().unwrap().failed += 1;
            return Box::pin(async { Err(error) });
        }
        let wish = self.chance.lock().unwrap().below(8);
        let has_tools = call.request.tools.as_ref().is_some_and(|tools| !tools.is_empty());
        let mut response = ChatResponse { usage, ..ChatResponse::default() };
        match wish {
            0..=4 if has_tools => {
                let name = &call.request.tools.as_ref().unwrap()[0].function.name;
                response.tool_calls = vec![ToolCall::function("1", name.as_str(), "{}")];
            }
            0 | 1 => response.text = "none of it".to_owned(),
            2 => {
                response.text = "{\"a\": \"x".to_owned();
                response.finish_reason = Some(FinishReason::Length);
            }
            _ => response.text = "{\"a\": \"x\"}".to_owned(),
        }
        Box::pin(async move {
            // Calls side by side are open at the same time.
            tokio::task::yield_now().await;
            let mut taken = self.taken.lock().unwrap();
            taken.calls += 1;
            taken.input += usage.prompt_tokens;
            taken.output += usage.completion_tokens;
            Ok(Reply::from(response))
        })
    }
}

impl Greedy {
    /// Returns a failure after which the next model is asked: one that costs nothing, or one of
    /// which nobody knows what it cost.
    fn failure(&self) -> Option<LlmError> {
        let provider = "greedy".to_owned();
        let message = "not now".to_owned();
        match self.chance.lock().unwrap().below(9) {
            0 | 1 if self.fails => {
                Some(LlmError::RateLimited { provider, retry_after: None, message })
            }
            2 if self.fails => Some(LlmError::Disconnected { host: provider, message }),
            _ => None,
        }
    }
}

/// The model as a provider of each run.
struct Shared(Arc<Greedy>);

impl Provider for Shared {
    fn uri(&self) -> &str {
        self.0.uri()
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        self.0.complete(call, sink, cancel)
    }
}

/// A program that is written by chance.
struct Writer {
    chance: Chance,
    text: String,
    names: u64,
}

impl Writer {
    fn program(seed: u64) -> String {
        let mut writer = Self { chance: Chance(seed | 1), text: String::new(), names: 0 };
        writer.text.push_str(
            "import llm Model from \"greedy://model\" or \"greedy://other\"\nimport tool Grep from \"sh://grep\"\nmodel Model\n",
        );
        writer.text.push_str("func one(x) {\n");
        writer.block(1, false);
        writer.text.push_str("x }\nfunc two(x) {\n y = one(x)\n");
        writer.block(1, false);
        writer.text.push_str("x }\nmain func(input) {\n");
        writer.block(3, true);
        writer.text.push_str("1\n}\n");
        writer.text
    }

    fn generate(&mut self) -> String {
        let input = 400 + self.chance.below(600);
        let output = 10 + self.chance.below(90);
        let mut options = format!("input: \"Go.\", max_input: {input}, max_output: {output}");
        if self.chance.below(3) == 0 {
            let _ = write!(options, " to {}", output + self.chance.below(200));
        }
        if self.chance.below(2) == 0 {
            let _ = write!(options, ", attempts: {}", 1 + self.chance.below(4));
        }
        if self.chance.below(5) == 0 {
            options.push_str(", tools: [Grep]");
        }
        format!("generate({{ {options} }}) -> {{ a string }}")
    }

    /// Writes up to three statements; those of the main function call the others.
    fn block(&mut self, depth: u64, calls: bool) {
        for _ in 0..=self.chance.below(3) {
            self.names += 1;
            let name = format!("v{}", self.names);
            let kind = self.chance.below(if depth == 0 { 3 } else { 8 });
            match kind {
                0 if calls => {
                    let _ = writeln!(self.text, "{name} = two({})", self.chance.below(9));
                }
                0..=2 => {
                    let generate = self.generate();
                    let _ = writeln!(
                        self.text,
                        "{name} = try {{ {generate} }} else err {{\n if err.code == \"COST_LIMIT\" {{ return 0 }}\n 1 }}"
                    );
                }
                3 => {
                    let condition = if calls { "input.yes == true" } else { "x > 4" };
                    let _ = writeln!(self.text, "if {condition} {{");
                    self.block(depth - 1, calls);
                    self.text.push_str("} else {\n");
                    self.block(depth - 1, calls);
                    self.text.push_str("}\n");
                }
                4 => {
                    let _ = writeln!(self.text, "repeat * {} {{", self.chance.below(4));
                    self.block(depth - 1, calls);
                    self.text.push_str("}\n");
                }
                5 => {
                    let most = 1 + self.chance.below(4);
                    let _ = writeln!(self.text, "for {name} in [1, 2, 3] max {most} {{");
                    self.block(depth - 1, calls);
                    self.text.push_str("}\n");
                }
                6 => {
                    let most = 1 + self.chance.below(4);
                    let generate = self.generate();
                    let _ = writeln!(
                        self.text,
                        "{name} = parallel for i in [1, 2, 3] max {most} {{ try {{ {generate} }} else err {{ 1 }} }}"
                    );
                }
                _ => {
                    let (most, generate) = (1 + self.chance.below(3), self.generate());
                    let _ = writeln!(
                        self.text,
                        "loop until (try {{ {generate} }} else err {{ {{ a: \"y\" }} }}).a == \"y\" max {most} {{"
                    );
                    self.block(depth - 1, calls);
                    self.text.push_str("}\n");
                }
            }
        }
    }
}

const SETTINGS: &str = "[profiles.\"greedy://model\"]\nprice_input = 2\nprice_output = 10\n\
     [profiles.\"greedy://other\"]\nprice_input = 5\nprice_output = 4\n\
     [retry]\ntimes = 0\n[trace]\nkeep = false\n";

fn model(place: &Place, seed: u64) -> (Runtime, Arc<Greedy>) {
    let chance = Mutex::new(Chance(seed.wrapping_mul(77) | 1));
    let fails = seed.is_multiple_of(3);
    let model = Arc::new(Greedy { chance, fails, taken: Mutex::default() });
    let shared = Arc::clone(&model);
    let runtime = Runtime::builder(place.path(""))
        .environment(Environment::default())
        .provider("greedy", move |_| Ok(Arc::new(Shared(Arc::clone(&shared)))))
        .build()
        .unwrap();
    (runtime, model)
}

fn run(place: &Place, seed: u64, spend: SpendLimit) -> (Result<Run, RunError>, Taken) {
    let (runtime, model) = model(place, seed);
    let input = json!({ "yes": seed.is_multiple_of(2) });
    let done = tokio().block_on(runtime.run("main.as").with(move |request: &mut RunRequest| {
        request.input = input.into();
        request.spend = spend;
    }));
    let taken = *model.taken.lock().unwrap();
    (done, taken)
}

fn cost(done: &Result<Run, RunError>) -> contexture::run::RunCost {
    done.as_ref().map_or_else(RunError::cost, |run| run.cost)
}

#[test]
fn ca_5_actual_never_exceeds_the_ceiling_and_a_limit_is_never_passed() {
    let (mut requests, mut refused, mut passed_over) = (0, 0, 0);
    for seed in 1..=90_u64 {
        let program = Writer::program(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let place = Place::new(&[("main.as", &program), ("contexture.toml", SETTINGS)]);
        let (runtime, _) = model(&place, seed);
        let project = runtime.project();
        let (loaded, report) = contexture::run::load(project, &place.path("main.as")).unwrap();
        assert!(!report.has_errors(), "{program}\n{:?}", report.diagnostics);
        let ceiling = contexture::run::cost(project, &loaded, &RunRequest::default()).total;
        let (done, taken) = run(&place, seed, SpendLimit::default());
        let Taken { calls, input, output, failed } = taken;
        let cost = cost(&done);
        // The dearer model counts, and what was lost on the way to it comes on top.
        assert!(cost.actual.unwrap() <= cost.worst.unwrap(), "{program}\n{cost:?}");
        if failed == 0 {
            assert!(calls <= ceiling.calls.unwrap(), "{program}\n{calls} {ceiling:?}");
            assert!(input <= ceiling.input.unwrap(), "{program}\n{input} {ceiling:?}");
            assert!(output <= ceiling.output.unwrap(), "{program}\n{output} {ceiling:?}");
            assert_eq!(cost.worst.unwrap(), ceiling.money.unwrap().dollars());
        }
        requests += calls;
        passed_over += failed;
        let limit = (input + output) / 2;
        let spend = SpendLimit { tokens: Some(limit), ..SpendLimit::default() };
        let (_, fewer) = run(&place, seed, spend);
        assert!(fewer.input + fewer.output <= limit, "{program}\n{fewer:?} of {limit}");
        refused += u64::from(fewer.calls < calls);
    }
    let seen = format!("{requests} requests, {refused} limits, {passed_over} failures");
    assert!(requests > 300 && refused > 20 && passed_over > 50, "{seen}");
}

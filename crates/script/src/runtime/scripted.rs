//! The in-memory host: scripted answers by order, results by name, everything recorded.

use crate::host::{
    Event, FileImport, GenerateCall, Host, HostError, HostFuture, MemoryCall, Supplied,
    SuppliedFile, ToolCall,
};
use crate::knowledge::KnowledgeCall;
use crate::template::TemplateCall;
use contexture_context::Trust;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

/// A scripted host, for tests and for programs about programs.
///
/// Answers of models are taken in the given order; of the results of a tool, memory or file the
/// last one is repeated. An effect without a scripted result fails with `not_scripted`.
#[derive(Debug, Default)]
pub struct ScriptedHost {
    answers: Mutex<VecDeque<Result<Supplied, HostError>>>,
    results: Mutex<HashMap<String, VecDeque<Result<Supplied, HostError>>>>,
    recorded: Mutex<Recorded>,
    waits: usize,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    cancelled: AtomicBool,
}

#[derive(Debug, Default)]
struct Recorded {
    events: Vec<Event>,
    generates: Vec<GenerateCall>,
    tools: Vec<ToolCall>,
    memories: Vec<MemoryCall>,
    files: Vec<FileImport>,
    templates: Vec<TemplateCall>,
    knowledge: Vec<KnowledgeCall>,
}

impl ScriptedHost {
    /// Creates a host with nothing scripted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next answer of a model.
    #[must_use]
    pub fn with_answer(self, value: Value) -> Self {
        self.with_answer_result(Ok(supplied(value, Trust::Model)))
    }

    /// Adds the next answer of a model, with any trust or failure.
    #[must_use]
    pub fn with_answer_result(self, answer: Result<Supplied, HostError>) -> Self {
        lock(&self.answers).push_back(answer);
        self
    }

    /// Adds the next result of a tool, by its name in the program and the method: `File.read`.
    #[must_use]
    pub fn with_tool(self, name: &str, value: Value) -> Self {
        self.with_result(name, Ok(supplied(value, Trust::Tool)))
    }

    /// Adds the next result of a memory: `Lessons.query`.
    #[must_use]
    pub fn with_memory(self, name: &str, value: Value) -> Self {
        self.with_result(name, Ok(supplied(value, Trust::Memory)))
    }

    /// Adds the next result of a pack: `Acme.resolve`.
    #[must_use]
    pub fn with_knowledge(self, name: &str, value: Value) -> Self {
        self.with_result(name, Ok(supplied(value, Trust::Pack)))
    }

    /// Sets the value of an imported file, by its path as written.
    #[must_use]
    pub fn with_file(self, path: &str, value: Value) -> Self {
        self.with_result(path, Ok(supplied(value, Trust::Program)))
    }

    /// Sets the rendering of a template, by its name in the program.
    #[must_use]
    pub fn with_template(self, name: &str, text: &str) -> Self {
        self.with_result(name, Ok(supplied(Value::from(text), Trust::Program)))
    }

    /// Adds the next result of a tool, memory, pack, file or template, with any trust or failure.
    #[must_use]
    pub fn with_result(self, name: &str, result: Result<Supplied, HostError>) -> Self {
        lock(&self.results).entry(name.to_owned()).or_default().push_back(result);
        self
    }

    /// Makes every effect take so many polls to complete.
    #[must_use]
    pub fn with_waits(mut self, polls: usize) -> Self {
        self.waits = polls;
        self
    }

    /// Cancels the run.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Returns the greatest number of concurrent effects.
    #[must_use]
    pub fn most_under_way(&self) -> usize {
        self.most_under_way.load(Ordering::SeqCst)
    }

    fn result(&self, name: &str) -> Result<Supplied, HostError> {
        let mut results = lock(&self.results);
        let Some(queue) = results.get_mut(name) else { return Err(not_scripted(name)) };
        match queue.len() {
            0 | 1 => queue.front().cloned().unwrap_or_else(|| Err(not_scripted(name))),
            _ => queue.pop_front().unwrap_or_else(|| Err(not_scripted(name))),
        }
    }

    fn after_waits(&self, result: Result<Supplied, HostError>) -> HostFuture<'_, Supplied> {
        Box::pin(async move {
            let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_under_way.fetch_max(now, Ordering::SeqCst);
            let mut left = self.waits;
            poll_fn(|context| {
                if left == 0 {
                    return Poll::Ready(());
                }
                left -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            result
        })
    }
}

/// Implements the methods that return what was recorded.
macro_rules! recorded {
    ($($doc:literal $name:ident: $field:ident $Type:ty;)*) => {
        impl ScriptedHost {$(
            #[doc = $doc]
            #[must_use]
            pub fn $name(&self) -> Vec<$Type> {
                lock(&self.recorded).$field.clone()
            }
        )*}
    };
}

recorded! {
    "Returns all trace events so far." events: events Event;
    "Returns all model calls so far." generate_calls: generates GenerateCall;
    "Returns all tool calls so far." tool_calls: tools ToolCall;
    "Returns all memory calls so far." memory_calls: memories MemoryCall;
    "Returns all calls of packs so far." knowledge_calls: knowledge KnowledgeCall;
    "Returns all files read so far." file_imports: files FileImport;
    "Returns all renderings so far." template_calls: templates TemplateCall;
}

fn supplied(value: Value, trust: Trust) -> Supplied {
    Supplied { value, label: trust.into(), ..Supplied::default() }
}

fn not_scripted(name: &str) -> HostError {
    HostError::new("not_scripted", format!("the script has no answer for {name}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host for ScriptedHost {
    fn generate<'a>(&'a self, call: GenerateCall) -> HostFuture<'a, Supplied> {
        let answer = lock(&self.answers).pop_front();
        let answer = answer.unwrap_or_else(|| Err(not_scripted("a further answer")));
        lock(&self.recorded).generates.push(call);
        self.after_waits(answer)
    }

    fn tool<'a>(&'a self, call: ToolCall) -> HostFuture<'a, Supplied> {
        let result = self.result(&format!("{}.{}", call.tool.name, call.method));
        lock(&self.recorded).tools.push(call);
        self.after_waits(result)
    }

    fn memory<'a>(&'a self, call: MemoryCall) -> HostFuture<'a, Supplied> {
        let result = self.result(&format!("{}.{}", call.memory.name, call.method));
        lock(&self.recorded).memories.push(call);
        self.after_waits(result)
    }

    fn knowledge<'a>(&'a self, call: KnowledgeCall) -> HostFuture<'a, Supplied> {
        let result = self.result(&format!("{}.{}", call.import.name, call.method));
        lock(&self.recorded).knowledge.push(call);
        self.after_waits(result)
    }

    fn file<'a>(&'a self, import: FileImport) -> HostFuture<'a, SuppliedFile> {
        let result = self.result(&import.path);
        lock(&self.recorded).files.push(import);
        let supplied = self.after_waits(result);
        Box::pin(async { supplied.await.map(SuppliedFile::from) })
    }

    fn template<'a>(&'a self, call: TemplateCall) -> HostFuture<'a, Supplied> {
        let result = self.result(&call.template.name);
        lock(&self.recorded).templates.push(call);
        Box::pin(std::future::ready(result))
    }

    fn record(&self, mut event: Event) {
        if let Value::Object(data) = &mut event.data {
            let texts = event.texts.drain(..);
            data.extend(texts.map(|(name, text)| (name.to_owned(), text.value())));
        }
        lock(&self.recorded).events.push(event);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }
}

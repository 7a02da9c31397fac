//! Lines for model calls under way: what is asked, for how long, and the end of the text so far.
//!
//! Decision: calls only note what they do; a painter thread looks at the notes ten times a second
//! and draws those that take long enough to be worth a line. A call that is done at once costs
//! next to nothing and does not flicker.

use crate::paint::Paint;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Calls that take less get no line.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often lines are drawn.
const FRAME: Duration = Duration::from_millis(100);
/// At most so many lines at once.
const LINES: usize = 8;
/// How much of a text is kept to show its end, in characters.
const TAIL: usize = 400;

/// A run without a model call under way gets a line after this time.
const SILENCE: Duration = Duration::from_secs(1);

/// The lines of all model calls.
pub(super) struct Spinner {
    screen: MultiProgress,
    state: Arc<Mutex<State>>,
    painter: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
    paint: Paint,
}

/// What is under way.
struct State {
    calls: BTreeMap<u64, Call>,
    /// Since when no model is asked.
    silent_since: Instant,
    /// What was done last, such as `File.read`.
    last: String,
    /// The line for a time without model calls.
    line: Option<ProgressBar>,
}

struct Call {
    began: Instant,
    what: String,
    attempt: u32,
    chars: usize,
    tail: String,
    line: Option<ProgressBar>,
}

impl Spinner {
    /// No lines yet.
    pub(super) fn new(paint: Paint) -> Self {
        let silent_since = Instant::now();
        let state = State { calls: BTreeMap::new(), silent_since, last: String::new(), line: None };
        let state = Arc::new(Mutex::new(state));
        Self { screen: MultiProgress::new(), state, painter: Mutex::new(None), paint }
    }

    /// A run begins.
    pub(super) fn start(&self) {
        lock(&self.state).silent_since = Instant::now();
        self.start_painter();
    }

    /// A call begins.
    pub(super) fn begin(&self, event: u64, what: String) {
        let call = Call {
            began: Instant::now(),
            what,
            attempt: 1,
            chars: 0,
            tail: String::new(),
            line: None,
        };
        lock(&self.state).calls.insert(event, call);
    }

    /// A call is tried again.
    pub(super) fn attempt(&self, event: u64, attempt: u32) {
        if let Some(call) = lock(&self.state).calls.get_mut(&event) {
            call.attempt = attempt;
            call.tail.clear();
        }
    }

    /// Text comes in.
    pub(super) fn add(&self, event: u64, text: &str) {
        if let Some(call) = lock(&self.state).calls.get_mut(&event) {
            call.add(text);
        }
    }

    /// A call has ended.
    pub(super) fn end(&self, event: u64) {
        let mut state = lock(&self.state);
        state.silent_since = Instant::now();
        if let Some(line) = state.calls.remove(&event).and_then(|call| call.line) {
            self.erase(&line);
        }
    }

    /// Something else is done.
    pub(super) fn note(&self, what: &str) {
        let mut state = lock(&self.state);
        state.silent_since = Instant::now();
        what.clone_into(&mut state.last);
    }

    fn erase(&self, line: &ProgressBar) {
        line.finish_and_clear();
        self.screen.remove(line);
    }

    /// Writes something else while no line is drawn.
    pub(super) fn suspend(&self, write: impl FnOnce()) {
        self.screen.suspend(write);
    }

    /// Takes all lines away and ends the painter.
    pub(super) fn stop(&self) {
        if let Some((stop, thread)) = lock(&self.painter).take() {
            drop(stop);
            let _ = thread.join();
        }
        let mut state = lock(&self.state);
        let lines = std::mem::take(&mut state.calls).into_values().filter_map(|call| call.line);
        // A line that is dropped as it is would stay on the screen.
        for line in lines.chain(state.line.take()) {
            line.finish_and_clear();
        }
        let _ = self.screen.clear();
    }

    fn start_painter(&self) {
        let mut painter = lock(&self.painter);
        if painter.is_some() {
            return;
        }
        let (stop, stopped) = mpsc::channel::<()>();
        let (screen, state, paint) = (self.screen.clone(), Arc::clone(&self.state), self.paint);
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
            while stopped.recv_timeout(FRAME) == Err(RecvTimeoutError::Timeout) {
                lock(&state).draw(&screen, paint);
            }
        });
        // Without a thread there is no progress to see; the run itself goes on.
        *painter = thread.ok().map(|thread| (stop, thread));
    }
}

impl Call {
    fn add(&mut self, text: &str) {
        self.chars += text.chars().count();
        self.tail.extend(text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }));
        let extra = self.tail.chars().count().saturating_sub(TAIL);
        if extra > TAIL {
            self.tail = self.tail.chars().skip(extra).collect();
        }
    }

    fn message(&self, paint: Paint) -> String {
        let seconds = self.began.elapsed().as_secs_f64();
        let attempt =
            if self.attempt > 1 { format!(" · attempt {}", self.attempt) } else { String::new() };
        let head = format!("{} · {seconds:.1} s{attempt}", self.what);
        if self.chars == 0 {
            return head;
        }
        let words: Vec<&str> = self.tail.split_whitespace().collect();
        let tail: String = last_chars(&words.join(" "), 60);
        format!("{head} · {} chars {}", self.chars, paint.dim(&tail))
    }
}

fn last_chars(text: &str, count: usize) -> String {
    let skip = text.chars().count().saturating_sub(count);
    let tail = text.chars().skip(skip);
    if skip > 0 { std::iter::once('…').chain(tail).collect() } else { tail.collect() }
}

impl State {
    fn draw(&mut self, screen: &MultiProgress, paint: Paint) {
        let mut drawn = self.calls.values().filter(|call| call.line.is_some()).count();
        for call in self.calls.values_mut() {
            if call.line.is_none() && drawn < LINES && call.began.elapsed() >= PATIENCE {
                drawn += 1;
                call.line = Some(screen.add(ProgressBar::new_spinner().with_style(style(paint))));
            }
            if let Some(line) = &call.line {
                line.set_message(call.message(paint));
                line.tick();
            }
        }
        self.draw_silence(screen, paint);
    }

    /// `running · File.read · 2.0 s`, when nothing else is to be seen for long.
    fn draw_silence(&mut self, screen: &MultiProgress, paint: Paint) {
        let silence = self.silent_since.elapsed();
        if !self.calls.is_empty() || silence < SILENCE {
            if let Some(line) = self.line.take() {
                line.finish_and_clear();
                screen.remove(&line);
            }
            return;
        }
        let bar = || screen.add(ProgressBar::new_spinner().with_style(style(paint)));
        let line = self.line.get_or_insert_with(bar);
        let last = if self.last.is_empty() { String::new() } else { format!(" · {}", self.last) };
        line.set_message(format!("running{last} · {:.1} s", silence.as_secs_f64()));
        line.tick();
    }
}

fn style(paint: Paint) -> ProgressStyle {
    let template =
        if paint.is_on() { "{spinner:.cyan} {wide_msg}" } else { "{spinner} {wide_msg}" };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

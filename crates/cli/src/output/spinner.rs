//! Lines for running model calls: the call, its duration and the end of the text so far.
//!
//! Decision: calls only update shared state; a painter thread reads it ten times a second, and at
//! once when text comes, and draws the calls that run long enough or have text. So a token is seen
//! when it comes, and a slow terminal never holds up the run (CA-8).

use super::canvas::{Canvas, head, tail};
use crate::output::paint::Paint;
use crate::output::text::{one_line, sanitized, wrapped};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter calls get no line.
const MIN_CALL: Duration = Duration::from_millis(300);
/// A run without a model call gets a line after this time.
const MIN_IDLE: Duration = Duration::from_secs(1);
/// The interval of drawing.
const FRAME: Duration = Duration::from_millis(100);
/// The most lines at once.
const LINES: usize = 8;
/// The bytes of a text that are kept to show its end.
const TAIL: usize = 16 << 10;
/// The columns of the end that is shown.
const SHOWN: usize = 60;
/// The sign before a line, one per frame.
const FRAMES: [&str; 8] = ["⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"];

/// The lines of all running model calls.
pub(super) struct Spinner {
    state: Arc<Mutex<State>>,
    painter: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
    paint: Paint,
}

/// The state that the painter draws.
struct State {
    calls: BTreeMap<u64, Call>,
    /// The time since when no model call runs.
    idle_since: Instant,
    /// The last operation, such as `File.read`.
    last: String,
    /// What the program said last.
    said: Option<String>,
    began: Instant,
    canvas: Canvas,
}

struct Call {
    began: Instant,
    what: String,
    attempt: u32,
    chars: usize,
    /// The end of the text so far.
    tail: String,
    /// The growing value, for an answer with a shape.
    value: Option<String>,
}

impl Spinner {
    /// Creates a spinner without lines.
    pub(super) fn new(paint: Paint) -> Self {
        let state = State {
            calls: BTreeMap::new(),
            idle_since: Instant::now(),
            last: String::new(),
            said: None,
            began: Instant::now(),
            canvas: Canvas::default(),
        };
        Self { state: Arc::new(Mutex::new(state)), painter: Mutex::new(None), paint }
    }

    /// Starts the painter for a run.
    pub(super) fn start(&self) {
        lock(&self.state).idle_since = Instant::now();
        self.start_painter();
    }

    pub(super) fn begin(&self, event: u64, what: &str) {
        let call = Call {
            began: Instant::now(),
            what: one_line(what),
            attempt: 1,
            chars: 0,
            tail: String::new(),
            value: None,
        };
        lock(&self.state).calls.insert(event, call);
    }

    /// Records a further attempt of a call.
    pub(super) fn attempt(&self, event: u64, attempt: u32) {
        if let Some(call) = lock(&self.state).calls.get_mut(&event) {
            call.attempt = attempt;
            call.tail.clear();
            call.value = None;
        }
    }

    /// Appends text to a call.
    pub(super) fn add(&self, event: u64, text: &str) {
        if let Some(call) = lock(&self.state).calls.get_mut(&event) {
            call.add(text);
        }
        self.wake();
    }

    /// Shows what can be read of a call's value so far, in place of its text.
    pub(super) fn grow(&self, event: u64, value: &Value) {
        if let Some(call) = lock(&self.state).calls.get_mut(&event) {
            call.value = Some(format!("{value:#}"));
        }
        self.wake();
    }

    /// Shows what the program says that it does.
    pub(super) fn say(&self, text: &str) {
        lock(&self.state).said = Some(one_line(text));
        self.wake();
    }

    /// Has the lines drawn at once.
    fn wake(&self) {
        if let Some((painter, _)) = &*lock(&self.painter) {
            // Without a painter there is nothing to draw.
            let _ = painter.send(());
        }
    }

    /// Removes a call that has ended.
    pub(super) fn end(&self, event: u64) {
        let mut state = lock(&self.state);
        state.idle_since = Instant::now();
        state.calls.remove(&event);
    }

    /// Records another operation.
    pub(super) fn note(&self, what: &str) {
        let mut state = lock(&self.state);
        state.idle_since = Instant::now();
        state.last = one_line(what);
    }

    /// Runs `write` while no line is drawn.
    pub(super) fn suspend(&self, write: impl FnOnce()) {
        let mut state = lock(&self.state);
        state.canvas.erase();
        write();
        state.idle_since = Instant::now();
    }

    /// Draws nothing while it is held.
    pub(super) fn hold(&self, is_held: bool) {
        let mut state = lock(&self.state);
        state.canvas.hold(is_held);
        state.idle_since = Instant::now();
    }

    /// Erases all lines and stops the painter.
    pub(super) fn stop(&self) {
        if let Some((stop, thread)) = lock(&self.painter).take() {
            drop(stop);
            let _ = thread.join();
        }
        let mut state = lock(&self.state);
        state.calls.clear();
        state.said = None;
        state.canvas.erase();
    }

    /// Erases all lines before the process exits; never waits for a lock.
    pub(super) fn abandon(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.canvas.erase();
        }
    }

    fn start_painter(&self) {
        let mut painter = lock(&self.painter);
        if painter.is_some() {
            return;
        }
        let (wake, woken) = mpsc::channel::<()>();
        let (state, paint) = (Arc::clone(&self.state), self.paint);
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
            while woken.recv_timeout(FRAME) != Err(RecvTimeoutError::Disconnected) {
                // What came meanwhile is drawn together.
                while woken.try_recv().is_ok() {}
                lock(&state).draw(paint);
            }
        });
        // Without a thread there is no progress display; the run itself continues.
        *painter = thread.ok().map(|thread| (wake, thread));
    }
}

impl Call {
    fn add(&mut self, text: &str) {
        self.chars += text.chars().count();
        self.tail.push_str(text);
        if self.tail.len() > 2 * TAIL {
            let from = self.tail.ceil_char_boundary(self.tail.len() - TAIL);
            self.tail.drain(..from);
        }
    }

    /// Returns the last rows of the text or value so far, as many as fit.
    fn rows(&self, columns: usize, rows: usize) -> Vec<String> {
        let text = self.value.as_deref().unwrap_or(&self.tail);
        let mut all = wrapped(&sanitized(text), columns);
        all.split_off(all.len().saturating_sub(rows))
    }

    fn is_shown(&self) -> bool {
        self.chars > 0 || self.began.elapsed() >= MIN_CALL
    }

    /// Returns the line of the call; with `with_end` it shows the end of the text.
    fn line(&self, paint: Paint, columns: usize, with_end: bool) -> String {
        let seconds = self.began.elapsed().as_secs_f64();
        let mut text = format!("{} · {seconds:.1} s", self.what);
        if self.attempt > 1 {
            text.push_str(&format!(" · attempt {}", self.attempt));
        }
        if self.chars > 0 {
            text.push_str(&format!(" · {} chars", self.chars));
        }
        let words = if with_end { one_line(&self.tail) } else { String::new() };
        let room = columns.saturating_sub(width(&text) + 2).min(SHOWN);
        let end = tail(&words, room);
        if end.is_empty() {
            return head(&text, columns).to_owned();
        }
        let mark = if end.len() < words.len() { "…" } else { "" };
        format!("{text} {}", paint.dim(&format!("{mark}{end}")))
    }
}

fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

impl State {
    fn draw(&mut self, paint: Paint) {
        let (columns, rows) = Canvas::size();
        // The sign and the following space.
        let columns = columns.saturating_sub(2);
        let shown: Vec<&Call> = self.calls.values().filter(|call| call.is_shown()).collect();
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.said.as_ref().map(|said| head(said, columns).to_owned()));
        let is_idle = self.calls.is_empty() && self.idle_since.elapsed() >= MIN_IDLE;
        if is_idle && self.said.is_none() {
            lines.push(self.idle(columns));
        }
        let mut text = Vec::new();
        match &*shown {
            [only] => {
                lines.push(only.line(paint, columns, false));
                text = only.rows(columns, rows.saturating_sub(lines.len()));
            }
            more => {
                let more = more.iter().take(LINES.min(rows.saturating_sub(lines.len())));
                lines.extend(more.map(|call| call.line(paint, columns, true)));
            }
        }
        let frame = self.began.elapsed().as_millis() / FRAME.as_millis();
        let frame = usize::try_from(frame).unwrap_or_default() % FRAMES.len();
        let sign = paint.cyan(FRAMES.get(frame).copied().unwrap_or_default());
        for line in &mut lines {
            line.insert_str(0, &format!("{sign} "));
        }
        lines.extend(text);
        self.canvas.draw(&lines);
    }

    /// Returns the line of a run without a model call: `running · File.read · 2.0 s`.
    fn idle(&self, columns: usize) -> String {
        let last = if self.last.is_empty() { String::new() } else { format!(" · {}", self.last) };
        let seconds = self.idle_since.elapsed().as_secs_f64();
        head(&format!("running{last} · {seconds:.1} s"), columns).to_owned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

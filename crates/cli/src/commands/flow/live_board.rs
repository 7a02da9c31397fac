//! The progress of a running set (FL-12): on a terminal a table with bars that is redrawn in place;
//! elsewhere a line for each step that ends.
//!
//! Decision: the run only updates shared state; a separate thread draws or writes. So a blocked
//! terminal or an unread pipe never delays a step.

use super::live_table::LiveTable;
use super::progress_lines::Lines;
use crate::output::canvas::Canvas;
use crate::output::progress::{Verbosity, confirm_pack};
use crate::output::terminal::Terminal;
use crate::support::asker::{PersonAtTerminal, Screen};
use contexture::flow::Set;
use contexture::flow::run::{Notice, Observer};
use contexture::observe::{self, Progress};
use contexture::packs::Question;
use contexture::permission::Permission;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The interval of redrawing.
const FRAME: Duration = Duration::from_millis(100);

/// The display of a run, or none.
#[derive(Clone)]
pub(super) struct LiveBoard {
    terminal: Terminal,
    shared: Option<Arc<Shared>>,
}

struct Shared {
    table: Mutex<LiveTable>,
    canvas: Mutex<Canvas>,
    is_drawn: bool,
    verbosity: Verbosity,
    terminal: Terminal,
    /// The writer thread, and the channel to it.
    writer: Mutex<Option<(Sender<String>, JoinHandle<()>)>>,
}

impl LiveBoard {
    /// Creates the display.
    pub(super) fn new(terminal: &Terminal, verbosity: Verbosity, is_quiet: bool) -> Self {
        let is_drawn = terminal.shows_progress && !is_quiet;
        let shows = is_drawn || verbosity != Verbosity::Quiet;
        let shared = || Shared {
            table: Mutex::default(),
            canvas: Mutex::default(),
            is_drawn,
            verbosity,
            terminal: *terminal,
            writer: Mutex::default(),
        };
        Self { terminal: *terminal, shared: shows.then(|| Arc::new(shared())) }
    }

    /// Returns the person who is asked about effects, if there is one.
    pub(super) fn person(&self) -> Option<Arc<dyn Permission>> {
        PersonAtTerminal::of(&self.terminal, Arc::new(self.clone()))
    }

    pub(super) fn observer(&self) -> Option<Observer> {
        let shared = Arc::clone(self.shared.as_ref()?);
        Some(Arc::new(move |notice: &Notice<'_>| shared.note(notice)))
    }

    /// Returns the observer of agents and generations.
    pub(super) fn listener(&self) -> Arc<dyn observe::Observer> {
        match &self.shared {
            Some(shared) => Arc::clone(shared) as _,
            None => Arc::new(observe::Silent),
        }
    }

    /// Starts the display for a set of which `before` steps have ended.
    pub(super) fn begin(&self, set: &Set, before: usize) {
        let Some(shared) = &self.shared else { return };
        lock(&shared.table).begin(set, before);
        let (sender, receiver) = mpsc::channel::<String>();
        let writer = Arc::clone(shared);
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
            if writer.is_drawn {
                while receiver.recv_timeout(FRAME) == Err(RecvTimeoutError::Timeout) {
                    writer.draw();
                }
            } else {
                receiver.iter().for_each(|line| writer.terminal.say(&line));
            }
        });
        // Without a thread there is no display; the run itself continues.
        *lock(&shared.writer) = thread.ok().map(|thread| (sender, thread));
    }

    /// Shows that the run is being cancelled.
    pub(super) fn cancel(&self) {
        let Some(shared) = &self.shared else { return };
        lock(&shared.table).cancel();
        if !shared.is_drawn {
            shared.send("cancelling".to_owned());
        }
    }

    /// Erases the table, or writes the remaining lines.
    pub(super) fn clear(&self) {
        let Some(shared) = &self.shared else { return };
        if let Some((sender, thread)) = lock(&shared.writer).take() {
            drop(sender);
            let _ = thread.join();
        }
        lock(&shared.canvas).erase();
    }

    /// Erases the table before the process exits; never waits for a lock.
    pub(super) fn abandon(&self) {
        let canvas = self.shared.as_ref().and_then(|shared| shared.canvas.try_lock().ok());
        if let Some(mut canvas) = canvas {
            canvas.erase();
        }
    }
}

impl Screen for LiveBoard {
    fn hold(&self, is_held: bool) {
        if let Some(shared) = &self.shared {
            lock(&shared.canvas).hold(is_held);
        }
    }
}

impl Shared {
    fn note(&self, notice: &Notice<'_>) {
        let (row, done) = {
            let mut table = lock(&self.table);
            (table.note(notice), table.done())
        };
        if !self.is_drawn {
            let lines = Lines { total: notice.total, done };
            if let Some(line) = row.and_then(|row| lines.line(&row, notice, self.terminal.err)) {
                self.send(line);
            }
        }
    }

    /// Runs `act` while no table is drawn.
    fn suspend(&self, act: impl FnOnce(&Terminal)) {
        let mut canvas = lock(&self.canvas);
        canvas.erase();
        act(&self.terminal);
    }

    fn send(&self, line: String) {
        if let Some((sender, _)) = &*lock(&self.writer) {
            // The thread ends with the run; later lines are dropped.
            let _ = sender.send(line);
        }
    }

    fn draw(&self) {
        let (columns, rows) = Canvas::size();
        let lines = lock(&self.table).lines(columns, rows, self.terminal.err);
        lock(&self.canvas).draw(&lines);
    }
}

impl observe::Observer for Shared {
    fn notify(&self, progress: Progress) {
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        match progress {
            Progress::Warning(text) => self.suspend(|terminal| terminal.warn(&text)),
            Progress::Note(text) => self.suspend(|terminal| terminal.note(&text)),
            _ => {}
        }
    }

    /// Asks at the terminal; without a person, and with `--quiet`, nothing is allowed.
    fn allows(&self, question: &Question) -> bool {
        let mut is_allowed = false;
        if self.verbosity != Verbosity::Quiet && self.terminal.is_interactive() {
            self.suspend(|terminal| is_allowed = confirm_pack(question, terminal));
        }
        is_allowed
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

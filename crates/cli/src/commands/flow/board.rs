//! What a person sees of a set while it runs (FL-12): on a terminal a table with bars, drawn over
//! and over; elsewhere a line for each step that ends.
//!
//! Decision: the run only notes what changes; a thread of its own draws or writes. So a terminal
//! that stands still, or a pipe that nobody reads, holds up no step.

mod lines;
mod progress;

use crate::commands::run::{Canvas, Talk, asks};
use crate::terminal::Terminal;
use contexture::flow::Set;
use contexture::flow::run::{Notice, Observer};
use contexture::observe::{self, Progress as Progressed};
use contexture::packs::Question;
use lines::Lines;
use progress::Progress;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the table is drawn.
const FRAME: Duration = Duration::from_millis(100);

/// Shows a run, or shows nothing.
#[derive(Clone)]
pub(super) struct Board {
    shared: Option<Arc<Shared>>,
}

struct Shared {
    progress: Mutex<Progress>,
    canvas: Mutex<Canvas>,
    is_drawn: bool,
    talk: Talk,
    terminal: Terminal,
    /// What writes: where it is told of its end, or of lines.
    writer: Mutex<Option<(Sender<String>, JoinHandle<()>)>>,
}

impl Board {
    /// A board for a command that says so much.
    pub(super) fn new(terminal: &Terminal, talk: Talk, is_quiet: bool) -> Self {
        let is_drawn = terminal.shows_progress && !is_quiet;
        let shows = is_drawn || talk != Talk::Quiet;
        let shared = || Shared {
            progress: Mutex::default(),
            canvas: Mutex::default(),
            is_drawn,
            talk,
            terminal: *terminal,
            writer: Mutex::default(),
        };
        Self { shared: shows.then(|| Arc::new(shared())) }
    }

    /// Who is told of every change.
    pub(super) fn observer(&self) -> Option<Observer> {
        let shared = Arc::clone(self.shared.as_ref()?);
        Some(Arc::new(move |notice: &Notice<'_>| shared.note(notice)))
    }

    /// Who is told what agents and generations do on the way.
    pub(super) fn listener(&self) -> Arc<dyn observe::Observer> {
        match &self.shared {
            Some(shared) => Arc::clone(shared) as _,
            None => Arc::new(observe::Silent),
        }
    }

    /// The run of a set begins, of which so many steps have ended before.
    pub(super) fn begin(&self, set: &Set, before: usize) {
        let Some(shared) = &self.shared else { return };
        lock(&shared.progress).begin(set, before);
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
        // Without a thread there is no progress to see; the run itself goes on.
        *lock(&shared.writer) = thread.ok().map(|thread| (sender, thread));
    }

    /// The run is about to be cancelled.
    pub(super) fn cancel(&self) {
        let Some(shared) = &self.shared else { return };
        lock(&shared.progress).cancel();
        if !shared.is_drawn {
            shared.tell("cancelling".to_owned());
        }
    }

    /// Takes the table away, or writes the lines that are left.
    pub(super) fn clear(&self) {
        let Some(shared) = &self.shared else { return };
        if let Some((sender, thread)) = lock(&shared.writer).take() {
            drop(sender);
            let _ = thread.join();
        }
        lock(&shared.canvas).erase();
    }

    /// Takes the table away because the process ends, whatever else is going on in it.
    pub(super) fn abandon(&self) {
        let canvas = self.shared.as_ref().and_then(|shared| shared.canvas.try_lock().ok());
        if let Some(mut canvas) = canvas {
            canvas.erase();
        }
    }
}

impl Shared {
    fn note(&self, notice: &Notice<'_>) {
        let (row, done) = {
            let mut progress = lock(&self.progress);
            (progress.note(notice), progress.done())
        };
        if !self.is_drawn {
            let lines = Lines { total: notice.total, done };
            if let Some(line) = row.and_then(|row| lines.line(&row, notice, self.terminal.err)) {
                self.tell(line);
            }
        }
    }

    /// Does something with the terminal while no table stands on it.
    fn suspend(&self, act: impl FnOnce(&Terminal)) {
        let mut canvas = lock(&self.canvas);
        canvas.erase();
        act(&self.terminal);
    }

    fn tell(&self, line: String) {
        if let Some((sender, _)) = &*lock(&self.writer) {
            // The thread ends with the run; what comes later has nobody to read it.
            let _ = sender.send(line);
        }
    }

    fn draw(&self) {
        let (columns, rows) = Canvas::size();
        let lines = lock(&self.progress).lines(columns, rows, self.terminal.err);
        lock(&self.canvas).draw(&lines);
    }
}

impl observe::Observer for Shared {
    fn notify(&self, progress: Progressed) {
        if self.talk == Talk::Quiet {
            return;
        }
        match progress {
            Progressed::Warning(text) => self.suspend(|terminal| terminal.warn(&text)),
            Progressed::Note(text) => self.suspend(|terminal| terminal.note(&text)),
            _ => {}
        }
    }

    /// Asks at the terminal; whoever is not there or wants it quiet allows nothing.
    fn allows(&self, question: &Question) -> bool {
        let mut is_allowed = false;
        if self.talk != Talk::Quiet && self.terminal.is_answered() {
            self.suspend(|terminal| is_allowed = asks(question, terminal));
        }
        is_allowed
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

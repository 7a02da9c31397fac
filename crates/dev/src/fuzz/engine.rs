//! The loop of one target, in a process of its own.

use super::Outcome;
use super::corpus;
use super::mutate::{Stock, mutated};
use super::targets::{self, Check};
use fastrand::Rng;
use parking_lot::Mutex;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The exit code of a process whose input takes too long.
pub(super) const HANGS: i32 = 70;
/// The most inputs that are kept because a target answered them in a new way.
const KEPT: usize = 4_000;

/// The task of the process of a target.
pub(super) struct ChildJob {
    pub(super) target: String,
    pub(super) seed: u64,
    pub(super) time: Duration,
    /// The file of the result; beside it the failing input.
    pub(super) out: PathBuf,
    /// True if each input is written before it is tried, as the process is going to die of one.
    pub(super) has_trail: bool,
}

impl ChildJob {
    /// Returns the file of the input that failed, or that is tried.
    fn input(&self) -> PathBuf {
        self.out.with_extension("input")
    }
}

/// Fuzzes a target until an input fails or the time is over, and writes the result.
pub(super) fn child(job: &ChildJob) -> Outcome<()> {
    let target = targets::find(&job.target)?;
    let mut check = target.open()?;
    let seeds = corpus::seeds(target.name, target.sources);
    let words = corpus::words(target.words, &seeds);
    let (began, mut rng) = (Instant::now(), Rng::with_seed(job.seed));
    let (count, mut pool) = (seeds.len(), seeds);
    let (mut known, mut runs, mut failure) = (BTreeSet::new(), 0_usize, None);
    let mut watched = Watched::begin(target.name, Some(job.input()));
    while runs < count || began.elapsed() < job.time {
        let input = match pool.get(runs) {
            Some(seed) if runs < count => seed.clone(),
            _ => {
                let base = rng.choice(&pool).cloned().unwrap_or_default();
                mutated(&base, &Stock { words: &words, pool: &pool }, &mut rng)
            }
        };
        runs += 1;
        if job.has_trail {
            write(&job.input(), &input)?;
        }
        match watched.run(&mut check, &input) {
            Ok(seen) => {
                if known.insert(seen) && runs > count && pool.len() < count + KEPT {
                    pool.push(input);
                }
            }
            Err(why) => {
                write(&job.input(), &input)?;
                failure = Some(why);
                break;
            }
        }
    }
    let result = json!({
        "runs": runs, "seeds": count, "kept": pool.len() - count, "answers": known.len(),
        "seconds": began.elapsed().as_secs_f64(), "why": failure,
    });
    write(&job.out, result.to_string().as_bytes())
}

/// Runs one input under the limit of time; says why it failed.
pub(super) fn guarded(
    target: &'static str,
    check: &mut Check,
    input: &[u8],
) -> Result<String, String> {
    Watched::begin(target, None).run(check, input)
}

fn write(path: &PathBuf, bytes: &[u8]) -> Outcome<()> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The input that is tried, and since when.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Inputs that are tried one after another, each under the limit of time.
struct Watched {
    current: Current,
    panicked: Arc<Mutex<Option<String>>>,
}

impl Watched {
    /// Begins to watch; an input that takes too long is written to `file`, and ends the process.
    fn begin(target: &'static str, file: Option<PathBuf>) -> Self {
        let current = Current::default();
        let watched = Arc::clone(&current);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(100));
                let mut late = None;
                if let Some((since, input)) = &*watched.lock() {
                    late = (since.elapsed() > targets::LONGEST).then(|| input.clone());
                }
                let Some(input) = late else { continue };
                if let Some(file) = &file {
                    let _ = fs::write(file, input);
                }
                let seconds = targets::LONGEST.as_secs();
                println!("{target}: the input takes more than {seconds} s");
                std::process::exit(HANGS);
            }
        });
        let panicked = Arc::new(Mutex::new(None));
        let place_of_panic = Arc::clone(&panicked);
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let said = info.payload_as_str().unwrap_or("no message");
            *place_of_panic.lock() = Some(format!("panicked at {place}: {said}"));
        }));
        Self { current, panicked }
    }

    fn run(&mut self, check: &mut Check, input: &[u8]) -> Result<String, String> {
        *self.current.lock() = Some((Instant::now(), input.to_vec()));
        let ended = catch_unwind(AssertUnwindSafe(|| check(input)));
        *self.current.lock() = None;
        ended.unwrap_or_else(|_| {
            Err(self.panicked.lock().take().unwrap_or_else(|| "panicked".to_owned()))
        })
    }
}

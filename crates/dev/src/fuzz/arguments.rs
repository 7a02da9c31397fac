//! The arguments of `cargo dev fuzz`.

use super::engine::ChildJob;
use super::targets;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A task of `cargo dev fuzz`.
pub(super) enum Job {
    List,
    /// One input of one target.
    Replay {
        target: String,
        input: String,
    },
    /// Targets by name.
    Fuzz(Vec<String>),
    /// The process of one target.
    Child(ChildJob),
}

pub(super) struct Arguments {
    pub(super) job: Job,
    /// The time for all targets together.
    pub(super) time: Duration,
    pub(super) seed: u64,
    pub(super) is_json: bool,
}

/// The options as they stand.
#[derive(Default)]
struct Given {
    targets: Vec<String>,
    minutes: Option<f64>,
    seconds: Option<u64>,
    seed: Option<u64>,
    input: Option<String>,
    out: Option<String>,
    has_list: bool,
    has_json: bool,
    has_trail: bool,
}

impl Arguments {
    /// Reads the arguments; `None` when they are not those of the help.
    pub(super) fn read(words: &[&str]) -> Option<Self> {
        let given = Given::read(words)?;
        let minutes = given.minutes.unwrap_or(1.0);
        let time = Duration::try_from_secs_f64(minutes * 60.0).ok()?;
        let seed = given.seed.unwrap_or_else(any_seed);
        let is_json = given.has_json;
        Some(Self { job: given.job(seed)?, time, seed, is_json })
    }
}

impl Given {
    fn read(words: &[&str]) -> Option<Self> {
        let mut given = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--list" => given.has_list = true,
                "--json" => given.has_json = true,
                "--trail" => given.has_trail = true,
                "--minutes" => given.minutes = Some(words.next()?.parse().ok()?),
                "--seconds" => given.seconds = Some(words.next()?.parse().ok()?),
                "--seed" => given.seed = Some(words.next()?.parse().ok()?),
                "--input" => given.input = Some((*words.next()?).to_owned()),
                "--child" => given.out = Some((*words.next()?).to_owned()),
                option if option.starts_with('-') => return None,
                target => given.targets.push(targets::find(target).ok()?.name.to_owned()),
            }
        }
        Some(given)
    }

    fn job(self, seed: u64) -> Option<Job> {
        let only = || (self.targets.len() == 1).then(|| self.targets.first().cloned()).flatten();
        Some(match (self.has_list, &self.input, &self.out) {
            (true, None, None) => Job::List,
            (false, Some(input), None) => Job::Replay { target: only()?, input: input.clone() },
            (false, None, Some(out)) => Job::Child(ChildJob {
                target: only()?,
                seed,
                time: Duration::from_secs(self.seconds?),
                out: out.into(),
                has_trail: self.has_trail,
            }),
            (false, None, None) if self.targets.is_empty() => Job::Fuzz(targets::names()),
            (false, None, None) => Job::Fuzz(self.targets),
            _ => return None,
        })
    }
}

fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_secs() % 1_000_000
}

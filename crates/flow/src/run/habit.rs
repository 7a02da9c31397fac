//! Which actions have turned out to be prompt: done at the first look, in no time. Theirs are tried
//! where the engine thinks, like those that say so of themselves, which saves a task for each.
//!
//! Decision: an action has to be prompt many times in tasks of its own before that, and once it is
//! slow, twice as often before it is trusted again. So one that computes for long, or blocks its
//! thread, holds up the others at most now and then, and one that never returns not at all.

use std::time::Duration;

/// How often an action has to be prompt at first.
const PROMPT: u32 = 32;

/// How long it may take in a task of its own.
const SHORT: Duration = Duration::from_micros(20);

/// How long it may take where the engine thinks; more than [`SHORT`], as the machine may be busy.
const LONG: Duration = Duration::from_millis(1);

/// What is known of an action from its tries in this run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Habit {
    prompt: u32,
    slow: u32,
}

impl Habit {
    /// Whether it is tried where the engine thinks.
    pub(crate) fn is_prompt(self) -> bool {
        self.prompt >= PROMPT << self.slow.min(20)
    }

    /// A try in a task of its own has ended.
    pub(crate) fn in_task(&mut self, was_prompt: bool) {
        self.prompt = if was_prompt { self.prompt.saturating_add(1) } else { 0 };
    }

    /// A try where the engine thinks has been looked at once.
    pub(crate) fn in_place(&mut self, is_done: bool, took: Duration) {
        if !is_done || took > LONG {
            *self = Self { prompt: 0, slow: self.slow.saturating_add(1) };
        }
    }
}

/// Whether a try in a task of its own was prompt.
pub(crate) fn was_prompt(looks: u32, took: Duration) -> bool {
    looks <= 1 && took <= SHORT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_10_trust_is_earned_and_lost() {
        let mut habit = Habit::default();
        let earn = |habit: &mut Habit, times: u32| {
            (0..times).for_each(|_| {
                assert!(!habit.is_prompt());
                habit.in_task(true);
            });
            assert!(habit.is_prompt());
        };
        earn(&mut habit, 32);
        habit.in_place(true, Duration::from_micros(900));
        assert!(habit.is_prompt());
        habit.in_place(true, Duration::from_millis(2));
        earn(&mut habit, 64);
        habit.in_place(false, Duration::ZERO);
        habit.in_task(true);
        habit.in_task(false);
        earn(&mut habit, 128);
        assert!(was_prompt(1, SHORT) && !was_prompt(2, Duration::ZERO));
    }
}

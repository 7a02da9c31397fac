//! Profiles of actions: those that complete at the first poll, in no time, are run in the driver's
//! own task, like those that declare it, which saves a task for each.
//!
//! Decision: an action has to be prompt many times in tasks of its own before that, and after it
//! was slow, twice as often before it is trusted again. So an action that computes for long, or
//! blocks its thread, delays the others at most now and then, and one that never returns not at
//! all.

use std::time::Duration;

/// The number of prompt attempts required at first.
const PROMPT: u32 = 32;

/// The greatest duration of a prompt attempt in a task of its own.
const SHORT: Duration = Duration::from_micros(20);

/// The greatest duration in the driver's task; more than [`SHORT`], as the machine may be busy.
const LONG: Duration = Duration::from_millis(1);

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ActionProfile {
    prompt: u32,
    slow: u32,
}

impl ActionProfile {
    /// Reports whether it runs in the driver's task.
    pub(crate) fn is_prompt(self) -> bool {
        self.prompt >= PROMPT << self.slow.min(20)
    }

    /// Records an attempt in a task of its own.
    pub(crate) fn in_task(&mut self, was_prompt: bool) {
        self.prompt = if was_prompt { self.prompt.saturating_add(1) } else { 0 };
    }

    /// Records an attempt in the driver's task after its first poll.
    pub(crate) fn in_place(&mut self, is_done: bool, took: Duration) {
        if !is_done || took > LONG {
            *self = Self { prompt: 0, slow: self.slow.saturating_add(1) };
        }
    }
}

/// Reports whether an attempt in a task of its own was prompt.
pub(crate) fn was_prompt(looks: u32, took: Duration) -> bool {
    looks <= 1 && took <= SHORT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_10_trust_is_earned_and_lost() {
        let mut profile = ActionProfile::default();
        let earn = |profile: &mut ActionProfile, times: u32| {
            (0..times).for_each(|_| {
                assert!(!profile.is_prompt());
                profile.in_task(true);
            });
            assert!(profile.is_prompt());
        };
        earn(&mut profile, 32);
        profile.in_place(true, Duration::from_micros(900));
        assert!(profile.is_prompt());
        profile.in_place(true, Duration::from_millis(2));
        earn(&mut profile, 64);
        profile.in_place(false, Duration::ZERO);
        profile.in_task(true);
        profile.in_task(false);
        earn(&mut profile, 128);
        assert!(was_prompt(1, SHORT) && !was_prompt(2, Duration::ZERO));
    }
}

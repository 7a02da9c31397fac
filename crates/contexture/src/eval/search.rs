//! The search for better candidates of `use one of`: successive halving on some cases, and the gain
//! on others (EV-9).
//!
//! Decision: what chooses never measures. The cases are split once, by their names; arms are compared
//! on the one part, and the gain of the best one is told on the other, which no arm has seen. So a
//! program without a gain stays as it is at least 19 times of 20, however many arms are tried.

use super::compare::{bounds, one_sided};
use std::collections::{BTreeMap, BTreeSet};

/// The candidate of each site, by its number.
pub(super) type Arm = Vec<usize>;

/// The number of cases of the first comparison.
const FIRST: usize = 2;

/// The most arms of a comparison of all combinations at once; beyond it one site is changed at a time.
const COMBINATIONS: usize = 64;

/// The number of passes by which an arm must trail the best one to be dropped at once.
const HOPELESS: usize = 2;

/// The least number of cases on which a gain can be told: five of five are better by chance 1 time in
/// 32.
const TELLING: usize = 5;

/// The greatest probability of a gain by chance.
const LEVEL: f64 = 0.05;

/// What is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// The number of candidates of each site.
    pub(super) candidates: Vec<usize>,
    /// The arm of the program as it is.
    pub(super) baseline: Arm,
    /// The cases on which arms are compared.
    pub(super) train: Vec<usize>,
    /// The cases on which the gain is told.
    pub(super) held_out: Vec<usize>,
    /// The most arms that are tried beside the baseline.
    pub(super) max_trials: usize,
}

/// What came of a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The arm with a gain.
    pub(super) best: Option<Arm>,
    /// Better less worse, by the cases that both ran, of the best arm on the train cases.
    pub(super) gain: f64,
    /// The bounds of the gain, each at 95 %.
    pub(super) interval: Option<[f64; 2]>,
    /// The arms that were tried beside the baseline.
    pub(super) trials: usize,
    /// The held-out cases that both ran.
    pub(super) held_out: usize,
    /// True if nothing was measured, as the limit of calls has no room for a comparison.
    pub(super) lacks_calls: bool,
}

/// A cell: an arm on a case.
pub(super) type ArmCase = (Arm, usize);

/// What runs cells for a search.
pub(super) trait Cells {
    /// Runs cells, and tells of each whether it passed; `None` when a limit stopped it.
    async fn run(&mut self, cells: Vec<ArmCase>) -> Vec<Option<bool>>;

    /// Returns how many more cells the limits allow, as far as that is known.
    fn left(&self) -> Option<usize>;
}

/// Splits cases: by the order of their keys, so that neither their place nor their kind decides. Those of one
/// key stay together.
pub(super) fn split(keys: &[String]) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|at| keys.get(*at));
    let held = keys.len().div_ceil(2).max(TELLING).min(keys.len().saturating_sub(1));
    let key = |place: usize| order.get(place).and_then(|at| keys.get(*at));
    let is_between = |place: &usize| *place == 0 || key(place - 1) != key(*place);
    let after = (held..keys.len()).find(is_between);
    let held = after.or_else(|| (0..held).rev().find(is_between)).unwrap_or_default();
    let train = order.split_off(held);
    (train, order)
}

struct Search<'s, C> {
    problem: &'s Problem,
    cells: &'s mut C,
    /// Shared by all comparisons: no cell runs twice.
    passed: BTreeMap<ArmCase, bool>,
    tried: BTreeSet<Arm>,
    is_stopped: bool,
    lacks_calls: bool,
}

/// Searches for an arm that is better than the baseline.
pub(super) async fn search(problem: &Problem, cells: &mut impl Cells) -> Found {
    let (passed, tried) = (BTreeMap::new(), BTreeSet::new());
    let mut search =
        Search { problem, cells, passed, tried, is_stopped: false, lacks_calls: false };
    let mut current = problem.baseline.clone();
    while !search.is_stopped {
        let arms = search.arms(&current);
        if arms.is_empty() {
            break;
        }
        search.tried.extend(arms.iter().cloned());
        let winner = search.halve(&current, arms).await;
        if winner == current {
            break;
        }
        current = winner;
    }
    search.told(current).await
}

impl<C: Cells> Search<'_, C> {
    /// Returns the arms to try beside the current one, as many as may still be tried.
    fn arms(&self, current: &Arm) -> Vec<Arm> {
        let left = self.problem.max_trials.saturating_sub(self.tried.len());
        let all = self.problem.candidates.iter().try_fold(1_usize, |all, n| all.checked_mul(*n));
        let arms = match all {
            Some(all)
                if all <= COMBINATIONS && all.saturating_sub(1) <= self.problem.max_trials =>
            {
                combinations(&self.problem.candidates)
            }
            _ => neighbours(&self.problem.candidates, current),
        };
        let is_new = |arm: &Arm| {
            arm != current && *arm != self.problem.baseline && !self.tried.contains(arm)
        };
        arms.into_iter().filter(is_new).take(left).collect()
    }

    /// Returns the best of the arms and the current one on the train cases.
    async fn halve(&mut self, current: &Arm, mut alive: Vec<Arm>) -> Arm {
        let train = &self.problem.train;
        let mut size = FIRST.min(train.len());
        loop {
            let seen = train.get(..size).unwrap_or_default();
            let mut all = vec![current.clone()];
            all.append(&mut alive);
            let has_room = self.has_room(&all, seen);
            self.lacks_calls = !has_room && self.passed.is_empty();
            if !has_room || !self.measure(&all, seen).await {
                return self.best(&all, train);
            }
            alive = self.kept(all, seen);
            if alive.len() <= 1 || size == train.len() {
                alive.insert(0, current.clone());
                return self.best(&alive, seen);
            }
            size = (2 * size).min(train.len());
        }
    }

    /// Reports whether the limits allow this comparison, and the one on the held-out cases after it.
    fn has_room(&self, arms: &[Arm], cases: &[usize]) -> bool {
        let Some(left) = self.cells.left() else { return true };
        let is_new = |arm: &Arm, case: usize| !self.passed.contains_key(&(arm.clone(), case));
        let new = arms.iter().flat_map(|arm| cases.iter().map(move |case| (arm, *case)));
        let needed = new.filter(|(arm, case)| is_new(arm, *case)).count();
        needed + 2 * self.problem.held_out.len() <= left
    }

    /// Runs the cells that have not run. False when a limit stopped one.
    async fn measure(&mut self, arms: &[Arm], cases: &[usize]) -> bool {
        // Case by case, so that what ran before a stop can be compared.
        let all = cases.iter().flat_map(|case| arms.iter().map(|arm| (arm.clone(), *case)));
        let new: Vec<ArmCase> = all.filter(|cell| !self.passed.contains_key(cell)).collect();
        let outcomes = self.cells.run(new.clone()).await;
        for (cell, outcome) in new.into_iter().zip(outcomes) {
            match outcome {
                Some(passed) => {
                    self.passed.insert(cell, passed);
                }
                None => self.is_stopped = true,
            }
        }
        !self.is_stopped
    }

    /// Returns the better half of the arms beside the first, without those that trail far behind.
    fn kept(&self, arms: Vec<Arm>, cases: &[usize]) -> Vec<Arm> {
        let most = arms.iter().map(|arm| self.passes(arm, cases)).max().unwrap_or_default();
        let mut rest: Vec<Arm> = arms.into_iter().skip(1).collect();
        rest.sort_by_cached_key(|arm| {
            (std::cmp::Reverse(self.passes(arm, cases)), self.distance(arm))
        });
        rest.truncate(rest.len().div_ceil(2));
        rest.retain(|arm| self.passes(arm, cases) + HOPELESS > most);
        rest
    }

    fn passes(&self, arm: &Arm, cases: &[usize]) -> usize {
        let passed = |case: &&usize| self.passed.get(&(arm.clone(), **case)) == Some(&true);
        cases.iter().filter(passed).count()
    }

    /// Returns the number of sites in which an arm differs from the program as it is.
    fn distance(&self, arm: &Arm) -> usize {
        arm.iter().zip(&self.problem.baseline).filter(|(own, other)| own != other).count()
    }

    /// Returns the arm with the most passes on cases that all arms ran; of equal ones that which changes the
    /// program least, and the first.
    fn best(&self, arms: &[Arm], cases: &[usize]) -> Arm {
        let ran =
            |case: &usize| arms.iter().all(|arm| self.passed.contains_key(&(arm.clone(), *case)));
        let cases: Vec<usize> = cases.iter().copied().filter(ran).collect();
        let rank = |arm: &&Arm| (std::cmp::Reverse(self.passes(arm, &cases)), self.distance(arm));
        let best = arms.iter().min_by_key(rank);
        best.cloned().unwrap_or_default()
    }

    /// Measures the gain of an arm on the held-out cases.
    async fn told(mut self, arm: Arm) -> Found {
        let trials = self.tried.len();
        let none = Found {
            best: None,
            gain: 0.0,
            interval: None,
            trials,
            held_out: 0,
            lacks_calls: self.lacks_calls,
        };
        let baseline = self.problem.baseline.clone();
        if arm == baseline {
            return none;
        }
        let held_out = self.problem.held_out.clone();
        self.measure(&[baseline.clone(), arm.clone()], &held_out).await;
        let outcome = |arm: &Arm, case| self.passed.get(&(arm.clone(), case)).copied();
        let pairs =
            held_out.iter().filter_map(|case| outcome(&baseline, *case).zip(outcome(&arm, *case)));
        let pairs: Vec<(bool, bool)> = pairs.collect();
        let better = pairs.iter().filter(|pair| **pair == (false, true)).count();
        let worse = pairs.iter().filter(|pair| **pair == (true, false)).count();
        let is_gain = one_sided(better, worse) < LEVEL;
        Found {
            best: is_gain.then_some(arm),
            gain: ratio(better, pairs.len()) - ratio(worse, pairs.len()),
            interval: bounds(better, worse, pairs.len(), LEVEL),
            held_out: pairs.len(),
            lacks_calls: self.lacks_calls && pairs.is_empty(),
            ..none
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "there are fewer cases")]
fn ratio(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// Returns every arm.
fn combinations(candidates: &[usize]) -> Vec<Arm> {
    let mut arms: Vec<Arm> = vec![Vec::new()];
    for count in candidates {
        let longer = |arm: Arm| (0..*count).map(move |one| [arm.as_slice(), &[one]].concat());
        arms = arms.into_iter().flat_map(longer).collect();
    }
    arms
}

/// Returns the arms that differ from one in one site.
fn neighbours(candidates: &[usize], arm: &Arm) -> Vec<Arm> {
    let mut arms = Vec::new();
    for (site, count) in candidates.iter().enumerate() {
        for one in 0..*count {
            let mut other = arm.clone();
            if let Some(place) = other.get_mut(site) {
                *place = one;
            }
            arms.push(other);
        }
    }
    arms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells with a chance of passing for each arm.
    struct Chances {
        of: fn(&Arm) -> f64,
        random: u64,
        ran: usize,
        most: Option<usize>,
    }

    impl Chances {
        fn new(of: fn(&Arm) -> f64, seed: u64) -> Self {
            Self { of, random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, ran: 0, most: None }
        }

        fn next(&mut self) -> f64 {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            (self.random >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    impl Cells for Chances {
        async fn run(&mut self, cells: Vec<ArmCase>) -> Vec<Option<bool>> {
            let mut outcomes = Vec::new();
            for (arm, _) in cells {
                let is_over = self.most.is_some_and(|most| self.ran >= most);
                self.ran += usize::from(!is_over);
                let chance = (self.of)(&arm);
                outcomes.push((!is_over).then(|| self.next() < chance));
            }
            outcomes
        }

        fn left(&self) -> Option<usize> {
            self.most.map(|most| most - self.ran)
        }
    }

    fn problem(candidates: &[usize], cases: usize, max_trials: usize) -> Problem {
        let keys: Vec<String> = (0..cases).map(|n| format!("{n:05}")).collect();
        let (train, held_out) = split(&keys);
        let baseline = vec![0; candidates.len()];
        Problem { candidates: candidates.to_vec(), baseline, train, held_out, max_trials }
    }

    fn found(problem: &Problem, cells: &mut Chances) -> Found {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(search(problem, cells))
    }

    #[test]
    fn ev_12_right_candidate_is_found_within_40_calls() {
        for (candidates, cases) in [(2, 8), (3, 10), (4, 20), (6, 20), (8, 20)] {
            let problem = problem(&[candidates], cases, 16);
            let mut cells = Chances::new(|arm| f64::from(u8::from(arm == &[1])), 1);
            cells.most = Some(40);
            let found = found(&problem, &mut cells);
            assert_eq!(found.best, Some(vec![1]), "{candidates} candidates: {found:?}");
            assert!(cells.ran <= 40 && found.held_out >= 5, "{} {found:?}", cells.ran);
            assert_eq!(found.gain, 1.0);
            assert!(found.interval.unwrap()[0] > 0.0, "{found:?}");
        }
    }

    #[test]
    fn ev_12_program_without_gain_stays_unchanged_19_times_of_20() {
        for chance in [0.1, 0.5, 0.9] {
            let of: fn(&Arm) -> f64 = match chance {
                0.1 => |_| 0.1,
                0.5 => |_| 0.5,
                _ => |_| 0.9,
            };
            let changed = (1..=400).filter(|seed| {
                let mut cells = Chances::new(of, *seed);
                found(&problem(&[4, 3], 40, 12), &mut cells).best.is_some()
            });
            let changed = changed.count();
            assert!(changed <= 20, "{changed} of 400 at {chance}");
        }
    }

    #[test]
    fn ev_9_combination_of_sites_is_found() {
        let both = |arm: &Arm| if arm == &[1, 2] { 1.0 } else { 0.1 };
        let found = found(&problem(&[2, 3], 40, 16), &mut Chances::new(both, 3));
        assert_eq!(found.best, Some(vec![1, 2]), "{found:?}");
        assert_eq!(found.trials, 5);
    }

    #[test]
    fn ev_9_many_sites_are_changed_one_at_a_time() {
        let good = |arm: &Arm| 0.1 + 0.4 * f64::from(u8::from(arm[0] == 2) + u8::from(arm[4] == 1));
        let found = found(&problem(&[3; 5], 80, 40), &mut Chances::new(good, 5));
        let best = found.best.unwrap();
        assert!(best[0] == 2 || best[4] == 1, "{best:?}");
        assert!(found.trials <= 40);
    }

    #[test]
    fn ev_9_limits_of_zero_try_nothing_and_stop_is_clean() {
        let right = |arm: &Arm| f64::from(u8::from(arm == &[1]));
        let none = found(&problem(&[4], 20, 0), &mut Chances::new(right, 1));
        assert_eq!((none.best, none.trials, none.held_out), (None, 0, 0));
        let mut cells = Chances::new(right, 1);
        cells.most = Some(0);
        let none = found(&problem(&[4], 20, 9), &mut cells);
        assert_eq!((none.best, none.held_out, cells.ran), (None, 0, 0));
        for cases in 0..3 {
            let few = found(&problem(&[4], cases, 9), &mut Chances::new(right, 1));
            assert_eq!(few.best, None, "{cases} cases tell nothing");
        }
    }

    #[test]
    fn ev_9_split_shares_no_case() {
        let keys: Vec<String> = (0..21).map(|n| format!("{}", n * 7919 % 101)).collect();
        let (train, held_out) = split(&keys);
        assert_eq!((train.len(), held_out.len()), (10, 11));
        assert!(train.iter().all(|case| !held_out.contains(case)));
    }
}

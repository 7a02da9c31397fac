//! Metrics for Prometheus (CP-20): counted in place, and rendered on request.
//!
//! Decision: a registry of our own. It needs only counters and histograms, and the values of labels
//! must be limited, which libraries do not do: every family has at most [`MOST_SERIES`] series,
//! and further ones count as `other`. No label contains an id or a text of a user.

use parking_lot::RwLock;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most series of a family.
const MOST_SERIES: usize = 200;
/// Bounds of the histogram of turns, in seconds.
const TURNS: &[f64] = &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Bounds of the histogram of durable updates, in seconds.
const UPDATES: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/// The values of the labels of a family; the second is empty without a second label.
pub(crate) type Labels = [Cow<'static, str>; 2];

pub(crate) struct Metrics {
    pub(crate) requests: Counters,
    pub(crate) messages: Counters,
    pub(crate) errors: Counters,
    pub(crate) turns: Counters,
    pub(crate) sets: Counters,
    pub(crate) tokens: Counters,
    pub(crate) rate_limits: Counters,
    pub(crate) frontend_calls: Counters,
    pub(crate) permissions: Counters,
    pub(crate) updates: Counters,
    pub(crate) exports: Counters,
    pub(crate) turn_seconds: Histogram,
    pub(crate) update_seconds: Histogram,
    /// WebSockets that are open.
    pub(crate) sockets: AtomicU64,
}

/// A gauge that is read when the page is rendered.
pub(crate) struct Gauge(pub(crate) &'static str, pub(crate) &'static str, pub(crate) u64);

impl Metrics {
    #[rustfmt::skip]
    pub(crate) fn new() -> Self {
        Self {
            requests: Counters::new("http_requests_total", "HTTP requests.", &["route", "status"]),
            messages: Counters::new("messages_total", "Messages of clients.", &["type", "outcome"]),
            errors: Counters::new("errors_total", "Errors that were answered.", &["code"]),
            turns: Counters::new("turns_total", "Turns that ended.", &["agent", "outcome"]),
            sets: Counters::new("sets_total", "Sets of calls and of instructions that ended.", &["type", "outcome"]),
            tokens: Counters::new("tokens_total", "Tokens that models took.", &["model", "direction"]),
            rate_limits: Counters::new("rate_limited_total", "Requests refused for their rate.", &["limit"]),
            frontend_calls: Counters::new("frontend_calls_total", "Calls of front-end tools.", &["outcome"]),
            permissions: Counters::new("permissions_total", "Actions that the user had to allow.", &["outcome"]),
            updates: Counters::new("store_updates_total", "Updates of contexts.", &["outcome"]),
            exports: Counters::new("trace_exports_total", "Exports of traces.", &["outcome"]),
            turn_seconds: Histogram::new("turn_duration_seconds", "How long turns took.", TURNS),
            update_seconds: Histogram::new("store_update_seconds", "How long updates took to be durable.", UPDATES),
            sockets: AtomicU64::new(0),
        }
    }

    /// Renders the page for Prometheus, in its text format 0.0.4.
    pub(crate) fn page(&self, gauges: &[Gauge]) -> String {
        let mut page = String::new();
        let Self { requests, messages, errors, turns, sets, tokens, .. } = self;
        let Self { rate_limits, frontend_calls, permissions, updates, exports, .. } = self;
        let families = [requests, messages, errors, turns, sets, tokens, rate_limits];
        for family in families.into_iter().chain([frontend_calls, permissions, updates, exports]) {
            family.write(&mut page);
        }
        self.turn_seconds.write(&mut page);
        self.update_seconds.write(&mut page);
        for Gauge(name, help, value) in gauges {
            head(&mut page, name, help, "gauge");
            let _ = writeln!(page, "contexture_{name} {value}");
        }
        page
    }
}

fn head(page: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(page, "# HELP contexture_{name} {help}\n# TYPE contexture_{name} {kind}");
}

/// The counters of one name, distinguished by labels.
pub(crate) struct Counters {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    series: RwLock<HashMap<Labels, AtomicU64>>,
}

impl Counters {
    fn new(name: &'static str, help: &'static str, labels: &'static [&'static str]) -> Self {
        Self { name, help, labels, series: RwLock::default() }
    }

    pub(crate) fn count(
        &self,
        first: impl Into<Cow<'static, str>>,
        second: impl Into<Cow<'static, str>>,
    ) {
        self.add(first, second, 1);
    }

    /// Counts several.
    pub(crate) fn add(
        &self,
        first: impl Into<Cow<'static, str>>,
        second: impl Into<Cow<'static, str>>,
        by: u64,
    ) {
        let mut labels = [first.into(), second.into()];
        let series = self.series.read();
        if let Some(known) = series.get(&labels) {
            known.fetch_add(by, Ordering::Relaxed);
            return;
        }
        drop(series);
        let mut series = self.series.write();
        if series.len() >= MOST_SERIES && !series.contains_key(&labels) {
            labels =
                ["other".into(), if self.labels.len() > 1 { "other".into() } else { "".into() }];
        }
        series.entry(labels).or_default().fetch_add(by, Ordering::Relaxed);
    }

    fn write(&self, page: &mut String) {
        head(page, self.name, self.help, "counter");
        let series = self.series.read();
        let mut lines: Vec<String> =
            series.iter().map(|(labels, count)| self.line(labels, count)).collect();
        drop(series);
        lines.sort_unstable();
        page.extend(lines);
    }

    fn line(&self, labels: &Labels, count: &AtomicU64) -> String {
        let pairs = self.labels.iter().zip(labels).map(|(name, value)| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            format!("{name}=\"{value}\"")
        });
        let pairs = pairs.collect::<Vec<_>>().join(",");
        format!("contexture_{}{{{pairs}}} {}\n", self.name, count.load(Ordering::Relaxed))
    }
}

pub(crate) struct Histogram {
    name: &'static str,
    help: &'static str,
    bounds: &'static [f64],
    /// The count of each interval: one more than bounds.
    counts: Vec<AtomicU64>,
    micros: AtomicU64,
}

impl Histogram {
    fn new(name: &'static str, help: &'static str, bounds: &'static [f64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { name, help, bounds, counts, micros: AtomicU64::new(0) }
    }

    /// Records a duration.
    pub(crate) fn note(&self, took: Duration) {
        let place = self.bounds.partition_point(|bound| *bound < took.as_secs_f64());
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    #[expect(clippy::cast_precision_loss, reason = "a sum of seconds needs no last digit")]
    fn write(&self, page: &mut String) {
        let name = self.name;
        head(page, name, self.help, "histogram");
        let mut total = 0;
        let bounds = self.bounds.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
        for (bound, count) in bounds.zip(&self.counts) {
            total += count.load(Ordering::Relaxed);
            let _ = writeln!(page, "contexture_{name}_bucket{{le=\"{bound}\"}} {total}");
        }
        let sum = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(page, "contexture_{name}_sum {sum}\ncontexture_{name}_count {total}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_20_counters_are_in_prometheus_format() {
        let metrics = Metrics::new();
        metrics.messages.count("USER_INPUT", "ok");
        metrics.messages.count("USER_INPUT", "ok");
        metrics.tokens.add("a\"b\\c\nd".to_owned(), "input", 7);
        metrics.errors.count("TIMEOUT", "");
        let page = metrics.page(&[Gauge("sessions", "Sessions.", 3)]);
        for line in [
            "# TYPE contexture_messages_total counter",
            "contexture_messages_total{type=\"USER_INPUT\",outcome=\"ok\"} 2",
            "contexture_tokens_total{model=\"a\\\"b\\\\c\\nd\",direction=\"input\"} 7",
            "contexture_errors_total{code=\"TIMEOUT\"} 1",
            "# TYPE contexture_sessions gauge",
            "contexture_sessions 3",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }

    #[test]
    fn cp_20_histogram_counts_up_to_each_bound() {
        let metrics = Metrics::new();
        for took in [5, 10, 60, 700_000] {
            metrics.turn_seconds.note(Duration::from_millis(took));
        }
        let page = metrics.page(&[]);
        for line in [
            "contexture_turn_duration_seconds_bucket{le=\"0.01\"} 2",
            "contexture_turn_duration_seconds_bucket{le=\"0.1\"} 3",
            "contexture_turn_duration_seconds_bucket{le=\"300\"} 3",
            "contexture_turn_duration_seconds_bucket{le=\"+Inf\"} 4",
            "contexture_turn_duration_seconds_sum 700.075",
            "contexture_turn_duration_seconds_count 4",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }

    #[test]
    fn cp_20_labels_are_bounded() {
        let metrics = Metrics::new();
        for number in 0..1000 {
            metrics.turns.count(format!("agent{number}"), "ok");
            metrics.errors.count(format!("CODE{number}"), "");
        }
        let page = metrics.page(&[]);
        let series = |name: &str| page.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!(series("contexture_turns_total{"), MOST_SERIES + 1);
        assert!(page.contains("contexture_turns_total{agent=\"other\",outcome=\"other\"} 800"));
        assert!(page.contains("contexture_errors_total{code=\"other\"} 800"));
    }
}

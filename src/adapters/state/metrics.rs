//! What is counted while the service runs, for whoever watches it. Counting is one addition to a number in memory; every
//! set of labels is fixed in code, or made of the names of cards, so the counts cannot grow.

use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::version::VersionKind;
use crate::domain::predictions::prediction::Usage;
use std::array;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

/// A number that only grows until the service ends.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn increment(&self) {
        self.add(1);
    }

    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Relaxed);
    }

    /// What was counted so far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    pub fn increment(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    pub fn decrement(&self) {
        self.0.fetch_sub(1, Relaxed);
    }

    #[must_use]
    pub fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

/// The ends of the intervals in which times are counted, in milliseconds.
pub(crate) const BUCKETS_MS: [u64; 14] =
    [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 60_000, 300_000];

/// How long things took, as buckets that a scraper adds up.
#[derive(Debug)]
pub struct Histogram {
    buckets: [Counter; BUCKETS_MS.len()],
    micros: Counter,
    count: Counter,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            buckets: array::from_fn(|_| Counter::default()),
            micros: Counter::default(),
            count: Counter::default(),
        }
    }
}

impl Histogram {
    pub fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(at) = BUCKETS_MS.iter().position(|end| micros <= end * 1_000) {
            self.buckets[at].increment();
        }
        self.micros.add(micros);
        self.count.increment();
    }

    /// For each interval how many were not longer than its end.
    pub fn cumulative_buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let sums = self.buckets.iter().scan(0, |sum, bucket| {
            *sum += bucket.get();
            Some(*sum)
        });
        BUCKETS_MS.into_iter().zip(sums)
    }

    /// All of them together, in microseconds.
    #[must_use]
    pub fn micros(&self) -> u64 {
        self.micros.get()
    }

    #[must_use]
    pub fn count(&self) -> u64 {
        self.count.get()
    }
}

/// The statuses the service answers with; any other is counted as 0.
pub const STATUSES: [u16; 24] = [
    0, 200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 422, 429, 431, 499, 500,
    502, 503, 507,
];

/// The requests of one route, by how they were answered.
#[derive(Debug)]
pub struct RouteCounts {
    /// By their index in [`STATUSES`].
    pub statuses: [Counter; STATUSES.len()],
    /// Until the head of the answer.
    pub durations: Histogram,
}

impl Default for RouteCounts {
    fn default() -> Self {
        Self { statuses: array::from_fn(|_| Counter::default()), durations: Histogram::default() }
    }
}

/// Where a question came from: a label of the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it")]
pub enum RunSource {
    External,
    Internal,
    AnotherFlow,
    Schedule,
    Webhook,
    Mcp,
}

impl RunSource {
    /// All, in the order of their counts.
    pub const ALL: [Self; 6] =
        [Self::External, Self::Internal, Self::AnotherFlow, Self::Schedule, Self::Webhook, Self::Mcp];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Internal => "internal",
            Self::AnotherFlow => "flow",
            Self::Schedule => "schedule",
            Self::Webhook => "webhook",
            Self::Mcp => "mcp",
        }
    }
}

/// How a question ended: a label of the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it")]
pub enum RunResult {
    Answered,
    Failed,
    Cancelled,
    Limited,
}

impl RunResult {
    /// All, in the order of their counts.
    pub const ALL: [Self; 4] = [Self::Answered, Self::Failed, Self::Cancelled, Self::Limited];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Limited => "limited",
        }
    }
}

/// The questions of one source, by their ends and times.
#[derive(Debug, Default)]
pub struct RunMetrics {
    results: [Counter; RunResult::ALL.len()],
    pub durations: Histogram,
}

impl RunMetrics {
    #[must_use]
    pub fn count(&self, end: RunResult) -> u64 {
        self.results[end as usize].get()
    }
}

/// The calls of the models of one card.
#[derive(Debug, Default)]
pub struct ModelCounts {
    pub input: Counter,
    pub output: Counter,
    /// How long the calls took that were answered.
    pub durations: Histogram,
    failures: Mutex<BTreeMap<&'static str, u64>>,
}

impl ModelCounts {
    /// How often a call failed, by the kind of failure.
    #[must_use]
    pub fn failures(&self) -> Vec<(&'static str, u64)> {
        let faults = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().map(|(kind, count)| (*kind, *count)).collect()
    }
}

/// All counts of one running service.
#[derive(Default)]
pub struct Metrics {
    routes: OnceLock<Box<[RouteCounts]>>,
    pub streams: Gauge,
    runs: [RunMetrics; RunSource::ALL.len()],
    models: RwLock<BTreeMap<&'static str, Arc<ModelCounts>>>,
    live_changes: [Counter; VersionKind::ALL.len()],
    flows_created: [Counter; FlowKind::ALL.len()],
    pub drafts_saved: Counter,
    pub tools_created: Counter,
    pub upserts_completed: Counter,
    pub upserts_failed: Counter,
    pub versions_recorded: Counter,
    /// Versions that could not be recorded.
    pub versions_failed: Counter,
    /// Copies to a git host, or reads there, that went well.
    pub copies_completed: Counter,
    /// Those that failed or stopped.
    pub copies_failed: Counter,
}

impl Metrics {
    /// Makes room for the counts of this many routes. The one after the last counts what no route answered.
    pub fn allocate_routes(&self, routes: usize) {
        let _ = self.routes.set((0..=routes).map(|_| RouteCounts::default()).collect());
    }

    /// Counts an answer. `route` is the route's index, `None` when no route answered.
    pub fn record_response(&self, route: Option<usize>, status: u16, took: Duration) {
        let Some(counts) = self.routes.get() else { return };
        let Some(counts) = route.map_or_else(|| counts.last(), |route| counts.get(route)) else { return };
        let at = STATUSES.iter().position(|known| *known == status).unwrap_or(0);
        counts.statuses[at].increment();
        counts.durations.observe(took);
    }

    #[must_use]
    pub fn routes(&self) -> &[RouteCounts] {
        self.routes.get().map_or(&[], |routes| routes)
    }

    pub fn record_run(&self, source: RunSource, end: RunResult, took: Duration) {
        let runs = self.runs(source);
        runs.results[end as usize].increment();
        runs.durations.observe(took);
    }

    /// The questions of a source.
    #[must_use]
    pub const fn runs(&self, source: RunSource) -> &RunMetrics {
        &self.runs[source as usize]
    }

    /// Counts a call of a model that was answered.
    pub fn record_model_call(&self, card: &'static str, usage: Option<Usage>, took: Duration) {
        let model = self.model(card);
        let usage = usage.unwrap_or_default();
        model.input.add(usage.input_tokens);
        model.output.add(usage.output_tokens);
        model.durations.observe(took);
    }

    /// Counts a call of a model that failed; `kind` is one of few words.
    pub fn record_model_failure(&self, card: &'static str, kind: &'static str) {
        let model = self.model(card);
        *model.failures.lock().unwrap_or_else(PoisonError::into_inner).entry(kind).or_default() += 1;
    }

    fn model(&self, card: &'static str) -> Arc<ModelCounts> {
        if let Some(known) = self.models.read().unwrap_or_else(PoisonError::into_inner).get(card) {
            return known.clone();
        }
        self.models.write().unwrap_or_else(PoisonError::into_inner).entry(card).or_default().clone()
    }

    /// The calls of all models, by card.
    #[must_use]
    pub fn models(&self) -> Vec<(&'static str, Arc<ModelCounts>)> {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        models.iter().map(|(card, counts)| (*card, counts.clone())).collect()
    }

    /// Counts of changes of Live, by what changed it.
    #[must_use]
    pub fn live_changes(&self, kind: VersionKind) -> &Counter {
        &self.live_changes[VersionKind::ALL.iter().position(|known| *known == kind).unwrap_or(0)]
    }

    /// Counts of flows that were made.
    #[must_use]
    pub fn flows_created(&self, kind: FlowKind) -> &Counter {
        &self.flows_created[FlowKind::ALL.iter().position(|known| *known == kind).unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_intervals_and_summed_up() {
        let times = Histogram::default();
        for millis in [1, 3, 3, 400_000] {
            times.observe(Duration::from_millis(millis));
        }
        let cumulated: Vec<(u64, u64)> = times.cumulative_buckets().collect();
        assert_eq!(cumulated[..3], [(1, 1), (2, 1), (5, 3)]);
        assert_eq!((cumulated[13], times.count(), times.micros()), ((300_000, 3), 4, 400_007_000));
    }

    #[test]
    fn answers_are_counted_by_route_and_status() {
        let metrics = Metrics::default();
        metrics.record_response(Some(0), 200, Duration::ZERO);
        metrics.allocate_routes(2);
        metrics.record_response(Some(1), 404, Duration::ZERO);
        metrics.record_response(None, 418, Duration::ZERO);
        let of = |route: usize, status: u16| {
            let at = STATUSES.iter().position(|known| *known == status).unwrap();
            metrics.routes()[route].statuses[at].get()
        };
        assert_eq!((metrics.routes().len(), of(0, 200), of(1, 404), of(2, 0)), (3, 0, 1, 1));
    }

    #[test]
    fn models_are_counted_by_card() {
        let metrics = Metrics::default();
        let usage = Usage { input_tokens: 3, output_tokens: 5, ..Usage::default() };
        metrics.record_model_call("chatScripted", Some(usage), Duration::from_millis(2));
        metrics.record_model_call("chatScripted", None, Duration::ZERO);
        metrics.record_model_failure("chatOpenAI", "timeout");
        metrics.record_model_failure("chatOpenAI", "timeout");
        let models = metrics.models();
        assert_eq!(models.len(), 2);
        assert_eq!((models[0].0, models[0].1.failures()), ("chatOpenAI", vec![("timeout", 2)]));
        assert_eq!(
            (models[1].1.input.get(), models[1].1.output.get(), models[1].1.durations.count()),
            (3, 5, 2)
        );
    }
}

//! The counts of the service in the text format of Prometheus 0.0.4 (manual 13.9).

use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::version::VersionKind;
use crate::state::metrics::{Histogram, RunResult, RunSource, STATUSES};
use crate::store::Store;
use crate::store::tables::INTENTS;
use std::fmt::Write as _;

/// A route, as its counts are labelled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RouteName<'a> {
    pub method: &'a str,
    /// Its pattern: never a path that was asked for.
    pub pattern: &'a str,
}

/// A stream that counts as open until it is dropped.
pub(crate) struct OpenStream(App);

impl OpenStream {
    #[must_use]
    pub(crate) fn new(app: &App) -> Self {
        app.state.metrics.streams.increment();
        Self(app.clone())
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.state.metrics.streams.decrement();
    }
}

/// What counts what no route answered.
const NO_ROUTE: RouteName<'static> = RouteName { method: "", pattern: "" };

/// All counts. `routes` are in the order in which they are counted.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn render(app: &App, routes: &[RouteName<'_>]) -> Result<String> {
    let mut page = Exposition::default();
    page.family("flowkeep_build_info", "gauge", "The version that runs.");
    page.sample("flowkeep_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
    request_samples(&mut page, app, routes);
    run_samples(&mut page, app);
    model_samples(&mut page, app);
    flow_samples(&mut page, app)?;
    flowise_counters(&mut page, app);
    process_samples(&mut page, app);
    Ok(page.0)
}

/// Lines of samples.
#[derive(Default)]
struct Exposition(String);

impl Exposition {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        self.0.push_str(name);
        let mut separator = '{';
        for (label, text) in labels {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{separator}{label}=\"{text}\"");
            separator = ',';
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// A family of one sample.
    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// The samples of a histogram, in seconds.
    fn histogram(&mut self, name: &str, labels: &[(&str, &str)], times: &Histogram) {
        let bucket = format!("{name}_bucket");
        for (end, count) in times.cumulative_buckets() {
            let end = (end as f64 / 1_000.0).to_string();
            self.sample(&bucket, &[labels, &[("le", &end)]].concat(), count);
        }
        self.sample(&bucket, &[labels, &[("le", "+Inf")]].concat(), times.count());
        self.sample(&format!("{name}_sum"), labels, times.micros() as f64 / 1_000_000.0);
        self.sample(&format!("{name}_count"), labels, times.count());
    }
}

fn request_samples(page: &mut Exposition, app: &App, routes: &[RouteName<'_>]) {
    let counts = app.state.metrics.routes();
    let named = || routes.iter().chain(std::iter::once(&NO_ROUTE)).zip(counts);
    page.family("flowkeep_http_requests_total", "counter", "Answers by route and status.");
    for (route, counts) in named() {
        for (status, count) in STATUSES.iter().zip(&counts.statuses).filter(|(_, count)| count.get() > 0) {
            let status = if *status == 0 { "other".to_owned() } else { status.to_string() };
            let labels = [("method", route.method), ("route", route.pattern), ("status", &status)];
            page.sample("flowkeep_http_requests_total", &labels, count.get());
        }
    }
    let name = "flowkeep_http_request_duration_seconds";
    page.family(name, "histogram", "Time until the head of the answer.");
    for (route, counts) in named().filter(|(_, counts)| counts.durations.count() > 0) {
        page.histogram(name, &[("method", route.method), ("route", route.pattern)], &counts.durations);
    }
    let streams = app.state.metrics.streams.get();
    page.single("flowkeep_open_streams", "gauge", "Streams and files that clients are reading.", streams);
}

fn run_samples(page: &mut Exposition, app: &App) {
    let name = "flowkeep_predictions_total";
    page.family(name, "counter", "Questions to flows by where they came from and how they ended.");
    for source in RunSource::ALL {
        for end in RunResult::ALL {
            let count = app.state.metrics.runs(source).count(end);
            page.sample(name, &[("source", source.as_str()), ("outcome", end.as_str())], count);
        }
    }
    let name = "flowkeep_prediction_duration_seconds";
    page.family(name, "histogram", "Time from a question to its whole answer.");
    for source in RunSource::ALL {
        page.histogram(name, &[("source", source.as_str())], &app.state.metrics.runs(source).durations);
    }
}

fn model_samples(page: &mut Exposition, app: &App) {
    let models = app.state.metrics.models();
    page.family("flowkeep_model_tokens_total", "counter", "Tokens by the card of the model.");
    for (card, counts) in &models {
        for (kind, count) in [("prompt", &counts.input), ("completion", &counts.output)] {
            page.sample("flowkeep_model_tokens_total", &[("card", card), ("kind", kind)], count.get());
        }
    }
    let name = "flowkeep_model_call_duration_seconds";
    page.family(name, "histogram", "Time of calls of models that were answered.");
    for (card, counts) in &models {
        page.histogram(name, &[("card", card)], &counts.durations);
    }
    page.family("flowkeep_model_errors_total", "counter", "Calls of models that failed.");
    for (card, counts) in &models {
        for (kind, count) in counts.failures() {
            page.sample("flowkeep_model_errors_total", &[("card", card), ("kind", kind)], count);
        }
    }
}

fn flow_samples(page: &mut Exposition, app: &App) -> Result<()> {
    let metrics = &app.state.metrics;
    page.family("flowkeep_live_changes_total", "counter", "Changes of Live by what changed it.");
    for kind in VersionKind::ALL.into_iter().filter(|kind| *kind != VersionKind::Unknown) {
        page.sample(
            "flowkeep_live_changes_total",
            &[("kind", kind.as_str())],
            metrics.live_changes(kind).get(),
        );
    }
    page.single(
        "flowkeep_drafts_saved_total",
        "counter",
        "Drafts that were saved.",
        metrics.drafts_saved.get(),
    );
    page.family("flowkeep_versions_total", "counter", "Versions of the history.");
    for (outcome, count) in [("recorded", &metrics.versions_recorded), ("failed", &metrics.versions_failed)] {
        page.sample("flowkeep_versions_total", &[("outcome", outcome)], count.get());
    }
    page.family(
        "flowkeep_copies_total",
        "counter",
        "Copies of the history to a git host, or readings there.",
    );
    for (outcome, count) in [("done", &metrics.copies_completed), ("failed", &metrics.copies_failed)] {
        page.sample("flowkeep_copies_total", &[("outcome", outcome)], count.get());
    }
    let waiting = app.store.read(|tx| INTENTS.list(tx))?.len();
    page.single("flowkeep_versions_waiting", "gauge", "Changes that history has yet to record.", waiting);
    Ok(())
}

/// The counters of Flowise that mean something here, by their own names.
fn flowise_counters(page: &mut Exposition, app: &App) {
    let metrics = &app.state.metrics;
    let (external, internal) = (metrics.runs(RunSource::External), metrics.runs(RunSource::Internal));
    let failed = |runs: &crate::state::metrics::RunMetrics| {
        runs.count(RunResult::Failed) + runs.count(RunResult::Limited)
    };
    let made = |kind| metrics.flows_created(kind).get();
    let counters = [
        ("chatflow_created", made(FlowKind::Chatflow), 0),
        ("agentflow_created", made(FlowKind::Agentflow), 0),
        ("assistant_created", made(FlowKind::Assistant), 0),
        ("tool_created", metrics.tools_created.get(), 0),
        ("vector_upserted", metrics.upserts_completed.get(), metrics.upserts_failed.get()),
        ("chatflow_prediction_internal", internal.count(RunResult::Answered), failed(internal)),
        ("chatflow_prediction_external", external.count(RunResult::Answered), failed(external)),
    ];
    for (name, good, bad) in counters {
        page.family(name, "counter", "As Flowise counts it.");
        page.sample(name, &[("status", "success")], good);
        page.sample(name, &[("status", "failure")], bad);
    }
}

fn process_samples(page: &mut Exposition, app: &App) {
    let help = "Spans that no collector took.";
    page.single("flowkeep_spans_lost_total", "counter", help, crate::traces::lost_count());
    let files = Store::files(&app.settings.database());
    let sizes = files.iter().filter_map(|path| std::fs::metadata(path).ok());
    let size: u64 = sizes.map(|file| file.len()).sum();
    page.single("flowkeep_database_bytes", "gauge", "Size of the database and its journals on disk.", size);
    if let Some(bytes) = resident_bytes() {
        let help = "Memory of the process that is not swapped out.";
        page.single("flowkeep_process_resident_memory_bytes", "gauge", help, bytes);
    }
}

/// What the system says of this process; `None` where it does not.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_as_prometheus_reads_it() {
        let (folder, app) = App::temporary();
        std::fs::write(folder.path().join("flowkeep.journal2"), [0; 12_345]).unwrap();
        app.state.metrics.allocate_routes(1);
        app.state.metrics.record_response(Some(0), 200, std::time::Duration::from_millis(3));
        let text = render(&app, &[RouteName { method: "GET", pattern: "/a\"b" }]).unwrap();
        for line in [
            "flowkeep_http_requests_total{method=\"GET\",route=\"/a\\\"b\",status=\"200\"} 1",
            "flowkeep_http_request_duration_seconds_bucket{method=\"GET\",route=\"/a\\\"b\",le=\"0.002\"} 0",
            "flowkeep_http_request_duration_seconds_bucket{method=\"GET\",route=\"/a\\\"b\",le=\"0.005\"} 1",
            "flowkeep_http_request_duration_seconds_sum{method=\"GET\",route=\"/a\\\"b\"} 0.003",
            "flowkeep_versions_waiting 0",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}\n{text}");
        }
        let size = |line: &str| line.strip_prefix("flowkeep_database_bytes ")?.parse::<u64>().ok();
        let files =
            ["flowkeep.redb", "flowkeep.journal", "flowkeep.journal2"].map(|name| folder.path().join(name));
        let bytes: u64 = files.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
        assert_eq!(text.lines().find_map(size), Some(bytes), "both journals count");
        let mut families = std::collections::HashSet::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split(' ').next()) {
                assert!(families.insert(name), "{name} is there twice");
            }
        }
    }
}

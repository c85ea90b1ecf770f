//! What a search over a large collection costs: `cargo bench --bench vectors`. Figures of the release program, on the
//! machine at hand: 100,000 chunks with vectors of 384 numbers, in a database of their own.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be made has failed")]

mod figures;

use figures::{Latencies, figure, heading};
use flowkeep::app::App;
use flowkeep::base::cancel::CancelToken;
use flowkeep::cards::kit::{CollectionEdit, Collections, NewRows};
use flowkeep::domain::ids::{CollectionId, WorkspaceId};
use flowkeep::ops::knowledge::collections::WorkspaceCollections;
use flowkeep::settings::{Environment, Flags, Settings};
use flowkeep::vectors::{RowId, VectorRow};
use serde_json::json;
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

const ROWS: usize = 100_000;
const DIMENSIONS: usize = 384;
const TEXT_BYTES: usize = 600;
const SEARCHES: usize = 500;
const MOST: usize = 4;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let workspace = WorkspaceId::random();
    let id = CollectionId::random();
    heading(&format!("{ROWS} chunks of {TEXT_BYTES} bytes, vectors of {DIMENSIONS} numbers"));
    let started = Instant::now();
    fill(&WorkspaceCollections::new(&app, workspace, CancelToken::new(None)), &id);
    figure("stored in", &format!("{:.1} s", started.elapsed().as_secs_f64()), "");
    let bytes = std::fs::metadata(folder.path().join("flowkeep.redb")).unwrap().len();
    figure("database", &format!("{:.0} MB", bytes as f64 / 1e6), "");
    drop(app);
    let app = open(folder.path());
    let shelves = WorkspaceCollections::new(&app, workspace, CancelToken::new(None));
    let before = resident();
    let started = Instant::now();
    search(&shelves, &id, 1);
    figure(
        "first search, which reads the collection",
        &format!("{:.0} ms", started.elapsed().as_secs_f64() * 1e3),
        "",
    );
    figure("memory added", &format!("{:.0} MB", (resident() - before) as f64 / 1e6), "");
    let times = Latencies::new(
        (0..SEARCHES).map(|number| measure_time(|| search(&shelves, &id, number as u64))).collect(),
    );
    figure("search, p50", &format!("{:.2} ms", times.percentile(0.5)), "< 10 ms");
    figure("search, p99", &format!("{:.2} ms", times.percentile(0.99)), "");
    let one = VectorRow { id: [9; 16], ..row(0, &mut Rng(7)) };
    let started = Instant::now();
    shelves.change(&id, &edit(&[one], false)).unwrap();
    figure("one chunk added", &format!("{:.0} ms", started.elapsed().as_secs_f64() * 1e3), "");
}

fn open(folder: &Path) -> App {
    let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", folder.to_str());
    App::open(Settings::from_vars(|_| None, flags).unwrap(), Environment::new(|_| None)).unwrap()
}

fn measure_time(work: impl FnOnce()) -> std::time::Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn edit(add: &[VectorRow], clear: bool) -> CollectionEdit<'_> {
    static NOTHING: std::sync::LazyLock<HashSet<RowId>> = std::sync::LazyLock::new(HashSet::new);
    CollectionEdit {
        name: "measured",
        space: [1; 32],
        clear,
        add: NewRows::Held(add),
        absent_at: None,
        conversation: None,
        remove: &NOTHING,
    }
}

fn fill(shelves: &WorkspaceCollections<'_>, id: &CollectionId) {
    let mut noise = Rng(1);
    let rows: Vec<VectorRow> = (0..ROWS).map(|number| row(number, &mut noise)).collect();
    shelves.change(id, &edit(&rows, true)).unwrap();
}

fn row(number: usize, noise: &mut Rng) -> VectorRow {
    let text = json!({"pageContent": "x".repeat(TEXT_BYTES), "metadata": {"source": format!("{number}.md")}});
    VectorRow { id: (number as u128).to_be_bytes(), vector: noise.vector(), text: text.to_string() }
}

fn search(shelves: &WorkspaceCollections<'_>, id: &CollectionId, number: u64) {
    let query = Rng(number + 1_000).vector();
    assert_eq!(shelves.nearest(id, &query, MOST, None).unwrap().len(), MOST);
}

/// Numbers that look like chance and are the same in every run.
struct Rng(u64);

impl Rng {
    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS)
            .map(|_| {
                self.0 =
                    self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (self.0 >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
            })
            .collect()
    }
}

/// Memory of this process, in bytes; zero where the system does not tell.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

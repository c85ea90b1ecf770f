//! What a code input adds to a run: `cargo bench --bench script`. Figures of the release program, on the machine at hand.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be made has failed")]

use flowkeep::base::cancel::CancelToken;
use flowkeep::script::{ScriptLimits, ScriptRunner, ScriptScope};
use serde_json::{Map, json};
use std::thread;
use std::time::{Duration, Instant};

const RUNS_COUNT: usize = 2_000;
const CALLERS_COUNT: usize = 16;
const SMALL: &str =
    "const total = $rows.reduce((sum, row) => sum + row.price, 0); return { total, who: $vars.name };";

fn main() {
    let scripts = ScriptRunner::new(env!("CARGO_BIN_EXE_flowkeep").into(), ScriptLimits::default()).unwrap();
    let start = Instant::now();
    once(&scripts);
    println!("first run, worker started for it: {:>8.2} ms", milliseconds(start.elapsed()));

    let mut times: Vec<Duration> = (0..RUNS_COUNT).map(|_| once(&scripts)).collect();
    report("small function, one caller", &mut times);

    let start = Instant::now();
    let mut times: Vec<Duration> = thread::scope(|threads| {
        let callers: Vec<_> = (0..CALLERS_COUNT)
            .map(|_| {
                threads.spawn(|| (0..RUNS_COUNT / CALLERS_COUNT).map(|_| once(&scripts)).collect::<Vec<_>>())
            })
            .collect();
        callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
    });
    let rate = times.len() as f64 / start.elapsed().as_secs_f64();
    report("small function, 16 callers", &mut times);
    println!("16 callers together: {rate:>8.0} runs/s");
}

/// Runs the small function once.
fn once(scripts: &ScriptRunner) -> Duration {
    let mut inputs = Map::new();
    inputs.insert("rows".into(), json!([{"price": 3}, {"price": 4.5}]));
    let vars = Map::from_iter([("name".to_owned(), json!("Ada"))]);
    let scope = ScriptScope { inputs, vars, ..ScriptScope::default() };
    let cancel = CancelToken::new(None);
    let start = Instant::now();
    let ran = scripts.run(SMALL, &scope, &cancel);
    let took = start.elapsed();
    assert_eq!(ran.result.unwrap(), json!({"total": 7.5, "who": "Ada"}));
    took
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| milliseconds(times[((times.len() - 1) as f64 * share) as usize]);
    println!(
        "{what}: median {:>6.2} ms, p95 {:>6.2} ms, p99 {:>6.2} ms, most {:>6.2} ms",
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    );
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

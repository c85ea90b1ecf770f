//! Runs of agentflows that wait, that are long, and that are many.

use crate::callers::Target;
use crate::figures::{Latencies, figure, heading};
use crate::memory::{Watch, megabytes, processor_time};
use crate::program::{Throwaway, throwaway};
use crate::steps::{START, Steps, llm, question, told};
use crate::wire::{Wire, request};
use serde_json::json;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const PAUSED: usize = 1_000;
const CALLERS: usize = 64;

/// The memory of a thousand runs that wait for a person. Others before them bring threads and caches to their size.
pub fn paused() {
    heading("1,000 runs that wait for a person");
    let service = throwaway(&[]);
    let process = service.program.process_id();
    let ask = "humanInputAgentflow_0";
    let waiting = Steps::begin().card(ask, "Ask", question("Shall I send it?")).edge(START, ask);
    let waiting = Target::agentflow(&service, "waiting", &waiting, false);
    let passing = Target::agentflow(&service, "passing", &models(1, "Sent."), false);
    ask_times(&passing, PAUSED);
    let before = megabytes(process);
    let begun = Instant::now();
    ask_times(&waiting, PAUSED);
    let took = begun.elapsed();
    let after = megabytes(process);
    figure("memory added", &format!("{:.1} MB", after - before), "< 50 MB");
    println!("    {before:.1} MB before, {after:.1} MB after {took:.1?}");
    std::thread::sleep(Duration::from_secs(15));
    figure("the same 15 s later", &format!("{:.1} MB", megabytes(process) - before), "");
}

/// Asks so often, by as many callers as there are.
fn ask_times(target: &Target, times: usize) {
    let asked = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                let mut wire = Wire::to(target.address).unwrap();
                while asked.fetch_add(1, Ordering::Relaxed) < times {
                    let answer = wire.ask(&target.request).unwrap();
                    assert_eq!(answer.status(), 200, "{}", answer.text());
                }
            });
        }
    });
}

/// Models one behind the other: the first says the text, each other what the one before it said.
fn models(count: usize, text: &str) -> Steps {
    let id = |number: usize| format!("llmAgentflow_{number}");
    (0..count).fold(Steps::begin(), |steps, number| {
        let before = number.checked_sub(1).map_or_else(|| START.to_owned(), id);
        let (says, told_of) =
            if number == 0 { (text, "Hi".to_owned()) } else { ("{question}", format!("{{{{ {before} }}}}")) };
        steps.card(&id(number), &id(number), told(llm(says), &told_of)).edge(&before, &id(number))
    })
}

/// Steps of a long run, and what each of them says.
const STEPS: usize = 1_000;
const STEP_BYTES: usize = 10_000;

/// A loop that makes a run of [`STEPS`] steps: the Start, and twenty-six models that say the text and the Loop thirty-seven
/// times.
fn looping(text: &str) -> Steps {
    let (first, back) = ("llmAgentflow_0", "loopAgentflow_0");
    let id = |number: usize| format!("llmAgentflow_{number}");
    let model = |steps: Steps, number: usize| {
        let before = number.checked_sub(1).map_or_else(|| START.to_owned(), id);
        steps.card(&id(number), &id(number), told(llm(text), "Hi")).edge(&before, &id(number))
    };
    let inputs = json!({"loopBackToNode": format!("{first}-{first}"), "maxLoopCount": 37});
    (0..26).fold(Steps::begin(), model).card(back, back, inputs).edge(&id(25), back)
}

/// The memory of one long run, drawn as a row of cards and as a loop, asked for a whole answer and for a stream.
pub fn long() {
    heading("A run of 1,000 steps of 10 kB");
    let text = "x".repeat(STEP_BYTES);
    for (name, steps) in [("a loop", looping(&text)), ("a row, each told the last", models(STEPS - 1, &text))]
    {
        for (form, streaming) in [("whole", false), ("streamed", true)] {
            let service = throwaway(&[]);
            let target = Target::agentflow(&service, name, &steps, streaming);
            show_long(&service, &target, &format!("{name}, {form}"));
        }
    }
}

fn show_long(service: &Throwaway, target: &Target, name: &str) {
    let process = service.program.process_id();
    let (mut wire, watch) = (service.program.wire(), Watch::start(process));
    let (begun, before) = (Instant::now(), processor_time(process));
    // An answer is not kept: what matters is what the service holds.
    wire.send(&target.request).unwrap();
    let bytes = wire.drain().unwrap();
    assert!(bytes > STEPS * STEP_BYTES * 9 / 10, "the run did not come to its end");
    let (took, cost) = (begun.elapsed(), processor_time(process) - before);
    figure(
        &format!("{name}: most memory of the service"),
        &format!("{:.0} MB", watch.stop() as f64 / 1024.0),
        "< 100 MB",
    );
    println!("    {took:.1?}, {cost:.1?} of processor time, an answer of {:.0} MB", bytes as f64 / 1e6);
}

const LISTED: usize = 100_000;
const FEW: usize = 10;
const LOOKS: usize = 200;

/// Lists of executions, while there are ten of them and when there are very many.
pub fn listed(count: Option<usize>) {
    let count = count.unwrap_or(LISTED);
    heading(&format!("Lists of {count} executions"));
    let service = throwaway(&[]);
    let target = Target::agentflow(&service, "listed", &models(1, "Yes."), false);
    ask_times(&target, FEW);
    let few = looks(&service);
    let begun = Instant::now();
    ask_times(&target, count - FEW);
    println!("    {:.0} runs a second while they were made", count as f64 / begun.elapsed().as_secs_f64());
    for ((name, few), (_, many)) in few.into_iter().zip(looks(&service)) {
        let pair = format!("{:.2} / {:.2} ms", few.percentile(0.5), many.percentile(0.5));
        figure(&format!("{name}, p50 of ten / of all"), &pair, "alike");
    }
}

/// How long lists take: the first page, one in the middle, and one by state and time.
fn looks(service: &Throwaway) -> Vec<(&'static str, Latencies)> {
    let bearer = format!("Bearer {}", service.key);
    let total = {
        let answer = service.program.get("/api/v1/executions?limit=1", &[("authorization", &bearer)]);
        answer.json()["total"].as_u64().unwrap()
    };
    let middle = (total / 2 / FEW as u64).max(1);
    let queries = [
        ("the first ten", format!("page=1&limit={FEW}")),
        ("ten in the middle", format!("page={middle}&limit={FEW}")),
        (
            "ten that finished since 2020",
            format!("state=FINISHED&startDate=2020-01-01T00:00:00Z&limit={FEW}"),
        ),
    ];
    queries.map(|(name, query)| (name, look(service, &bearer, &query))).into()
}

fn look(service: &Throwaway, bearer: &str, query: &str) -> Latencies {
    let asked = request("GET", &format!("/api/v1/executions?{query}"), &[("authorization", bearer)], b"");
    let mut wire = service.program.wire();
    let look = |_| {
        let begun = Instant::now();
        let answer = wire.ask(&asked).unwrap();
        let took = begun.elapsed();
        assert_eq!(answer.json()["data"].as_array().map(Vec::len), Some(FEW), "{}", answer.text());
        took
    };
    Latencies::new((0..LOOKS).map(look).collect())
}

//! Agentflows: what a run of steps costs beside the same question to a chatflow, and whether branches run at once.

use crate::answers::show_costs;
use crate::callers::{Callers, Target, compare_rates, show_added};
use crate::figures::{Latencies, figure, heading};
use crate::model;
use crate::program::{Throwaway, throwaway};
use crate::steps::{START, Steps, openai_llm};
use std::time::Duration;

const MODEL: &str = "llmAgentflow_0";

/// A model behind a Start, asked as the chatflow asks its own.
fn one_model(provider: &str, model: &str) -> Steps {
    let mut inputs = openai_llm(provider, model);
    inputs["llmModelConfig"]["streaming"] = false.into();
    Steps::begin().card(MODEL, "Model", inputs).edge(START, MODEL)
}

fn agentflow(service: &Throwaway, provider: &str, model: &str) -> Target {
    Target::agentflow(service, model, &one_model(provider, model), false)
}

/// What the service adds to the provider's latency, and its answers per second beside those of a chatflow.
pub fn rate() {
    let provider = model::start();
    let service = throwaway(&[]);
    for (model, thinks) in [(model::INSTANT, "at once"), (model::THINKING, "after 50 ms")] {
        heading(&format!("A Start and a model, provider answers {thinks}"));
        let run = agentflow(&service, &provider.line, model);
        let chat = Target::service(&service, &provider.line, model, false);
        let direct = Target::provider(&provider.line, model, false);
        show_added("added to the provider's, 1 caller, agentflow", (&direct, &run), 1, "p50 < 0.5 ms");
        show_added("the same of a chatflow", (&direct, &chat), 1, "");
        for callers in [16, 64] {
            compare_rates("agentflow / chatflow", (&run, &chat), callers);
        }
    }
}

/// Processor time of an answer.
pub fn cost() {
    heading("Processor time of an answer, 16 callers, provider answers at once");
    let provider = model::start();
    let service = throwaway(&[]);
    let chat = Target::service(&service, &provider.line, model::INSTANT, false);
    let process = service.program.process_id();
    show_costs([
        ("a chatflow", process, &chat, ""),
        (
            "an agentflow",
            process,
            &agentflow(&service, &provider.line, model::INSTANT),
            "twice the chatflow's",
        ),
    ]);
}

const BRANCHES: usize = 4;

/// Branches that wait for a model at the same time.
pub fn branches() {
    heading("Branches that each wait 200 ms for a model");
    let provider = model::start();
    let service = throwaway(&[]);
    let steps = (0..BRANCHES).fold(Steps::begin(), |steps, branch| {
        let id = format!("llmAgentflow_{branch}");
        steps.card(&id, &id, openai_llm(&provider.line, model::WAITING)).edge(START, &id)
    });
    let mut caller = Callers::new(&Target::agentflow(&service, "branches", &steps, false), 1);
    caller.block(Duration::from_millis(1));
    let times = Latencies::new(caller.block(Duration::from_secs(5)));
    let pair = format!("{:.0} / {:.0} ms", times.percentile(0.5), times.percentile(0.99));
    figure(&format!("{BRANCHES} branches, whole answer, p50 / p99"), &pair, "< 230 ms");
}

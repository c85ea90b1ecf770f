//! Whole answers: the latency the service adds to the provider's, and how many it gives in a second.

use crate::figures::{Latencies, figure, heading};
use crate::program::{RoleProcess, Throwaway, throwaway};
use crate::steps::Steps;
use crate::wire::{Wire, request};
use crate::{bare, canvases, model};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Where to ask, and what.
#[derive(Clone)]
pub struct Target {
    pub address: SocketAddr,
    pub path: String,
    pub request: Vec<u8>,
}

impl Target {
    /// The provider itself, as the service calls it.
    pub fn provider(base: &str, model: &str, streaming: bool) -> Self {
        Self::provider_with(base, &model::body(model, streaming))
    }

    /// The provider itself, asked with this body.
    pub fn provider_with(base: &str, body: &str) -> Self {
        Self::new(address(base), "/v1/chat/completions", body)
    }

    /// The bare handler.
    pub fn bare(bare: &RoleProcess, model: &str) -> Self {
        let body = json!({"question": "Will it rain?", "model": model}).to_string();
        Self::new(address(&bare.line), "/ask", &body)
    }

    pub fn new(address: SocketAddr, path: &str, body: &str) -> Self {
        Self { address, path: path.to_owned(), request: request("POST", path, &[], body.as_bytes()) }
    }

    /// A flow of the service with that provider.
    pub fn service(service: &Throwaway, base: &str, model: &str, streaming: bool) -> Self {
        Self::flow(service, model, &canvases::openai(&format!("{base}/v1"), model, streaming), streaming)
    }

    /// A flow as the templates have it, with that provider.
    pub fn template(service: &Throwaway, base: &str, model: &str, streaming: bool) -> Self {
        let fields = json!({"openAIApiKey": "sk-of-nobody"});
        let credential = service.program.make_credential(&service.key, "openAIApi", &fields);
        Self::flow(service, model, &canvases::template(&format!("{base}/v1"), model, &credential), streaming)
    }

    /// An agentflow of the service.
    pub fn agentflow(service: &Throwaway, name: &str, steps: &Steps, streaming: bool) -> Self {
        let flow = service.program.make_agentflow(&service.key, name, &steps.text());
        Self::question(service, &flow, streaming)
    }

    fn flow(service: &Throwaway, name: &str, canvas: &serde_json::Value, streaming: bool) -> Self {
        let flow = service.program.make_flow(&service.key, name, canvas);
        Self::question(service, &flow, streaming)
    }

    fn question(service: &Throwaway, flow: &str, streaming: bool) -> Self {
        let body = json!({"question": "Will it rain?", "streaming": streaming}).to_string();
        Self::new(service.program.address, &format!("/api/v1/prediction/{flow}"), &body)
    }
}

fn address(base: &str) -> SocketAddr {
    base.trim_start_matches("http://").parse().unwrap()
}

/// Connections that are kept over all blocks, as those of a caller's client would be.
pub struct Callers {
    target: Target,
    wires: Vec<Wire>,
}

impl Callers {
    pub fn new(target: &Target, count: usize) -> Self {
        let wires = (0..count).map(|_| Wire::to(target.address).unwrap()).collect();
        Self { target: target.clone(), wires }
    }

    /// Each caller asks again as soon as it is answered, for `time`.
    pub fn block(&mut self, time: Duration) -> Vec<Duration> {
        let start = Barrier::new(self.wires.len());
        let request = &self.target.request;
        std::thread::scope(|scope| {
            let callers: Vec<_> = self
                .wires
                .iter_mut()
                .map(|wire| {
                    let start = &start;
                    scope.spawn(move || {
                        let mut times = Vec::new();
                        start.wait();
                        let end = Instant::now() + time;
                        loop {
                            let asked = Instant::now();
                            if asked >= end {
                                return times;
                            }
                            let answer = wire.ask(request).unwrap();
                            times.push(asked.elapsed());
                            assert_eq!(answer.status(), 200, "{}", answer.text());
                        }
                    })
                })
                .collect();
            callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
        })
    }
}

const BLOCKS: usize = 5;
const BLOCK: Duration = Duration::from_secs(1);

/// Latency added over calling the provider directly.
pub fn latency() {
    heading("Added latency, whole answers");
    let provider = model::start();
    let service = throwaway(&[]);
    for (model, thinks) in [(model::INSTANT, "at once"), (model::THINKING, "after 50 ms")] {
        let direct = Target::provider(&provider.line, model, false);
        let through = Target::service(&service, &provider.line, model, false);
        for callers in [1, 16, 64] {
            let target = match (callers, model) {
                (1, _) => "p50 < 0.5 ms, p99 < 5 ms",
                (_, model::THINKING) => "p99 < 5 ms",
                _ => "(both saturate the machine)",
            };
            let name = format!("{callers} callers, provider answers {thinks}");
            show_added(&name, (&direct, &through), callers, target);
        }
    }
}

/// One line: what the second adds to the first, p50 and p99. Blocks of both take turns, so that both see the same machine.
pub fn show_added(name: &str, (direct, through): (&Target, &Target), callers: usize, target: &str) {
    let (mut direct, mut through) = (Callers::new(direct, callers), Callers::new(through, callers));
    direct.block(BLOCK / 5);
    through.block(BLOCK / 5);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..BLOCKS {
        without.extend(direct.block(BLOCK));
        with.extend(through.block(BLOCK));
    }
    let (without, with) = (Latencies::new(without), Latencies::new(with));
    let added = |share| with.percentile(share) - without.percentile(share);
    figure(name, &format!("{:.2} / {:.2} ms", added(0.5), added(0.99)), target);
    println!(
        "    direct {:.2} / {:.2} ms, through the service {:.2} / {:.2} ms",
        without.percentile(0.5),
        without.percentile(0.99),
        with.percentile(0.5),
        with.percentile(0.99)
    );
}

/// Answers per second, against a bare handler that makes the same call.
pub fn rate() {
    let provider = model::start();
    let bare = bare::start(&provider.line);
    let service = throwaway(&[]);
    for (model, thinks) in [(model::INSTANT, "at once"), (model::THINKING, "after 50 ms")] {
        heading(&format!("Answers per second, provider answers {thinks}"));
        let through = Target::service(&service, &provider.line, model, false);
        let handler = Target::bare(&bare, model);
        for callers in [1, 16, 64] {
            compare_rates("service / bare handler", (&through, &handler), callers);
        }
    }
}

/// One line: the answers per second of both, and the share that the first has of the second's. Blocks of both take turns.
pub fn compare_rates(name: &str, (measured, other): (&Target, &Target), callers: usize) {
    let (mut measured, mut other) = (Callers::new(measured, callers), Callers::new(other, callers));
    other.block(BLOCK / 5);
    measured.block(BLOCK / 5);
    let (mut own, mut others) = (0, 0);
    for _ in 0..BLOCKS {
        others += other.block(BLOCK).len();
        own += measured.block(BLOCK).len();
    }
    let per_second = |count: usize| count as f64 / (BLOCK * BLOCKS as u32).as_secs_f64();
    figure(
        &format!("{callers} callers: {name}"),
        &format!("{:.0} / {:.0}", per_second(own), per_second(others)),
        &format!("{:.0} %, at least 50 %", 100.0 * own as f64 / others as f64),
    );
}

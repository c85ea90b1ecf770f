//! What whole answers cost: processor time, a long conversation, and the memory after very many of them.

use crate::callers::{Callers, Target};
use crate::figures::{Latencies, figure, heading};
use crate::memory::{megabytes, processor_time};
use crate::program::{Throwaway, throwaway};
use crate::wire::{Wire, request};
use crate::{bare, model};
use serde_json::json;
use std::time::{Duration, Instant};

const CALLERS: usize = 16;
const BLOCKS: usize = 5;
const BLOCK: Duration = Duration::from_secs(2);

/// Processor time of an answer at sixteen callers, of this bench's own flow and of one as the templates have it. Blocks
/// of both take turns.
pub fn cost() {
    heading("Processor time of an answer, 16 callers, provider answers at once");
    let provider = model::start();
    let service = throwaway(&[]);
    let bare = bare::start(&provider.line);
    let process = service.program.process_id();
    let simple = Target::service(&service, &provider.line, model::INSTANT, false);
    let template = Target::template(&service, &provider.line, model::INSTANT, false);
    let handler = Target::bare(&bare, model::INSTANT);
    show_costs([
        ("bare handler", bare.process_id(), &handler, ""),
        ("the simple flow", process, &simple, "< 0.12 ms"),
        ("a template", process, &template, "< 0.18 ms"),
    ]);
}

/// Processor time that a process needs for an answer of each target: its median over blocks that take turns. Each has a
/// name, a process, the target and what is aimed at.
pub fn show_costs<const N: usize>(targets: [(&str, u32, &Target, &str); N]) {
    let mut measured = targets
        .map(|(name, process, target, aim)| (name, process, Callers::new(target, CALLERS), aim, Vec::new()));
    for (_, _, callers, ..) in &mut measured {
        callers.block(BLOCK / 4);
    }
    for _ in 0..BLOCKS {
        for (_, process, callers, _, costs) in &mut measured {
            let before = processor_time(*process);
            let answers = callers.block(BLOCK).len();
            costs.push((processor_time(*process) - before) / u32::try_from(answers).unwrap());
        }
    }
    for (name, _, _, aim, costs) in measured {
        let costs = Latencies::new(costs);
        let spread = format!("{:.3} to {:.3}", costs.percentile(0.0), costs.percentile(1.0));
        figure(&format!("{name}, median of blocks"), &format!("{:.3} ms", costs.percentile(0.5)), aim);
        println!("    {spread} ms");
    }
}

/// Turns of a conversation, and how many of the last ones are looked at.
const TURNS: usize = 200;
const LAST: usize = 10;
const CONVERSATIONS: usize = 10;

/// The first and the last turns of long conversations: what they take beyond asking the provider the same.
pub fn turns() {
    heading("A conversation of 200 turns, one caller, provider answers at once");
    let provider = model::start();
    let service = throwaway(&[]);
    let target = Target::template(&service, &provider.line, model::INSTANT, false);
    let (mut early, mut late, mut direct) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..CONVERSATIONS {
        let mut conversation = Conversation::new(&service, &target);
        let times: Vec<Duration> = (0..TURNS).map(|_| conversation.ask()).collect();
        early.extend_from_slice(&times[1..=LAST]);
        late.extend_from_slice(&times[TURNS - LAST..]);
        direct.extend(ask_provider(&provider.line));
    }
    let (early, late, direct) = (Latencies::new(early), Latencies::new(late), Latencies::new(direct));
    let pair = |times: &Latencies| format!("{:.2} / {:.2} ms", times.percentile(0.5), times.percentile(0.99));
    figure("a provider asked with 200 turns, p50 / p99", &pair(&direct), "");
    figure("turns 2 to 11, p50 / p99", &pair(&early), "");
    figure("turns 191 to 200, p50 / p99", &pair(&late), "");
    let added = late.percentile(0.5) - direct.percentile(0.5);
    figure("turns 191 to 200, added to the provider's, p50", &format!("{added:.2} ms"), "< 1 ms");
}

/// One conversation over one connection.
struct Conversation<'a> {
    wire: Wire,
    target: &'a Target,
    /// What goes on with it, once it began.
    proof: Option<(String, String)>,
}

impl<'a> Conversation<'a> {
    fn new(service: &Throwaway, target: &'a Target) -> Self {
        Self { wire: service.program.wire(), target, proof: None }
    }

    fn ask(&mut self) -> Duration {
        let mut body = json!({"question": "Will it rain?"});
        if let Some((chat, token)) = &self.proof {
            body["chatId"] = chat.as_str().into();
            body["sessionToken"] = token.as_str().into();
        }
        let asked = request("POST", &self.target.path, &[], body.to_string().as_bytes());
        let begun = Instant::now();
        let answer = self.wire.ask(&asked).unwrap();
        let took = begun.elapsed();
        assert_eq!(answer.status(), 200, "{}", answer.text());
        let said = answer.json();
        let text = |name: &str| said[name].as_str().unwrap().to_owned();
        self.proof = Some((text("chatId"), text("sessionToken")));
        took
    }
}

/// Asks the provider itself with as many messages as the last turns have.
fn ask_provider(base: &str) -> Vec<Duration> {
    let turn = [
        json!({"role": "user", "content": "Will it rain?"}),
        json!({"role": "assistant", "content": "It will rain tomorrow, so take an umbrella."}),
    ];
    let messages: Vec<_> = std::iter::repeat_n(turn, TURNS - LAST / 2).flatten().collect();
    let body = json!({"model": model::INSTANT, "messages": messages, "stream": false}).to_string();
    let target = Target::provider_with(base, &body);
    let mut wire = Wire::to(target.address).unwrap();
    let ask = |_| {
        let begun = Instant::now();
        assert_eq!(wire.ask(&target.request).unwrap().status(), 200);
        begun.elapsed()
    };
    (0..LAST).map(ask).collect()
}

const MILLION: usize = 1_000_000;
/// How many lines tell of the memory on the way.
const LINES: usize = 10;

/// The memory of the service while a million answers of its own are stored, or so many.
pub fn million(answers: Option<usize>) {
    let answers = answers.unwrap_or(MILLION);
    heading(&format!("{answers} stored answers, 16 callers"));
    let provider = model::start();
    let service = throwaway(&[]);
    let process = service.program.process_id();
    let target = Target::template(&service, &provider.line, model::INSTANT, false);
    println!("    before the first {:.1} MB", megabytes(process));
    let mut callers = Callers::new(&target, CALLERS);
    let (mut stored, mut told) = (0, 0);
    while stored < answers {
        stored += callers.block(BLOCK).len();
        if stored >= told + answers / LINES {
            told = stored;
            println!("    {stored} answers: {:.1} MB", megabytes(process));
        }
    }
    figure("memory under load", &format!("{:.1} MB", megabytes(process)), "< 64 MB");
    // Threads that nobody needs are gone by then, and what they wrote is in the database.
    std::thread::sleep(Duration::from_secs(15));
    figure("memory 15 s later", &format!("{:.1} MB", megabytes(process)), "");
}

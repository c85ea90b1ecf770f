//! What lists of conversations cost, while there are ten of them and when there are very many.

use crate::callers::Target;
use crate::canvases;
use crate::figures::{figure, heading};
use crate::memory::processor_time;
use crate::program::{Throwaway, throwaway};
use crate::wire::{Wire, request};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const LISTED: usize = 100_000;
const FEW: usize = 10;
const CALLERS: usize = 64;
/// Processor time is told in hundredths of a second, so many looks are measured together.
const LOOKS: u32 = 1_000;

/// Processor time of the newest ten conversations: of one flow, of all flows, and of those with a word.
pub fn listed(count: Option<usize>) {
    let count = count.unwrap_or(LISTED);
    heading(&format!("Lists of {count} conversations"));
    let service = throwaway(&[]);
    let flow = service.program.make_flow(&service.key, "listed", &canvases::scripted(&json!([]), "Yes."));
    let body = json!({"question": "Will it rain?"}).to_string();
    let target = Target::new(service.program.address, &format!("/api/v1/prediction/{flow}"), &body);
    let lists = [
        ("the newest ten of a flow", format!("/conversations/{flow}?page=1&limit={FEW}")),
        ("the newest ten of all flows", format!("/conversations?limit={FEW}")),
        ("the newest ten with a word", format!("/conversations?limit={FEW}&text=rain")),
    ];
    begin_conversations(&target, FEW);
    let few = lists.clone().map(|(_, path)| cost(&service, &path));
    let begun = Instant::now();
    begin_conversations(&target, count - FEW);
    println!("    {:.0} answers a second while they were made", count as f64 / begun.elapsed().as_secs_f64());
    for ((name, path), few) in lists.into_iter().zip(few) {
        let pair = format!("{few:.2} / {:.2} ms", cost(&service, &path));
        figure(&format!("{name}, processor time of ten / of all"), &pair, "< 1 ms");
    }
}

fn begin_conversations(target: &Target, times: usize) {
    let asked = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..CALLERS.min(times) {
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

/// Milliseconds of processor time of one look at a list, after a first one.
fn cost(service: &Throwaway, path: &str) -> f64 {
    let bearer = format!("Bearer {}", service.key);
    let asked = request("GET", &format!("/api/v1{path}"), &[("authorization", &bearer)], b"");
    let mut wire = service.program.wire();
    let mut look = || {
        let answer = wire.ask(&asked).unwrap();
        assert_eq!(answer.json()["data"].as_array().map(Vec::len), Some(FEW), "{}", answer.text());
    };
    look();
    let before = processor_time(service.program.process_id());
    (0..LOOKS).for_each(|_| look());
    let took = processor_time(service.program.process_id()) - before;
    took.as_secs_f64() * 1_000.0 / f64::from(LOOKS)
}

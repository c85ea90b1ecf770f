//! Many streams at once: what the service adds until the first token and in all, what it drops, what it holds.

use crate::callers::Target;
use crate::figures::{Latencies, figure, heading};
use crate::memory::{Watch, processor_time, resident_kib};
use crate::model;
use crate::program::throwaway;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What one stream came to.
struct Stream {
    first: Duration,
    total: Duration,
    tokens: usize,
    ended: bool,
}

/// Marks of a token and of the end, as each side writes them.
#[derive(Clone, Copy)]
struct StreamMarkers {
    token: &'static [u8],
    end: &'static [u8],
}

const OF_PROVIDER: StreamMarkers = StreamMarkers { token: b"\"content\":\"umbrella", end: b"data: [DONE]" };
const OF_SERVICE: StreamMarkers = StreamMarkers { token: b"\"event\":\"token\"", end: b"\"event\":\"end\"" };

/// Streams are opened this far apart, as callers do not all come in one instant.
const APART: Duration = Duration::from_millis(1);

/// Holds 1, 100 and 1,000 streams of 200 tokens, directly and through the service.
pub fn report() {
    heading("Streams of 200 tokens, one each 50 ms");
    let provider = model::start();
    for count in [1, 100, 1_000] {
        let service = throwaway(&[]);
        let direct = Target::provider(&provider.line, model::WRITING, true);
        let through = Target::service(&service, &provider.line, model::WRITING, true);
        // The first stream loads what every later one shares.
        run(&through, 1, OF_SERVICE);
        let without = run(&direct, count, OF_PROVIDER);
        let before = resident_kib(service.program.process_id());
        let watch = Watch::start(service.program.process_id());
        let with = run(&through, count, OF_SERVICE);
        let peak = watch.stop();
        show(count, &without, &with, peak.saturating_sub(before));
    }
}

/// What a token costs the service, one each 5 ms: 10, 100, 400 and 1,000 streams.
pub fn run_paced() {
    heading("Streams of 200 tokens, one each 5 ms");
    let provider = model::start();
    for count in [10, 100, 400, 1_000] {
        let service = throwaway(&[]);
        let through = Target::service(&service, &provider.line, model::HURRYING, true);
        run(&through, 1, OF_SERVICE);
        let process = service.program.process_id();
        let before = processor_time(process);
        let streams = run(&through, count, OF_SERVICE);
        let used = processor_time(process).saturating_sub(before);
        let tokens: usize = streams.iter().map(|stream| stream.tokens).sum();
        let name = |what: &str| format!("{count} streams: {what}");
        let per_token = used.as_secs_f64() * 1e6 / tokens.max(1) as f64;
        let target = match count {
            10 => "< 25 us",
            1_000 => "< 10 us",
            _ => "",
        };
        figure(&name("processor time a token"), &format!("{per_token:.1} us"), target);
        let total = Latencies::new(streams.iter().map(|stream| stream.total).collect()).percentile(0.5);
        let target = if count == 1_000 { "< 1.9 s" } else { "" };
        figure(&name("whole answer, p50"), &format!("{:.2} s", total / 1e3), target);
        let dropped = streams.iter().filter(|stream| !stream.ended || stream.tokens != model::TOKENS).count();
        figure(&name("dropped or incomplete"), &dropped.to_string(), "0");
    }
}

fn show(count: usize, without: &[Stream], with: &[Stream], held_kib: u64) {
    let times = |streams: &[Stream], time: fn(&Stream) -> Duration| {
        Latencies::new(streams.iter().map(time).collect())
    };
    let added = |share, time| times(with, time).percentile(share) - times(without, time).percentile(share);
    let dropped = with.iter().filter(|stream| !stream.ended || stream.tokens != model::TOKENS).count();
    let name = |what: &str| format!("{count} streams: {what}");
    let pair = |time| format!("{:.2} / {:.2} ms", added(0.5, time), added(0.99, time));
    figure(&name("first token added, p50 / p99"), &pair(|stream| stream.first), "");
    figure(&name("total added, p50 / p99"), &pair(|stream| stream.total), "");
    figure(&name("dropped or incomplete"), &dropped.to_string(), "0");
    let target = if count == 1_000 { "< 100 MB" } else { "" };
    figure(&name("memory added"), &format!("{:.1} MB", held_kib as f64 / 1024.0), target);
    figure(&name("memory per stream"), &format!("{:.1} kB", held_kib as f64 / count as f64), "");
}

fn run(target: &Target, count: usize, marks: StreamMarkers) -> Vec<Stream> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let target = Arc::new(target.clone());
        let mut streams = Vec::new();
        for _ in 0..count {
            let target = target.clone();
            streams.push(tokio::spawn(async move { follow(&target, marks).await }));
            tokio::time::sleep(APART).await;
        }
        let mut ended = Vec::new();
        for stream in streams {
            ended.push(stream.await.unwrap());
        }
        ended
    })
}

async fn follow(target: &Target, marks: StreamMarkers) -> Stream {
    let start = Instant::now();
    let mut stream = Stream { first: Duration::MAX, total: Duration::MAX, tokens: 0, ended: false };
    let Ok(mut socket) = TcpStream::connect(target.address).await else { return stream };
    let _ = socket.set_nodelay(true);
    if socket.write_all(&target.request).await.is_err() {
        return stream;
    }
    let mut text = Vec::with_capacity(64 * 1024);
    while let Ok(1..) = socket.read_buf(&mut text).await {
        if stream.first == Duration::MAX && find(&text, marks.token) {
            stream.first = start.elapsed();
        }
        let tail = text.len().saturating_sub(512);
        if find(&text[tail..], marks.end) {
            stream.total = start.elapsed();
            stream.ended = true;
            break;
        }
    }
    stream.tokens = text.windows(marks.token.len()).filter(|window| *window == marks.token).count();
    stream
}

fn find(text: &[u8], mark: &[u8]) -> bool {
    text.windows(mark.len()).any(|window| window == mark)
}

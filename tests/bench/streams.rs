//! Many streams at once: what the service adds until the first token and in all, what it drops, what it holds.

use crate::callers::Target;
use crate::figures::{Latencies, figure, heading};
use crate::memory::{Watch, processor_time, resident_kib};
use crate::model;
use crate::program::{Throwaway, command, throwaway};
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

/// Tokens that a figure of processor time rests on at least.
const PACED_TOKENS_MIN: usize = 20_000;

/// What a token costs the service, one each 5 ms: 10, 100, 400 and 1,000 streams.
pub fn run_paced() {
    heading("Streams of 200 tokens, one each 5 ms");
    let provider = model::start();
    for count in [10, 100, 400, 1_000] {
        let service = throwaway(&[]);
        let through = Target::template(&service, &provider.line, model::HURRYING, true);
        run(&through, 1, OF_SERVICE);
        let process = service.program.process_id();
        let before = processor_time(process);
        // The system counts processor time in hundredths of a second: few streams are measured for longer.
        let rounds = (PACED_TOKENS_MIN / (count * model::TOKENS)).max(1);
        let streams: Vec<Stream> = (0..rounds).flat_map(|_| run(&through, count, OF_SERVICE)).collect();
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
        figure(&name("dropped or incomplete"), &count_dropped(&streams, model::TOKENS), "0");
    }
}

/// Streams of a burst, which all come in one instant.
const BURST: usize = 50;
const BURSTS: usize = 5;

/// Fifty streams at once, whose provider does not pause: when the first of it is there, of the service and of the provider alone.
/// Bursts of both take turns, so that both see the same machine, on which the provider writes its ten thousand tokens.
pub fn run_burst() {
    heading("50 streams at once, 200 tokens without a pause");
    let provider = model::start();
    let service = throwaway(&[]);
    let direct = Target::provider(&provider.line, model::FLOODING, true);
    let through = Target::template(&service, &provider.line, model::FLOODING, true);
    let burst = |target, marks| run_apart(target, BURST, marks, Duration::ZERO);
    burst(&direct, OF_PROVIDER);
    burst(&through, OF_SERVICE);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..BURSTS {
        without.extend(burst(&direct, OF_PROVIDER));
        with.extend(burst(&through, OF_SERVICE));
    }
    let pair = |streams: &[Stream], time: fn(&Stream) -> Duration| {
        let times = Latencies::new(streams.iter().map(time).collect());
        format!("{:.1} / {:.1} ms", times.percentile(0.5), times.percentile(0.99))
    };
    figure("first token, p50 / p99", &pair(&with, |stream| stream.first), "p50 < 10 ms");
    figure("whole answer, p50 / p99", &pair(&with, |stream| stream.total), "");
    figure("the provider alone, first token, p50 / p99", &pair(&without, |stream| stream.first), "");
    figure("the provider alone, whole answer, p50 / p99", &pair(&without, |stream| stream.total), "");
    figure("dropped or incomplete", &count_dropped(&with, model::TOKENS), "0");
}

/// Streams that are to be open at once, and files that each side of this machine keeps for other things.
const OPEN: usize = 10_000;
/// The connections of the caller and of the provider, and a second descriptor for the one that the runtime watches.
const FILES_OF_STREAM: usize = 3;
const OTHER_FILES: usize = 250;

/// Holds as many streams open as there may be files here, up to ten thousand, and says what one takes.
pub fn run_open(files_max: usize) {
    heading("Streams that are open at once, a token every two seconds");
    let count = OPEN.min((files_max - OTHER_FILES) / FILES_OF_STREAM);
    let provider = model::start();
    let mut command = command(&["serve", "--throwaway", "--port", "0"]);
    command.env("SERVICE_STREAMS_PER_ADDRESS", OPEN.to_string());
    let service = Throwaway::start(command);
    let through = Target::template(&service, &provider.line, model::LINGERING, true);
    let process = service.program.process_id();
    let before = resident_kib(process);
    let watch = Watch::start(process);
    let streams = run(&through, count, OF_SERVICE);
    let held = watch.stop().saturating_sub(before);
    let name = |what: &str| format!("{count} open streams: {what}");
    figure(&name("memory of the service"), &format!("{:.0} MB", (held + before) as f64 / 1024.0), "< 400 MB");
    figure(&name("memory per stream"), &format!("{:.1} kB", held as f64 / count as f64), "");
    figure(&name("dropped or incomplete"), &count_dropped(&streams, model::LINGERING_TOKENS), "0");
    let first = Latencies::new(streams.iter().map(|stream| stream.first).collect());
    let pair = format!("{:.0} / {:.0} ms", first.percentile(0.5), first.percentile(0.99));
    figure(&name("first token, p50 / p99 (of it 2,000 ms of the provider's)"), &pair, "");
}

fn show(count: usize, without: &[Stream], with: &[Stream], held_kib: u64) {
    let times = |streams: &[Stream], time: fn(&Stream) -> Duration| {
        Latencies::new(streams.iter().map(time).collect())
    };
    let added = |share, time| times(with, time).percentile(share) - times(without, time).percentile(share);
    let name = |what: &str| format!("{count} streams: {what}");
    let pair = |time| format!("{:.2} / {:.2} ms", added(0.5, time), added(0.99, time));
    figure(&name("first token added, p50 / p99"), &pair(|stream| stream.first), "");
    figure(&name("total added, p50 / p99"), &pair(|stream| stream.total), "");
    figure(&name("dropped or incomplete"), &count_dropped(with, model::TOKENS), "0");
    let target = if count == 1_000 { "< 100 MB" } else { "" };
    figure(&name("memory added"), &format!("{:.1} MB", held_kib as f64 / 1024.0), target);
    figure(&name("memory per stream"), &format!("{:.1} kB", held_kib as f64 / count as f64), "");
}

/// How many are not whole.
fn count_dropped(streams: &[Stream], tokens: usize) -> String {
    streams.iter().filter(|stream| !stream.ended || stream.tokens != tokens).count().to_string()
}

fn run(target: &Target, count: usize, marks: StreamMarkers) -> Vec<Stream> {
    run_apart(target, count, marks, APART)
}

fn run_apart(target: &Target, count: usize, marks: StreamMarkers, apart: Duration) -> Vec<Stream> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let target = Arc::new(target.clone());
        let mut streams = Vec::new();
        for _ in 0..count {
            let target = target.clone();
            streams.push(tokio::spawn(async move { follow(&target, marks).await }));
            if !apart.is_zero() {
                tokio::time::sleep(apart).await;
            }
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
    let mut text = Vec::with_capacity(4 * 1024);
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

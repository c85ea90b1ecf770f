//! Sends spans to the operator's collector, on a thread of its own. What does not fit into the queue, or the collector
//! does not take, is counted and forgotten: no run ever waits for it.

use super::span_layer::SpanLayer;
use super::{Attribute, SpanRecord, count_lost};
use crate::base::cancel::CancelToken;
use crate::base::hex::to_hex;
use crate::net::{CallPurpose, Outgoing, ResponseLimits};
use crate::settings::{Settings, TraceSettings};
use serde_json::{Value, json};
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// The most of a collector's answer that is read.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;
/// How often a collector that does not answer is complained about.
const COMPLAINT_PAUSE: Duration = Duration::from_secs(60);

/// A message to the thread that sends.
pub(super) enum ExporterMessage {
    Span(Box<SpanRecord>),
    /// Send what is there, then say so.
    Flush(SyncSender<()>),
}

/// The thread that sends.
pub struct Exporter {
    queue: SyncSender<ExporterMessage>,
}

impl Exporter {
    /// Starts it, with the listener that feeds it. They go out as the service's own settings say.
    ///
    /// # Errors
    /// When the system gives no more threads, or the operator's authorities cannot be used.
    pub fn start(settings: TraceSettings, service: &Settings) -> io::Result<(Self, SpanLayer)> {
        // The operator named the address, so it may be one of this machine or its network.
        let outgoing = Outgoing::for_operator(service).map_err(io::Error::other)?;
        let (queue, waiting) = mpsc::sync_channel(settings.queue);
        let spans = SpanLayer::new(queue.clone(), settings.sampler);
        let sender = SpanSender { settings, outgoing, last_complaint: None };
        thread::Builder::new().name("traces".into()).spawn(move || sender.work(&waiting))?;
        Ok((Self { queue }, spans))
    }

    /// Sends what waits, for at most this long.
    pub fn flush(&self, within: Duration) {
        let (done, sent) = mpsc::sync_channel(1);
        if self.queue.try_send(ExporterMessage::Flush(done)).is_ok() {
            let _ = sent.recv_timeout(within);
        }
    }
}

struct SpanSender {
    settings: TraceSettings,
    outgoing: Outgoing,
    last_complaint: Option<Instant>,
}

impl SpanSender {
    /// Gathers spans and sends them, until nobody is left to hand any over.
    fn work(mut self, waiting: &Receiver<ExporterMessage>) {
        let mut batch: Vec<SpanRecord> = Vec::new();
        let mut due = Instant::now() + self.settings.delay;
        loop {
            let message = waiting.recv_timeout(due.saturating_duration_since(Instant::now()));
            let mut flushed = None;
            match message {
                Ok(ExporterMessage::Span(span)) => {
                    if batch.is_empty() {
                        due = Instant::now() + self.settings.delay;
                    }
                    batch.push(*span);
                    if batch.len() < self.settings.batch && Instant::now() < due {
                        continue;
                    }
                }
                Ok(ExporterMessage::Flush(done)) => flushed = Some(done),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.send(&mut batch),
            }
            self.send(&mut batch);
            due = Instant::now() + self.settings.delay;
            if let Some(done) = flushed {
                let _ = done.send(());
            }
        }
    }

    fn send(&mut self, batch: &mut Vec<SpanRecord>) {
        if batch.is_empty() {
            return;
        }
        let body = build_request(&self.settings.resource, batch);
        if let Err(why) = self.post(&body) {
            count_lost(batch.len());
            if self.last_complaint.is_none_or(|last| last.elapsed() > COMPLAINT_PAUSE) {
                self.last_complaint = Some(Instant::now());
                tracing::warn!(
                    target: "flowkeep::traces::export",
                    spans = batch.len(), why,
                    "the collector did not take spans"
                );
            }
        }
        batch.clear();
    }

    fn post(&self, body: &Value) -> Result<(), String> {
        let headers: Vec<(&str, &str)> =
            self.settings.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let (timeout, cancel) = (self.settings.timeout, CancelToken::new(Some(self.settings.timeout)));
        let limits = ResponseLimits { first_byte: timeout, stall: timeout, body_bytes: ANSWER_BYTES_MAX };
        let posted = self.outgoing.post_json(
            CallPurpose::Provider,
            &self.settings.endpoint,
            &headers,
            body,
            &cancel,
            limits,
        );
        let answer = posted.map_err(|error| error.to_string())?;
        let status = answer.status();
        answer.finish();
        if (200..300).contains(&status) { Ok(()) } else { Err(format!("it answered with {status}")) }
    }
}

/// One request, as OTLP writes it in JSON.
pub(super) fn build_request(resource: &[(String, String)], spans: &[SpanRecord]) -> Value {
    let text = |name: &str, value: &str| json!({"key": name, "value": {"stringValue": value}});
    let attributes: Vec<Value> = resource.iter().map(|(name, value)| text(name, value)).collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes},
        "scopeSpans": [{
            "scope": {"name": "flowkeep", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans.iter().map(span_json).collect::<Vec<_>>(),
        }],
    }]})
}

fn span_json(span: &SpanRecord) -> Value {
    let attribute = |(name, value): &(&'static str, Attribute)| {
        let value = match value {
            Attribute::Text(text) => json!({"stringValue": text}),
            Attribute::Whole(number) => json!({"intValue": number.to_string()}),
            Attribute::Number(number) => json!({"doubleValue": number}),
            Attribute::Flag(flag) => json!({"boolValue": flag}),
        };
        json!({"key": name, "value": value})
    };
    let mut told = json!({
        "traceId": to_hex(&span.trace),
        "spanId": to_hex(&span.id),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.start_nanos.to_string(),
        "endTimeUnixNano": span.end_nanos.to_string(),
        "attributes": span.attributes.iter().map(attribute).collect::<Vec<_>>(),
    });
    if let Some(parent) = &span.parent {
        told["parentSpanId"] = to_hex(parent).into();
    }
    if span.failed {
        told["status"] = json!({"code": 2});
    }
    told
}

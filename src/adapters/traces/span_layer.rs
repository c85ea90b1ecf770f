//! Listens to spans, and hands those that are over to the exporter. Nothing here waits.

use super::export::ExporterMessage;
use super::{Attribute, SpanKind, SpanRecord, TARGET, count_lost};
use crate::settings::Sampler;
use std::fmt;
use std::sync::mpsc::SyncSender;
use std::time::{SystemTime, UNIX_EPOCH};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Filter, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Longest text of an attribute.
const TEXT_CHARS_MAX: usize = 1_024;

/// The listener.
pub struct SpanLayer {
    queue: SyncSender<ExporterMessage>,
    sampler: Sampler,
}

impl SpanLayer {
    pub(super) const fn new(queue: SyncSender<ExporterMessage>, sampler: Sampler) -> Self {
        Self { queue, sampler }
    }

    /// Lets through what this listens to.
    #[must_use]
    pub fn filter<S>() -> impl Filter<S> {
        tracing_subscriber::filter::filter_fn(|about: &Metadata<'_>| {
            about.is_span() && about.target() == TARGET
        })
    }

    /// True for the share of traces that begin here: the same answer for the same trace wherever it is asked.
    fn is_sampled(&self, trace: [u8; 16]) -> bool {
        let low = u64::from_be_bytes(trace[8..].try_into().unwrap_or_default());
        (low >> 1) as f64 / (u64::MAX >> 1) as f64 <= self.sampler.share && self.sampler.share > 0.0
    }
}

/// A span that goes on.
struct OpenSpan {
    record: SpanRecord,
    sampled: bool,
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without random bytes spans are still reported, under a name that only the time makes different.
    if getrandom::fill(&mut bytes).is_err() {
        let low = (now() as u64).to_be_bytes();
        bytes[N - low.len()..].copy_from_slice(&low);
    }
    bytes
}

impl<S> Layer<S> for SpanLayer
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut told = SpanFields::default();
        attributes.record(&mut told);
        let within = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            let open = extensions.get::<OpenSpan>()?;
            Some(ParentSpan { trace: open.record.trace, id: open.record.id, sampled: open.sampled })
        });
        let above = within.or_else(|| {
            let caller = told.caller.as_deref().and_then(ParentSpan::parse)?;
            let sampled =
                if self.sampler.follows_caller { caller.sampled } else { self.is_sampled(caller.trace) };
            Some(ParentSpan { sampled, ..caller })
        });
        let (trace, parent, sampled) = match above {
            Some(above) => (above.trace, Some(above.id), above.sampled),
            None => {
                let trace = random();
                (trace, None, self.is_sampled(trace))
            }
        };
        let told = SpanRecord {
            trace,
            id: random(),
            parent,
            name: told.name.unwrap_or_else(|| attributes.metadata().name().to_owned()),
            kind: told.kind,
            start_nanos: now(),
            end_nanos: 0,
            attributes: told.attributes,
            failed: told.failed,
        };
        span.extensions_mut().insert(OpenSpan { record: told, sampled });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut more = SpanFields::default();
        values.record(&mut more);
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            open.record.attributes.extend(more.attributes);
            open.record.failed |= more.failed;
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<OpenSpan>().filter(|open| open.sampled) else {
            return;
        };
        let finished = SpanRecord { end_nanos: now(), ..open.record };
        if self.queue.try_send(ExporterMessage::Span(Box::new(finished))).is_err() {
            count_lost(1);
        }
    }
}

/// What a span stands under.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParentSpan {
    pub(super) trace: [u8; 16],
    pub(super) id: [u8; 8],
    pub(super) sampled: bool,
}

impl ParentSpan {
    /// Reads a `traceparent`; `None` for what is none (W3C Trace Context).
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let (version, trace, id, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if version == "ff" || (version == "00" && parts.next().is_some()) {
            return None;
        }
        let [version_byte] = bytes::<1>(version)?;
        let (trace, id, [flags]) = (bytes(trace)?, bytes(id)?, bytes::<1>(flags)?);
        let given = version_byte != 0xff && trace != [0; 16] && id != [0; 8];
        given.then_some(Self { trace, id, sampled: flags & 1 == 1 })
    }
}

fn bytes<const N: usize>(hex: &str) -> Option<[u8; N]> {
    let lower = hex.len() == N * 2 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate().filter(|_| lower) {
        *byte = u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).ok()?;
    }
    lower.then_some(bytes)
}

/// What the fields of a span say.
struct SpanFields {
    name: Option<String>,
    kind: SpanKind,
    caller: Option<String>,
    failed: bool,
    attributes: Vec<(&'static str, Attribute)>,
}

impl Default for SpanFields {
    fn default() -> Self {
        Self { name: None, kind: SpanKind::Internal, caller: None, failed: false, attributes: Vec::new() }
    }
}

impl SpanFields {
    fn text(&mut self, field: &Field, text: String) {
        match field.name() {
            "otel.name" => self.name = Some(text),
            "otel.kind" => {
                self.kind = match text.as_str() {
                    "server" => SpanKind::Server,
                    "client" => SpanKind::Client,
                    _ => SpanKind::Internal,
                }
            }
            "traceparent" => self.caller = Some(text),
            name => {
                self.failed |= name == "error.type";
                self.attributes.push((name, Attribute::Text(text)));
            }
        }
    }
}

impl Visit for SpanFields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text: String = format!("{value:?}").chars().take(TEXT_CHARS_MAX).collect();
        self.text(field, text);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value.chars().take(TEXT_CHARS_MAX).collect());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.attributes.push((field.name(), Attribute::Whole(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.attributes.push((field.name(), Attribute::Number(value)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.attributes.push((field.name(), Attribute::Flag(value)));
    }
}

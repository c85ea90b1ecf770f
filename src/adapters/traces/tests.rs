//! Spans on their way to a collector.

use super::export::{ExporterMessage, build_request};
use super::span_layer::ParentSpan;
use super::*;
use crate::settings::Sampler;
use std::sync::mpsc;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

const CALLER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// The spans that `work` leaves behind under a sampler.
fn spans(sampler: Sampler, work: impl FnOnce()) -> Vec<SpanRecord> {
    let (queue, waiting) = mpsc::sync_channel(100);
    let layer = SpanLayer::new(queue, sampler).with_filter(SpanLayer::filter());
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), work);
    let told = waiting.try_iter().map(|message| match message {
        ExporterMessage::Span(span) => *span,
        ExporterMessage::Flush(_) => panic!("nobody asked for that"),
    });
    told.collect()
}

const ALL: Sampler = Sampler { share: 1.0, follows_caller: true };

#[test]
fn a_span_within_another_is_its_child_in_the_callers_trace() {
    let told = spans(ALL, || {
        let outer = tracing::info_span!(
            target: TARGET, "outer", otel.name = "GET /a", otel.kind = "server", traceparent = CALLER,
            http.response.status_code = tracing::field::Empty,
        );
        let _outer = outer.enter();
        let inner =
            tracing::info_span!(target: TARGET, "inner", gen_ai.usage.input_tokens = 3_u64, error.type = "x");
        drop(inner.enter());
        drop(inner);
        outer.record("http.response.status_code", 200_u64);
        tracing::info_span!(target: "elsewhere", "other").in_scope(|| ());
    });
    let [inner, outer] = &told[..] else { panic!("{told:?}") };
    let caller = ParentSpan::parse(CALLER).unwrap();
    assert_eq!((outer.trace, outer.parent, outer.kind), (caller.trace, Some(caller.id), SpanKind::Server));
    assert_eq!((inner.trace, inner.parent, inner.failed), (caller.trace, Some(outer.id), true));
    let body = build_request(&[("service.name".to_owned(), "s".to_owned())], &told);
    let sent = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(sent[1]["traceId"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(sent[1]["parentSpanId"], "b7ad6b7169203331");
    assert_eq!((&sent[1]["name"], &sent[1]["kind"]), (&"GET /a".into(), &2.into()));
    assert_eq!(sent[1]["attributes"][0]["value"]["intValue"], "200");
    assert_eq!((&sent[0]["status"]["code"], &sent[1]["status"]), (&2.into(), &serde_json::Value::Null));
}

#[test]
fn who_decides_whether_a_trace_is_told() {
    let unsampled = CALLER.replace("-01", "-00");
    let count = |sampler, caller: &str| {
        spans(sampler, || {
            tracing::info_span!(target: TARGET, "a", traceparent = caller)
                .in_scope(|| tracing::info_span!(target: TARGET, "b").in_scope(|| ()));
        })
        .len()
    };
    let none = Sampler { share: 0.0, follows_caller: true };
    let stubborn = Sampler { share: 1.0, follows_caller: false };
    assert_eq!((count(ALL, CALLER), count(ALL, &unsampled), count(ALL, "nonsense")), (2, 0, 2));
    assert_eq!((count(none, CALLER), count(none, ""), count(stubborn, &unsampled)), (2, 0, 2));
}

#[test]
fn a_traceparent_is_read_strictly() {
    for bad in [
        "",
        "00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        "00-0af7651916cd43dd8448eb211c80319é-b7ad6b7169203331-01",
    ] {
        assert_eq!(ParentSpan::parse(bad), None, "{bad}");
    }
    assert!(ParentSpan::parse("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more").is_some());
}

//! Nobody hears of what a check does: neither the log nor the spans.

use std::sync::LazyLock;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// A listener that hears nothing.
///
/// `Dispatch::none()` would not do. Whether anybody wants to hear of a place in the code is asked once, when some thread comes to it
/// first, and `tracing` keeps the answer for all threads. As long as it knows of a single listener it asks the one of that thread, and
/// no listener says no: a line or span which a check came to first would stay away until the next start. This one is known, and says
/// of every place that it wants to be asked again.
struct Silence;

impl Subscriber for Silence {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::OFF)
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        false
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The listener for threads of a check.
pub(super) fn listener() -> Dispatch {
    static SILENCE: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Silence));
    SILENCE.clone()
}

//! What the cards of a chatflow do becomes events of the test chat (manual 2.11).

use crate::base::json_size::json_size;
use crate::domain::predictions::execution::{EXECUTION_TEXT_MAX_BYTES, cut_texts};
use crate::domain::predictions::prediction::ChatType;
use crate::domain::predictions::run_event::{CardReport, StepLabel};
use crate::http::reply::sse::EventSink;
use crate::ops::predictions::{CardObserver, PredictionRun};
use crate::wire::predictions::run_events::CardEventView;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of what cards were given and made that one answer tells: an agent sends its model all that was said, each time anew
/// (manual 14.4).
const CARD_EVENTS_MAX_BYTES: usize = 64 * 1024 * 1024;

/// What is left of the output of a card where the rest has no room.
const KEPT_OUTPUT: &[&str] = &["timeMetadata", "usageMetadata"];

/// How many bytes of events of cards one answer has told.
#[derive(Default)]
pub(super) struct CardTally(AtomicUsize);

impl CardTally {
    /// Cuts what is too long; true when something was left out.
    fn cut(&self, report: &mut CardReport) -> bool {
        let is_cut = cut_texts(&mut report.data, EXECUTION_TEXT_MAX_BYTES);
        let size = json_size(&report.data);
        if self.0.fetch_add(size, Ordering::Relaxed).saturating_add(size) <= CARD_EVENTS_MAX_BYTES {
            return is_cut;
        }
        report.data.remove("input");
        if let Some(Value::Object(output)) = report.data.get_mut("output") {
            output.retain(|name, _| KEPT_OUTPUT.contains(&name.as_str()));
        }
        true
    }
}

/// Tells the reader of a stream what cards do.
pub(super) struct CardTeller<'a> {
    events: &'a EventSink,
    tally: &'a CardTally,
    is_told: bool,
}

impl<'a> CardTeller<'a> {
    pub(super) fn new(entry: &PredictionRun, events: &'a EventSink, tally: &'a CardTally) -> Self {
        // A team is known by what it does.
        let is_told = entry.chat_type == ChatType::Internal && entry.plan.begins_with_answer();
        Self { events, tally, is_told }
    }

    /// Watches the cards; `None` where the reader is not told of them, as nobody outside is.
    pub(super) fn observer(&self) -> Option<&dyn CardObserver> {
        self.is_told.then_some(self as &dyn CardObserver)
    }
}

/// A reader who left is noticed by the run itself.
impl CardObserver for CardTeller<'_> {
    fn began(&self, card: StepLabel<'_>) {
        let _ = self.events.send("cardEvent", &CardEventView::from_start(card));
    }

    fn ended(&self, card: StepLabel<'_>, mut report: CardReport) {
        let is_cut = self.tally.cut(&mut report);
        let _ = self.events.send("cardEvent", &CardEventView::from_end(card, &report, is_cut));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::predictions::execution::StepStatus;
    use serde_json::json;

    fn report(text: &str) -> CardReport {
        let usage = json!({"total_tokens": 9});
        let Value::Object(data) = json!({
            "name": "chatOpenAI", "input": {"messages": [{"role": "user", "content": text}]},
            "output": {"content": "Yes.", "usageMetadata": usage, "timeMetadata": {"delta": 1}}, "error": "No.",
        }) else {
            unreachable!()
        };
        CardReport { status: StepStatus::Error, data }
    }

    #[test]
    fn a_long_text_is_cut_and_the_rest_stays() {
        let (mut short, mut long) = (report("Hi"), report(&"x".repeat(EXECUTION_TEXT_MAX_BYTES + 1)));
        let tally = CardTally::default();
        assert!(!tally.cut(&mut short) && short == report("Hi"));
        assert!(tally.cut(&mut long) && long == report(&"x".repeat(EXECUTION_TEXT_MAX_BYTES)));
    }

    #[test]
    fn what_has_no_room_keeps_its_times_tokens_and_error() {
        let tally = CardTally::default();
        for _ in 0..63 {
            tally.cut(&mut report(&"x".repeat(EXECUTION_TEXT_MAX_BYTES)));
        }
        let mut last = report(&"x".repeat(EXECUTION_TEXT_MAX_BYTES));
        assert!(tally.cut(&mut last));
        let kept = json!({
            "name": "chatOpenAI", "error": "No.",
            "output": {"usageMetadata": {"total_tokens": 9}, "timeMetadata": {"delta": 1}},
        });
        assert_eq!(Value::Object(last.data), kept);
    }
}

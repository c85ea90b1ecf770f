//! Calls of providers' models as spans, named as the conventions of OpenTelemetry for generative AI name them. Nothing
//! that was sent or came back is in one.

use crate::domain::predictions::prediction::Usage;
use crate::kit::Inputs;
use crate::llm::ModelError;
use tracing::Span;
use tracing::field::Empty;

/// The input that most cards name their model in.
const MODEL_NAME: &str = "modelName";

/// What the calls of one card have in common.
pub(in crate::kit) struct ModelSpan {
    card: &'static str,
    operation: &'static str,
    /// What the card calls the model, where it has a name.
    model: Option<String>,
}

impl ModelSpan {
    /// Calls by the card of `inputs`, which names its model as most do.
    pub(in crate::kit) fn from_inputs(inputs: &Inputs<'_>, operation: &'static str) -> Self {
        let model = inputs.card.input(MODEL_NAME).and_then(|_| inputs.optional_text(MODEL_NAME));
        Self { card: inputs.card.name, operation, model }
    }

    /// As [`Self::from_inputs`], of this model.
    pub(in crate::kit) fn of_model(inputs: &Inputs<'_>, operation: &'static str, model: &str) -> Self {
        let model = Some(model.to_owned()).filter(|model| !model.is_empty());
        Self { card: inputs.card.name, operation, model }
    }

    #[cfg(test)]
    pub(in crate::kit) fn new(card: &'static str, operation: &'static str, model: Option<&str>) -> Self {
        Self { card, operation, model: model.map(str::to_owned) }
    }

    /// The name of the card.
    pub(in crate::kit) const fn card(&self) -> &'static str {
        self.card
    }

    /// What the card calls the model, where it has a name.
    pub(in crate::kit) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The name by which calls are counted: that of the card where its model has none.
    pub(in crate::kit) fn counted_name(&self) -> &str {
        self.model().unwrap_or(self.card)
    }

    /// Makes one call, whose answer tells the tokens used.
    ///
    /// # Errors
    /// What the call fails with.
    pub(in crate::kit) fn call<T>(
        &self,
        make: impl FnOnce() -> Result<T, ModelError>,
        usage: impl FnOnce(&T) -> Option<Usage>,
    ) -> Result<T, ModelError> {
        let span = self.begin();
        let made = span.in_scope(make);
        record_result(&span, made.as_ref().map(usage));
        made
    }

    /// A span for a call whose answer comes later.
    pub(in crate::kit) fn begin(&self) -> Span {
        let span = tracing::info_span!(
            target: "flowkeep::span", "model", otel.kind = "client", otel.name = Empty,
            gen_ai.operation.name = self.operation, gen_ai.provider.name = self.card,
            gen_ai.request.model = self.model, error.type = Empty,
            gen_ai.usage.input_tokens = Empty, gen_ai.usage.output_tokens = Empty,
        );
        if !span.is_disabled() {
            let name = self.model.as_ref().map(|model| format!("{} {model}", self.operation));
            span.record("otel.name", name.as_deref().unwrap_or(self.operation));
        }
        span
    }
}

/// Notes what came of a call: the tokens used, or what it failed with.
pub(in crate::kit) fn record_result(span: &Span, result: Result<Option<Usage>, &ModelError>) {
    match result {
        Ok(Some(usage)) => {
            span.record("gen_ai.usage.input_tokens", usage.input_tokens);
            span.record("gen_ai.usage.output_tokens", usage.output_tokens);
        }
        Ok(None) => {}
        Err(fault) => drop(span.record("error.type", fault.kind())),
    }
}

#[cfg(test)]
pub(in crate::kit) mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    type Fields = BTreeMap<String, String>;

    /// Notes the fields of spans.
    #[derive(Clone, Default)]
    struct Listener(Arc<Mutex<Vec<Fields>>>);

    struct FieldVisitor<'a>(&'a mut Fields);

    impl Visit for FieldVisitor<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            self.0.insert(field.name().to_owned(), format!("{value:?}"));
        }

        fn record_str(&mut self, field: &Field, value: &str) {
            self.0.insert(field.name().to_owned(), value.to_owned());
        }
    }

    impl Subscriber for Listener {
        fn enabled(&self, about: &Metadata<'_>) -> bool {
            about.is_span() && about.target() == "flowkeep::span"
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let mut spans = self.0.lock().unwrap();
            let mut fields = Fields::new();
            span.record(&mut FieldVisitor(&mut fields));
            spans.push(fields);
            Id::from_u64(spans.len() as u64)
        }

        fn record(&self, span: &Id, values: &Record<'_>) {
            let at = usize::try_from(span.into_u64()).unwrap() - 1;
            values.record(&mut FieldVisitor(&mut self.0.lock().unwrap()[at]));
        }

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &Event<'_>) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    /// The spans that `work` leaves behind.
    pub(in crate::kit) fn captured_fields(work: impl FnOnce()) -> Vec<Fields> {
        let listener = Listener::default();
        tracing::subscriber::with_default(listener.clone(), work);
        let spans = listener.0.lock().unwrap();
        spans.clone()
    }

    #[test]
    fn a_call_without_a_name_of_its_model_is_called_by_what_it_does() {
        let spans = captured_fields(|| {
            let done = ModelSpan::new("cohereRerankRetriever", "rerank", None).call(|| Ok(1), |_| None);
            assert_eq!(done, Ok(1));
        });
        assert_eq!((spans.len(), spans[0]["otel.name"].as_str()), (1, "rerank"));
        assert!(!spans[0].contains_key("gen_ai.request.model"), "{spans:?}");
    }
}

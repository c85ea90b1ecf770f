//! What the cards of embeddings share: the component over a provider's model, and inputs that several of them have.

use super::model_span::ModelSpan;
use super::openai_compatible::{address, endpoint};
use crate::domain::error::{Error, Result};
use crate::kit::build::component::Embeddings;
use crate::kit::capabilities::host::Host;
use crate::kit::{Choice, Input, Inputs};
use crate::llm::embeddings::{self, Aim, EmbeddingModel, EmbeddingResponse, OpenAiEmbeddings};
use std::sync::Arc;

pub(crate) const STRIP_NEW_LINES: Input = Input::switch("stripNewLines", "Strip New Lines")
    .additional()
    .help("Line breaks become spaces before a text is sent.");
pub(crate) const BATCH_SIZE: Input = Input::whole("batchSize", "Batch Size", 1.0, 100_000.0)
    .additional()
    .help("Texts of one request; at most as many as the provider takes.");
pub(crate) const DIMENSIONS: Input = Input::whole("dimensions", "Dimensions", 1.0, 65_536.0).additional();
pub(crate) const ENCODING_FORMAT: Input =
    Input::choice("encodingFormat", "Encoding Format", ENCODINGS).additional();

const ENCODINGS: &[Choice] = &[Choice::new("float", "float"), Choice::new("base64", "base64")];

/// A provider's model with the label of its card.
struct ProviderEmbeddings {
    label: String,
    span: ModelSpan,
    model: Box<dyn EmbeddingModel>,
    single_line: bool,
}

/// The component of a card over a provider's model.
pub(crate) fn provider_embeddings(
    inputs: &Inputs<'_>,
    model: impl EmbeddingModel + 'static,
) -> Arc<dyn Embeddings> {
    let one_line = inputs.declares(STRIP_NEW_LINES.name) && inputs.switch(STRIP_NEW_LINES.name);
    build(inputs, model, one_line)
}

/// As [`provider_embeddings`], of a model that wants no line breaks in its texts.
pub(crate) fn single_line_embeddings(
    inputs: &Inputs<'_>,
    model: impl EmbeddingModel + 'static,
) -> Arc<dyn Embeddings> {
    build(inputs, model, true)
}

fn build(inputs: &Inputs<'_>, model: impl EmbeddingModel + 'static, one_line: bool) -> Arc<dyn Embeddings> {
    let calls = ModelSpan::from_inputs(inputs, "embeddings");
    Arc::new(ProviderEmbeddings {
        label: inputs.label.to_owned(),
        span: calls,
        model: Box::new(model),
        single_line: one_line,
    })
}

/// The model of a card over OpenAI's protocol, whose provider is at `home` unless the owner gave another address.
///
/// # Errors
/// When an input does not fit its declaration or the key is missing.
pub(crate) fn openai_like(inputs: &Inputs<'_>, home: &str, model: &str) -> Result<OpenAiEmbeddings> {
    let base = address(inputs).unwrap_or_else(|| home.to_owned());
    with_settings(inputs, OpenAiEmbeddings::new(endpoint(inputs, &base, home)?, model))
}

/// The model with every setting that the card declares.
///
/// # Errors
/// When an input does not fit its declaration.
pub(crate) fn with_settings(inputs: &Inputs<'_>, mut model: OpenAiEmbeddings) -> Result<OpenAiEmbeddings> {
    if inputs.declares(BATCH_SIZE.name) {
        model.batch = model.batch.with_text_count(inputs.whole(BATCH_SIZE.name)?);
    }
    if inputs.declares(DIMENSIONS.name)
        && let Some(dimensions) = inputs.whole(DIMENSIONS.name)?
    {
        model.extra.insert("dimensions".into(), dimensions.into());
    }
    if inputs.declares(ENCODING_FORMAT.name)
        && let Some(encoding) = inputs.optional_text(ENCODING_FORMAT.name)
    {
        model.extra.insert("encoding_format".into(), encoding.into());
    }
    Ok(model)
}

impl Embeddings for ProviderEmbeddings {
    fn embed(&self, texts: &[&str], host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        self.vectors(texts, Aim::Documents, host)
    }

    fn embed_query(&self, text: &str, host: &dyn Host) -> Result<Vec<f32>> {
        let found = self.vectors(&[text], Aim::Query, host)?.pop();
        found.ok_or_else(|| Error::RunFailed(format!("{}: no vector came back", self.label)))
    }
}

impl ProviderEmbeddings {
    fn vectors(&self, texts: &[&str], aim: Aim, host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        let lines: Vec<String>;
        let mut sent = texts.to_vec();
        if self.single_line {
            lines = texts.iter().map(|text| text.replace("\r\n", " ").replace(['\n', '\r'], " ")).collect();
            sent = lines.iter().map(String::as_str).collect();
        }
        let embed = || embeddings::embed(self.model.as_ref(), &sent, aim, host.cancel());
        let done = self.span.call(embed, |done| done.usage);
        let EmbeddingResponse { vectors, usage } = done.map_err(|fault| fault.at(&self.label))?;
        if let Some(observer) = host.capabilities().observer() {
            observer.record_usage(self.span.counted_name(), usage);
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cancel::CancelToken;
    use crate::domain::predictions::prediction::Usage;
    use crate::kit::capabilities::test_host::TestHost;
    use crate::kit::models::model_span::tests::captured_fields;
    use crate::llm::ModelError;
    use crate::llm::embeddings::BatchLimits;

    /// Embeds what is not called wrong.
    struct Fake;

    impl EmbeddingModel for Fake {
        fn batch_limits(&self) -> BatchLimits {
            BatchLimits { texts: 10, bytes: 1_000 }
        }

        fn embed_batch(
            &self,
            texts: &[&str],
            _: Aim,
            _: &CancelToken,
        ) -> Result<EmbeddingResponse, ModelError> {
            if texts.contains(&"wrong") {
                return Err(ModelError::KeyRefused);
            }
            let usage = Some(Usage { input_tokens: 7, ..Usage::default() });
            Ok(EmbeddingResponse { vectors: vec![vec![1.0]; texts.len()], usage })
        }
    }

    #[test]
    fn a_call_is_a_span_without_the_text() {
        let calls = ModelSpan::new("openAIEmbeddings", "embeddings", Some("small"));
        let part = ProviderEmbeddings {
            label: "L".to_owned(),
            span: calls,
            model: Box::new(Fake),
            single_line: false,
        };
        let host = TestHost::default();
        let spans = captured_fields(|| {
            part.embed(&["a secret text", "b"], &host).unwrap();
            part.embed_query("wrong", &host).unwrap_err();
        });
        let [done, failed] = &spans[..] else { panic!("{spans:?}") };
        assert_eq!(done["otel.name"], "embeddings small");
        assert_eq!(
            (done["otel.kind"].as_str(), done["gen_ai.operation.name"].as_str()),
            ("client", "embeddings")
        );
        assert_eq!(done["gen_ai.provider.name"], "openAIEmbeddings");
        assert_eq!(done["gen_ai.usage.input_tokens"], "7");
        assert!(!done.contains_key("error.type") && !format!("{done:?}").contains("secret"), "{done:?}");
        assert_eq!(failed["error.type"], ModelError::KeyRefused.kind());
    }
}

//! What the cards of embeddings share: the part over a provider's model, and inputs that several of them have.

use super::compatible::{address, endpoint};
use super::host::Host;
use super::part::Embeddings;
use super::traced::Traced;
use super::{Choice, Input, Inputs};
use crate::domain::error::{Error, Result};
use crate::llm::embeddings::{self, Aim, Embedded, EmbeddingModel, OpenAiEmbeddings};
use std::sync::Arc;

pub(in crate::cards) const STRIP_NEW_LINES: Input = Input::switch("stripNewLines", "Strip New Lines")
    .additional()
    .help("Line breaks become spaces before a text is sent.");
pub(in crate::cards) const BATCH_SIZE: Input = Input::whole("batchSize", "Batch Size", 1.0, 100_000.0)
    .additional()
    .help("Texts of one request; at most as many as the provider takes.");
pub(in crate::cards) const DIMENSIONS: Input =
    Input::whole("dimensions", "Dimensions", 1.0, 65_536.0).additional();
pub(in crate::cards) const ENCODING_FORMAT: Input =
    Input::choice("encodingFormat", "Encoding Format", ENCODINGS).additional();

const ENCODINGS: &[Choice] = &[Choice::of("float", "float"), Choice::of("base64", "base64")];

/// A provider's model with the label of its card.
struct Provided {
    label: String,
    calls: Traced,
    model: Box<dyn EmbeddingModel>,
    one_line: bool,
}

/// The part of a card over a provider's model.
pub(in crate::cards) fn embedder(
    inputs: &Inputs<'_>,
    model: impl EmbeddingModel + 'static,
) -> Arc<dyn Embeddings> {
    let one_line = inputs.declares(STRIP_NEW_LINES.name) && inputs.switch(STRIP_NEW_LINES.name);
    provided(inputs, model, one_line)
}

/// As [`embedder`], of a model that wants no line breaks in its texts.
pub(in crate::cards) fn embedder_of_lines(
    inputs: &Inputs<'_>,
    model: impl EmbeddingModel + 'static,
) -> Arc<dyn Embeddings> {
    provided(inputs, model, true)
}

fn provided(
    inputs: &Inputs<'_>,
    model: impl EmbeddingModel + 'static,
    one_line: bool,
) -> Arc<dyn Embeddings> {
    let calls = Traced::of(inputs, "embeddings");
    Arc::new(Provided { label: inputs.label.to_owned(), calls, model: Box::new(model), one_line })
}

/// The model of a card over OpenAI's protocol, whose provider is at `home` unless the owner gave another address.
///
/// # Errors
/// When an input does not fit its declaration or the key is missing.
pub(in crate::cards) fn openai_like(
    inputs: &Inputs<'_>,
    home: &str,
    model: &str,
) -> Result<OpenAiEmbeddings> {
    let base = address(inputs).unwrap_or_else(|| home.to_owned());
    with(inputs, OpenAiEmbeddings::new(endpoint(inputs, &base, home)?, model))
}

/// The model with every setting that the card declares.
///
/// # Errors
/// When an input does not fit its declaration.
pub(in crate::cards) fn with(inputs: &Inputs<'_>, mut model: OpenAiEmbeddings) -> Result<OpenAiEmbeddings> {
    if inputs.declares(BATCH_SIZE.name) {
        model.batch = model.batch.asked(inputs.whole(BATCH_SIZE.name)?);
    }
    if inputs.declares(DIMENSIONS.name)
        && let Some(dimensions) = inputs.whole(DIMENSIONS.name)?
    {
        model.extra.insert("dimensions".into(), dimensions.into());
    }
    if inputs.declares(ENCODING_FORMAT.name)
        && let Some(encoding) = inputs.maybe_text(ENCODING_FORMAT.name)
    {
        model.extra.insert("encoding_format".into(), encoding.into());
    }
    Ok(model)
}

impl Embeddings for Provided {
    fn embed(&self, texts: &[&str], host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        self.vectors(texts, Aim::Documents, host)
    }

    fn embed_query(&self, text: &str, host: &dyn Host) -> Result<Vec<f32>> {
        let found = self.vectors(&[text], Aim::Query, host)?.pop();
        found.ok_or_else(|| Error::Failed(format!("{}: no vector came back", self.label)))
    }
}

impl Provided {
    fn vectors(&self, texts: &[&str], aim: Aim, host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        let lines: Vec<String>;
        let mut sent = texts.to_vec();
        if self.one_line {
            lines = texts.iter().map(|text| text.replace("\r\n", " ").replace(['\n', '\r'], " ")).collect();
            sent = lines.iter().map(String::as_str).collect();
        }
        let embed = || embeddings::embed(self.model.as_ref(), &sent, aim, host.cancel());
        let done = self.calls.call(embed, |done| done.usage);
        let Embedded { vectors, usage } = done.map_err(|fault| fault.at(&self.label))?;
        host.used(&self.label, usage);
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_host::TestHost;
    use super::super::traced::tests::told;
    use super::*;
    use crate::domain::cancel::Cancel;
    use crate::domain::prediction::Usage;
    use crate::llm::ModelError;
    use crate::llm::embeddings::Batch;

    /// Embeds what is not called wrong.
    struct Fake;

    impl EmbeddingModel for Fake {
        fn batch(&self) -> Batch {
            Batch { texts: 10, bytes: 1_000 }
        }

        fn embed_batch(&self, texts: &[&str], _: Aim, _: &Cancel) -> Result<Embedded, ModelError> {
            if texts.contains(&"wrong") {
                return Err(ModelError::KeyRefused);
            }
            let usage = Some(Usage { input_tokens: 7, ..Usage::default() });
            Ok(Embedded { vectors: vec![vec![1.0]; texts.len()], usage })
        }
    }

    #[test]
    fn a_call_is_a_span_without_the_text() {
        let calls = Traced::named("openAIEmbeddings", "embeddings", Some("small"));
        let part = Provided { label: "L".to_owned(), calls, model: Box::new(Fake), one_line: false };
        let host = TestHost::default();
        let spans = told(|| {
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

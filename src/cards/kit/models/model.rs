//! A chat model with the label of its card: every call of a model in a run goes through here, and past the cache
//! wired into its card.

use super::model_span::{self, ModelSpan};
use super::model_work::ModelWork;
use super::token_sink::TokenSink;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::{Cache, ReplyKey};
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::card_work::WatchedNode;
use crate::kit::capabilities::host::Host;
use crate::kit::capabilities::observers::ModelCall;
use crate::llm::{
    ChatModel, ChatReply, ChatRequest, Citation, Completion, Delta, FileContent, MadeFile, ModelError,
    ProviderTool, ReplyStream,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use std::time::Instant;
use tracing::Span;

/// The input a cache is wired into.
const CACHE: &str = "cache";

/// A built chat model.
pub struct Model {
    span: ModelSpan,
    label: String,
    /// Where somebody watches the cards of its run.
    node: Option<WatchedNode>,
    chat: Box<dyn ChatModel>,
    cache_layer: Option<CacheLayer>,
}

/// The cache in front of a model, and what its replies depend on beside the request.
struct CacheLayer {
    cache: Arc<dyn Cache>,
    settings: Vec<(&'static str, Value)>,
}

impl CacheLayer {
    /// `None` when the request cannot be written down, which then is not cached.
    fn key(&self, request: &ChatRequest) -> Option<ReplyKey> {
        let asked = serde_json::to_vec(&(&self.settings, request)).ok()?;
        Some(Sha256::digest(asked).into())
    }
}

impl Model {
    /// The model of a card, with what is wired into its input `cache` in front of it.
    ///
    /// # Errors
    /// When something is wired there that is no cache.
    pub(in crate::kit) fn new(inputs: &Inputs<'_>, chat: Box<dyn ChatModel>) -> Result<Self> {
        let cache = inputs.optional_cache(CACHE)?;
        let front = cache.map(|cache| CacheLayer { cache, settings: inputs.settings() });
        Ok(Self {
            span: ModelSpan::from_inputs(inputs, "chat"),
            label: inputs.label.to_owned(),
            node: WatchedNode::from_inputs(inputs),
            chat,
            cache_layer: front,
        })
    }

    /// The label of its card.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The name of the model itself, where its card has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.span.model()
    }

    /// True when messages may carry images.
    #[must_use]
    pub fn takes_images(&self) -> bool {
        self.chat.takes_images()
    }

    /// True when it can call tools.
    #[must_use]
    pub fn takes_tools(&self) -> bool {
        self.chat.takes_tools()
    }

    /// True when its provider runs this tool for it.
    #[must_use]
    pub fn takes_provider_tool(&self, tool: ProviderTool) -> bool {
        self.chat.takes_provider_tool(tool)
    }

    /// The bytes of a file that a tool of the provider made.
    ///
    /// # Errors
    /// What the provider refused, naming this card.
    pub fn read_file(&self, file: &MadeFile, host: &dyn Host) -> Result<Vec<u8>> {
        match &file.content {
            FileContent::Base64(base64) => STANDARD
                .decode(base64)
                .map_err(|_| Error::RunFailed(format!("{}: a file of its reply cannot be read", self.label))),
            FileContent::Remote(path) => {
                self.chat.read_file(path, host.cancel()).map_err(|fault| fault.at(&self.label))
            }
        }
    }

    /// Asks the model, hands fragments to `sink` and notes the tokens used. A reply from the cache uses none.
    ///
    /// # Errors
    /// What the provider refused, naming this card; [`Error::Cancelled`] when the run ended.
    pub fn ask(
        &self,
        request: &ChatRequest,
        host: &dyn Host,
        sink: &mut dyn TokenSink,
    ) -> Result<Completion> {
        match self.open(request, host, sink)? {
            ModelReply::Whole(completion) => Ok(completion),
            ModelReply::Stream(stream, call) => call.follow(*stream, host, sink),
        }
    }

    /// As [`Self::ask`], but a reply that arrives as a stream is left to whoever may read it elsewhere.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn open(
        &self,
        request: &ChatRequest,
        host: &dyn Host,
        sink: &mut dyn TokenSink,
    ) -> Result<ModelReply> {
        let work = ModelWork::begin(self.node.as_ref(), self.name(), request, host);
        let cached = self.cache_layer.as_ref().and_then(|front| Some((&front.cache, front.key(request)?)));
        if let Some((cache, key)) = &cached
            && let Some(reply) = cache.find(key, host)
        {
            let replayed = replay(&reply, sink).map(|()| Completion { usage: None, ..reply });
            ModelWork::end(work, host, &replayed);
            let reply = replayed?;
            if let Some(observer) = host.capabilities().observer() {
                observer.record_citations(citation_documents(&reply.citations));
            }
            return Ok(ModelReply::Whole(reply));
        }
        let call = OpenCall {
            card: self.span.card(),
            model: self.span.counted_name().to_owned(),
            label: self.label.clone(),
            began: Instant::now(),
            span: self.span.begin(),
            work,
            cache: cached.map(|(cache, key)| (cache.clone(), key)),
        };
        let mut on = |delta: Delta<'_>| match delta {
            Delta::Text(text) => sink.token(text),
            Delta::Thinking(text) => sink.thinking(text),
        };
        match call.span.in_scope(|| self.chat.open(request, host.cancel(), &mut on)) {
            Ok(ChatReply::Whole(completion)) => call.finish(Ok(completion), host).map(ModelReply::Whole),
            Ok(ChatReply::Stream(stream)) => Ok(ModelReply::Stream(stream, call)),
            Err(fault) => call.finish(Err(fault), host).map(ModelReply::Whole),
        }
    }
}

/// What a model answers with.
pub enum ModelReply {
    /// It was read, and its fragments are out.
    Whole(Completion),
    /// It is still to be read, and the call to be finished then.
    Stream(Box<ReplyStream>, OpenCall),
}

/// A call of a model that is not over.
pub struct OpenCall {
    card: &'static str,
    /// The name by which its tokens are counted.
    model: String,
    label: String,
    began: Instant,
    span: Span,
    /// What is told of it, where somebody watches.
    work: Option<ModelWork>,
    /// Where its reply is kept, and under which key.
    cache: Option<(Arc<dyn Cache>, ReplyKey)>,
}

impl OpenCall {
    /// Has `sink` take the stream of the call, and finishes it.
    ///
    /// # Errors
    /// As [`Model::ask`].
    pub fn follow(
        self,
        stream: ReplyStream,
        host: &dyn Host,
        sink: &mut dyn TokenSink,
    ) -> Result<Completion> {
        let result = self.span.in_scope(|| sink.follow(stream)).result;
        self.finish(result, host)
    }

    /// Notes what the call came to.
    ///
    /// # Errors
    /// What it failed with, naming its card.
    pub fn finish(
        self,
        result: std::result::Result<Completion, ModelError>,
        host: &dyn Host,
    ) -> Result<Completion> {
        let usage = result.as_ref().map(|completion| completion.usage);
        model_span::record_result(&self.span, usage);
        let usage = usage.map_err(ModelError::kind);
        let observer = host.capabilities().observer();
        if let Some(observer) = observer {
            observer.record_model_call(&ModelCall {
                card: self.card,
                took: self.began.elapsed(),
                result: usage,
            });
        }
        let result = result.map_err(|fault| fault.at(&self.label));
        ModelWork::end(self.work, host, &result);
        let completion = result?;
        if let Some(observer) = observer {
            observer.record_usage(&self.model, completion.usage);
            observer.record_citations(citation_documents(&completion.citations));
        }
        // Failures and streams that broke off do not get here.
        if let Some((cache, key)) = self.cache.as_ref().filter(|_| !completion.once) {
            cache.store(key, &completion, host);
        }
        Ok(completion)
    }
}

/// Pages that a reply leans on, as chunks.
pub(in crate::kit) fn citation_documents(citations: &[Citation]) -> Vec<Document> {
    let page = |citation: &Citation| {
        let said = [&citation.text, &citation.title, &citation.url];
        let page_content = said.into_iter().find(|text| !text.is_empty()).cloned().unwrap_or_default();
        let mut metadata = Map::new();
        metadata.insert("source".to_owned(), citation.url.as_str().into());
        if !citation.title.is_empty() {
            metadata.insert("title".to_owned(), citation.title.as_str().into());
        }
        Document { page_content, metadata }
    };
    citations.iter().map(page).collect()
}

/// Hands a kept reply on word by word, so that a reader of the stream sees no other form of answer.
fn replay(reply: &Completion, sink: &mut dyn TokenSink) -> Result<()> {
    if !reply.thinking.is_empty() {
        sink.thinking(&reply.thinking).map_err(|_| Error::Cancelled)?;
    }
    for word in reply.text.split_inclusive(' ') {
        sink.token(word).map_err(|_| Error::Cancelled)?;
    }
    Ok(())
}

//! What a card becomes in a run, and what each kind of component can do.

use super::call_error::CallError;
use super::prompt::Prompt;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::pipelines::target::PipelineTarget;
use crate::domain::predictions::prediction::{Document, HistoryMessage, ImageUpload, RunOutput};
use crate::kit::capabilities::host::Host;
use crate::kit::knowledge::transform::Transform;
use crate::kit::knowledge::{Loader, Splitter, VectorStore};
use crate::kit::members::Member;
use crate::kit::models::model::{Model, ModelReply, OpenCall};
use crate::kit::models::router::Route;
use crate::kit::models::synthesis::Synthesis;
use crate::kit::models::token_sink::TokenSink;
use crate::kit::schema::wire_type::WireType;
use crate::kit::stores::records::RecordManager;
use crate::llm::{ChatMessage, ChatRequest, Completion, ReplyStream, ToolSpec};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A built card.
#[derive(Clone)]
#[allow(missing_docs)]
pub enum Component {
    ChatModel(Arc<Model>),
    Cache(Arc<dyn Cache>),
    Memory(Arc<dyn Memory>),
    Prompt(Arc<Prompt>),
    Chain(Arc<dyn Chain>),
    Tools(Toolkit),
    Retriever(Arc<dyn Retriever>),
    Embeddings(Arc<dyn Embeddings>),
    Loader(Arc<dyn Loader>),
    Splitter(Arc<dyn Splitter>),
    VectorStore(Arc<dyn VectorStore>),
    Records(Arc<dyn RecordManager>),
    OutputParser(Arc<dyn OutputParser>),
    Moderation(Arc<dyn Moderation>),
    Synthesis(Arc<Synthesis>),
    Route(Arc<Route>),
    Transform(Arc<dyn Transform>),
    Target(PipelineTarget),
    /// A member of a Multi-Agent or Sequential Agent flow.
    Member(Arc<Member>),
    /// A text or structured result other cards read.
    Value(Value),
}

impl Component {
    /// What it is, for messages.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ChatModel(_) => "chat model",
            Self::Cache(_) => "cache",
            Self::Memory(_) => "memory",
            Self::Prompt(_) => "prompt",
            Self::Chain(_) => "chain",
            Self::Tools(_) => "tool",
            Self::Retriever(_) => "retriever",
            Self::Embeddings(_) => "embeddings card",
            Self::Loader(_) => "document loader",
            Self::Splitter(_) => "text splitter",
            Self::VectorStore(_) => "vector store",
            Self::Records(_) => "record manager",
            Self::OutputParser(_) => "output parser",
            Self::Moderation(_) => "moderation",
            Self::Synthesis(_) => "response synthesizer",
            Self::Route(_) => "named retriever",
            Self::Transform(_) => "transform of a pipeline",
            Self::Target(_) => "target of a pipeline",
            Self::Member(_) => "card of an agent team",
            Self::Value(_) => "text",
        }
    }
}

impl Component {
    /// True when an input that wants this kind takes it.
    #[must_use]
    pub const fn is_of(&self, kind: WireType) -> bool {
        match kind {
            WireType::ChatModel | WireType::LanguageModel => matches!(self, Self::ChatModel(_)),
            WireType::Embeddings => matches!(self, Self::Embeddings(_)),
            WireType::VectorStore => matches!(self, Self::VectorStore(_)),
            WireType::Tool => matches!(self, Self::Tools(_)),
            _ => false,
        }
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

/// One question on its way through a flow.
pub struct RunContext<'a> {
    /// The question, text of files first.
    pub question: &'a str,
    /// The text of files alone; it stands in the question already.
    pub documents: &'a str,
    pub uploads: &'a [ImageUpload],
    /// Earlier messages the caller brought along; they stand before stored ones.
    pub history: &'a [HistoryMessage],
    pub host: &'a dyn Host,
}

/// A component that answers questions: a chain or an agent.
pub trait Chain: Send + Sync {
    /// Answers; fragments of the answer go to `sink` as they arrive.
    ///
    /// # Errors
    /// What failed, naming the card.
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput>;

    /// As [`Self::run`]; but where nothing is left to do except reading a model's stream, that is left to whoever may read it
    /// elsewhere.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn begin(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<ChainProgress> {
        self.run(turn, sink).map(ChainProgress::Done)
    }
}

/// How far a chain came.
pub enum ChainProgress {
    Done(RunOutput),
    /// The text of this stream is its answer.
    Stream(Box<ReplyStream>, OpenCall),
}

impl ChainProgress {
    /// Asks a model whose reply is the answer.
    ///
    /// # Errors
    /// As [`Model::ask`].
    pub(crate) fn from_model(
        model: &Model,
        messages: Vec<ChatMessage>,
        turn: &RunContext<'_>,
        sink: &mut dyn TokenSink,
    ) -> Result<Self> {
        let request = ChatRequest { messages, ..ChatRequest::default() };
        Ok(match model.open(&request, turn.host, sink)? {
            ModelReply::Whole(completion) => Self::Done(RunOutput::from_text(completion.text)),
            ModelReply::Stream(stream, call) => Self::Stream(stream, call),
        })
    }

    /// The answer; what is left of it is read on this thread.
    ///
    /// # Errors
    /// As [`Chain::run`].
    pub fn complete(self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        match self {
            Self::Done(outcome) => Ok(outcome),
            Self::Stream(stream, call) => {
                call.follow(*stream, turn.host, sink).map(|completion| RunOutput::from_text(completion.text))
            }
        }
    }
}

/// A component that knows the earlier messages.
pub trait Memory: Send + Sync {
    /// The messages to send along, oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>>;

    /// A picture of one of these messages. `None` where this service stores none, for one that is gone, and for one that is
    /// larger.
    ///
    /// # Errors
    /// When it cannot be read.
    fn picture(&self, _file: &MessageFile, _bytes_max: usize, _host: &dyn Host) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Keeps a question and its answer, where the memory keeps them outside of this service. The service stores both in the
    /// conversation in any case.
    ///
    /// # Errors
    /// When they cannot be kept, naming the card.
    fn append(&self, _question: &str, _answer: &str, _host: &dyn Host) -> Result<()> {
        Ok(())
    }

    /// Forgets a conversation of this name, where the memory keeps it outside of this service. What its owner lets all who
    /// ask share stays.
    ///
    /// # Errors
    /// When it cannot be forgotten, naming the card.
    fn forget(&self, _session: &str, _host: &dyn Host) -> Result<()> {
        Ok(())
    }
}

/// SHA-256 of everything a model's reply depends on: its settings, the messages and the tools, but no credential.
pub type ReplyKey = [u8; 32];

/// A component that keeps whole replies of models. It is best effort: what it cannot keep or find, the model answers.
pub trait Cache: Send + Sync {
    /// The reply kept under this key.
    fn find(&self, key: &ReplyKey, host: &dyn Host) -> Option<Completion>;

    /// Keeps a reply that came to its end.
    fn store(&self, key: &ReplyKey, reply: &Completion, host: &dyn Host);
}

/// What a tool card becomes: one tool, or the several of a toolkit.
pub(crate) type Toolkit = Vec<Arc<dyn Tool>>;

/// A component a model can call.
pub trait Tool: Send + Sync {
    /// Name, description and arguments.
    fn spec(&self) -> ToolSpec;

    /// Runs it. The words of an error go back to the model as the observation.
    ///
    /// # Errors
    /// A sentence the model can act on, and whether the same call may have a result later.
    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError>;

    /// Runs it; what it returns has the chunks it leans on beside its text, when its owner wants them shown.
    ///
    /// # Errors
    /// As [`Self::call`].
    fn observe(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<Observation, CallError> {
        self.call(arguments, turn).map(|text| Observation { text, ..Observation::default() })
    }

    /// True when its output is the answer.
    fn returns_directly(&self) -> bool {
        false
    }
}

/// What a tool returned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observation {
    pub text: String,
    /// Chunks that go out with the answer.
    pub sources: Vec<Document>,
    pub pictures: Vec<Picture>,
}

/// A picture that a tool made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// A label, never a path.
    pub name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// A component that finds chunks.
pub trait Retriever: Send + Sync {
    /// The best chunks for `query`, best first.
    ///
    /// # Errors
    /// When the search fails.
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>>;

    /// How many chunks it returns at most, for components around it that are set to no number of their own.
    fn top_k(&self) -> usize {
        4
    }
}

/// A component that turns texts into vectors.
pub trait Embeddings: Send + Sync {
    /// One vector per chunk, all of one length, to be kept and found.
    ///
    /// # Errors
    /// When the provider fails.
    fn embed(&self, texts: &[&str], host: &dyn Host) -> Result<Vec<Vec<f32>>>;

    /// The space its vectors lie in, as far as the settings of its own card do not decide it: that of another card it
    /// leans on.
    fn space(&self) -> Space {
        Space::default()
    }

    /// The vector of a question, to find chunks with. Many models give it another one than a chunk with the same words,
    /// so whatever is looked for goes through here.
    ///
    /// # Errors
    /// As [`Self::embed`].
    fn embed_query(&self, text: &str, host: &dyn Host) -> Result<Vec<f32>> {
        Ok(self.embed(&[text], host)?.pop().unwrap_or_default())
    }
}

/// Vectors of different spaces cannot be compared: they come from another model, or from the same one set otherwise.
pub type Space = [u8; 32];

/// A component that reads a model's text into a value.
pub trait OutputParser: Send + Sync {
    /// What is added to the prompt.
    fn instructions(&self) -> String;

    /// Reads the text.
    ///
    /// # Errors
    /// Why it does not fit.
    fn parse(&self, text: &str) -> Result<Value, String>;

    /// Reads a reply of a model in a run, whose host knows who watches.
    ///
    /// # Errors
    /// As [`Self::parse`].
    fn parse_reply(&self, text: &str, _host: &dyn Host) -> Result<Value, String> {
        self.parse(text)
    }

    /// True when the model is asked once more after a text that does not fit.
    fn asks_again(&self) -> bool {
        false
    }
}

/// What a moderation decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModerationVerdict {
    Pass,
    /// The question is answered with this text instead.
    Block(String),
}

/// A component that looks at a question before the model does.
pub trait Moderation: Send + Sync {
    /// Judges the question.
    ///
    /// # Errors
    /// When it cannot be judged.
    fn judge(&self, turn: &RunContext<'_>) -> Result<ModerationVerdict>;
}

/// Asks every moderation in turn; the first block is the answer.
///
/// # Errors
/// When one of them fails.
pub fn moderate(moderations: &[Arc<dyn Moderation>], turn: &RunContext<'_>) -> Result<ModerationVerdict> {
    for moderation in moderations {
        if let block @ ModerationVerdict::Block(_) = moderation.judge(turn)? {
            return Ok(block);
        }
    }
    Ok(ModerationVerdict::Pass)
}

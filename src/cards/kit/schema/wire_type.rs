//! What cards can be wired into one another by.

/// What can be wired into an input: the base class the other card must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum WireType {
    Cache,
    ChatModel,
    LanguageModel,
    Memory,
    ChatMemory,
    Prompt,
    ChatPrompt,
    OutputParser,
    Moderation,
    Tool,
    Retriever,
    TextSplitter,
    VectorStore,
    VectorStoreRetriever,
    PromptRetriever,
    Document,
    Embeddings,
    RecordManager,
    Chain,
    Value,
    /// The components of engines, which have base classes of their own.
    Engine,
    EngineModel,
    EngineEmbeddings,
    EngineTool,
    IndexRetriever,
    Synthesizer,
    /// What stands in Multi-Agent and Sequential Agent flows.
    Supervisor,
    AgentState,
    Checkpointer,
    SequentialNode,
    LlmNode,
    /// The specialists of a team.
    Specialist,
}

impl WireType {
    /// The base class name in canvases.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Cache => "BaseCache",
            Self::ChatModel => "BaseChatModel",
            Self::LanguageModel => "BaseLanguageModel",
            Self::Memory => "BaseMemory",
            Self::ChatMemory => "BaseChatMemory",
            Self::Prompt => "BasePromptTemplate",
            Self::ChatPrompt => "ChatPromptTemplate",
            Self::OutputParser => "BaseLLMOutputParser",
            Self::Moderation => "Moderation",
            Self::Tool => "Tool",
            Self::Retriever => "BaseRetriever",
            Self::TextSplitter => "TextSplitter",
            Self::VectorStore => "VectorStore",
            Self::VectorStoreRetriever => "VectorStoreRetriever",
            Self::PromptRetriever => "PromptRetriever",
            Self::Document => "Document",
            Self::Embeddings => "Embeddings",
            Self::RecordManager => "RecordManager",
            Self::Chain => "BaseChain",
            Self::Value => "string | number | boolean | json | array",
            Self::Engine => "BaseQueryEngine",
            Self::EngineModel => "BaseChatModel_LlamaIndex",
            Self::EngineEmbeddings => "BaseEmbedding_LlamaIndex",
            Self::EngineTool => "QueryEngineTool",
            Self::IndexRetriever => "VectorIndexRetriever",
            Self::Synthesizer => "ResponseSynthesizer",
            Self::Supervisor => "Supervisor",
            Self::AgentState => "State",
            Self::Checkpointer => "BaseCheckpointSaver",
            Self::SequentialNode => {
                "Start | Agent | Condition | LLMNode | ToolNode | CustomFunction | ExecuteFlow"
            }
            Self::LlmNode => "LLMNode",
            Self::Specialist => "HarnessSpecialist",
        }
    }
}

//! Components that tell what they do for others, where somebody watches the cards of a run (manual 2.11). A model tells so itself,
//! and the card at the end of a flow is told of by the run.

use crate::cards::kit::knowledge::pieces::{DocumentPages, PieceVisitor};
use crate::cards::kit::knowledge::untrusted_text;
use crate::cards::kit::{
    CONTENT, Cache, CallError, CardWork, Chain, ChunkSpan, Component, Embeddings, Host, Loader, Memory,
    Model, Moderation, ModerationVerdict, Observation, OutputParser, ReplyKey, Retriever, RunContext,
    ScoredChunk, Space, Splitter, TokenSink, Tool, UpsertReport, VectorQuery, VectorStore, WatchedNode,
    called_tool,
};
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{Document, HistoryMessage, MessageRole, RunOutput, UsedTool};
use crate::llm::{Completion, ToolSpec};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The component of a node as others use it while somebody watches.
pub(in crate::engine) fn watched(component: Component, node: &WatchedNode) -> Component {
    match component {
        Component::Tools(tools) => {
            let watch = |tool| Arc::new(Watch { node: node.clone(), of: tool }) as Arc<dyn Tool>;
            Component::Tools(tools.into_iter().map(watch).collect())
        }
        Component::Retriever(of) => Component::Retriever(Arc::new(Watch { node: node.clone(), of })),
        Component::VectorStore(of) => Component::VectorStore(Arc::new(Watch { node: node.clone(), of })),
        Component::Embeddings(of) => Component::Embeddings(Arc::new(Watch { node: node.clone(), of })),
        Component::Memory(of) => Component::Memory(Arc::new(Watch { node: node.clone(), of })),
        Component::Moderation(of) => Component::Moderation(Arc::new(Watch { node: node.clone(), of })),
        Component::Chain(of) => Component::Chain(Arc::new(Watch { node: node.clone(), of })),
        Component::Loader(of) => Component::Loader(Arc::new(Watch { node: node.clone(), of })),
        Component::Splitter(of) => Component::Splitter(Arc::new(Watch { node: node.clone(), of })),
        Component::OutputParser(of) => Component::OutputParser(Arc::new(Watch { node: node.clone(), of })),
        Component::Cache(of) => Component::Cache(Arc::new(Watch { node: node.clone(), of })),
        // Models tell themselves, and the others do nothing for an answer or have no way to tell.
        other => other,
    }
}

/// A component of a node that is watched.
struct Watch<C: ?Sized> {
    node: WatchedNode,
    of: Arc<C>,
}

impl<C: ?Sized> Watch<C> {
    fn perform<T>(
        &self,
        host: &dyn Host,
        input: impl FnOnce() -> Map<String, Value>,
        work: impl FnOnce() -> Result<T>,
        output: impl FnOnce(&T) -> Map<String, Value>,
    ) -> Result<T> {
        CardWork::perform(Some(&self.node), host, input, work, output)
    }
}

impl Tool for Watch<dyn Tool> {
    fn spec(&self) -> ToolSpec {
        self.of.spec()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        self.observe(arguments, turn).map(|seen| seen.text)
    }

    fn observe(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<Observation, CallError> {
        let input = || {
            let name = self.of.spec().name;
            Map::from_iter([
                ("selectedTool".to_owned(), name.into()),
                ("toolInputArgs".to_owned(), arguments.clone()),
            ])
        };
        let begun = CardWork::begin(Some(&self.node), turn.host, input);
        let seen = self.of.observe(arguments, turn);
        // The marks around what strangers wrote are for models, and people read it as it is.
        let failed = |why: CallError| why.reworded(untrusted_text::unmark).at(self.node.label());
        let result = seen.as_ref().map_err(|why| failed(why.clone()));
        CardWork::end(begun, turn.host, &result, |seen| {
            let mut output = text_output(&untrusted_text::unmark(&seen.text));
            if !seen.sources.is_empty() {
                output.extend(documents_output(&seen.sources));
            }
            output
        });
        drop(result);
        seen
    }

    fn returns_directly(&self) -> bool {
        self.of.returns_directly()
    }
}

impl Retriever for Watch<dyn Retriever> {
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>> {
        let search = || self.of.retrieve(query, turn);
        self.perform(turn.host, || query_input(query), search, |found| documents_output(found))
    }

    fn top_k(&self) -> usize {
        self.of.top_k()
    }
}

impl VectorStore for Watch<dyn VectorStore> {
    fn upsert(&self, host: &dyn Host) -> Result<UpsertReport> {
        self.of.upsert(host)
    }

    fn nearest(&self, query: &VectorQuery<'_>, turn: &RunContext<'_>) -> Result<Vec<ScoredChunk>> {
        let input = || {
            let mut input = query_input(query.text);
            input.insert("most".to_owned(), query.most.into());
            input.extend(query.filter.map(|filter| ("filter".to_owned(), filter.clone())));
            input
        };
        let search = || self.of.nearest(query, turn);
        self.perform(turn.host, input, search, |found| {
            let chunk = |found: &ScoredChunk| {
                let Document { page_content, metadata } = &found.chunk;
                json!({"pageContent": page_content, "metadata": metadata, "score": found.score})
            };
            Map::from_iter([(SOURCES.to_owned(), found.iter().map(chunk).collect())])
        })
    }

    fn top_k(&self) -> usize {
        self.of.top_k()
    }

    fn append(&self, documents: &[Document], empties: bool, host: &dyn Host) -> Result<usize> {
        self.of.append(documents, empties, host)
    }

    fn model(&self) -> Option<Arc<Model>> {
        self.of.model()
    }
}

impl Embeddings for Watch<dyn Embeddings> {
    fn embed(&self, texts: &[&str], host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        // A store may bring all that it holds.
        let input = || Map::from_iter([("texts".to_owned(), texts.len().into())]);
        let embed = || self.of.embed(texts, host);
        self.perform(host, input, embed, |vectors| {
            vectors_output(vectors.len(), vectors.first().map_or(0, Vec::len))
        })
    }

    fn space(&self) -> Space {
        self.of.space()
    }

    fn embed_query(&self, text: &str, host: &dyn Host) -> Result<Vec<f32>> {
        let embed = || self.of.embed_query(text, host);
        self.perform(host, || query_input(text), embed, |vector| vectors_output(1, vector.len()))
    }
}

impl Memory for Watch<dyn Memory> {
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>> {
        let read = || self.of.messages(turn);
        self.perform(turn.host, Map::new, read, |messages| {
            let message = |said: &HistoryMessage| {
                let role = if said.role == MessageRole::User { "user" } else { "assistant" };
                json!({"role": role, "content": said.text})
            };
            Map::from_iter([("messages".to_owned(), messages.iter().map(message).collect())])
        })
    }

    fn picture(&self, file: &MessageFile, bytes_max: usize, host: &dyn Host) -> Result<Option<Vec<u8>>> {
        self.of.picture(file, bytes_max, host)
    }

    fn append(&self, question: &str, answer: &str, host: &dyn Host) -> Result<()> {
        self.of.append(question, answer, host)
    }

    fn forget(&self, session: &str, host: &dyn Host) -> Result<()> {
        self.of.forget(session, host)
    }
}

impl Moderation for Watch<dyn Moderation> {
    fn judge(&self, turn: &RunContext<'_>) -> Result<ModerationVerdict> {
        let judge = || self.of.judge(turn);
        self.perform(
            turn.host,
            || question_input(turn),
            judge,
            |verdict| match verdict {
                ModerationVerdict::Pass => Map::new(),
                ModerationVerdict::Block(answer) => text_output(answer),
            },
        )
    }
}

impl Chain for Watch<dyn Chain> {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        let answer = || self.of.run(turn, sink);
        self.perform(turn.host, || question_input(turn), answer, answer_output)
    }
}

impl Loader for Watch<dyn Loader> {
    fn load(&self, host: &dyn Host) -> Result<Vec<Document>> {
        self.perform(host, Map::new, || self.of.load(host), |loaded| counted_output("documents", loaded))
    }

    fn stream(&self, from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        self.of.stream(from, host, each)
    }

    fn pages(&self) -> Option<&dyn DocumentPages> {
        self.of.pages()
    }
}

impl Splitter for Watch<dyn Splitter> {
    fn split(&self, text: &str, host: &dyn Host) -> Result<Vec<ChunkSpan>> {
        self.of.split(text, host)
    }

    /// Told once for all documents: a store may bring thousands.
    fn split_documents(&self, documents: Vec<Document>, host: &dyn Host) -> Result<Option<Vec<Document>>> {
        let count = documents.len();
        let input = || Map::from_iter([("documents".to_owned(), count.into())]);
        let split = || self.of.split_documents(documents, host);
        self.perform(host, input, split, |chunks| {
            chunks.as_deref().map(|chunks| counted_output("chunks", chunks)).unwrap_or_default()
        })
    }
}

impl OutputParser for Watch<dyn OutputParser> {
    fn instructions(&self) -> String {
        self.of.instructions()
    }

    fn parse(&self, text: &str) -> Result<Value, String> {
        self.of.parse(text)
    }

    fn parse_reply(&self, text: &str, host: &dyn Host) -> Result<Value, String> {
        let begun = CardWork::begin(Some(&self.node), host, || text_input(text));
        let read = self.of.parse_reply(text, host);
        let told = read.as_ref().map_err(|fault| Error::RunFailed(format!("{}: {fault}", self.node.label())));
        CardWork::end(begun, host, &told, |value| value_output(value));
        read
    }

    fn asks_again(&self) -> bool {
        self.of.asks_again()
    }
}

impl Cache for Watch<dyn Cache> {
    /// What it is asked is told by the model in front of which it stands.
    fn find(&self, key: &ReplyKey, host: &dyn Host) -> Option<Completion> {
        let begun = CardWork::begin(Some(&self.node), host, Map::new);
        let found = self.of.find(key, host);
        CardWork::end(begun, host, &Ok::<_, Error>(found.as_ref()), |found| {
            let mut output = found.map(|reply| text_output(&reply.text)).unwrap_or_default();
            output.insert("found".to_owned(), found.is_some().into());
            output
        });
        found
    }

    fn store(&self, key: &ReplyKey, reply: &Completion, host: &dyn Host) {
        self.of.store(key, reply, host);
    }
}

const SOURCES: &str = "sourceDocuments";

/// What a chain is asked.
pub(super) fn question_input(turn: &RunContext<'_>) -> Map<String, Value> {
    Map::from_iter([("question".to_owned(), turn.question.into())])
}

/// What is looked for.
pub(super) fn query_input(query: &str) -> Map<String, Value> {
    Map::from_iter([("query".to_owned(), query.into())])
}

/// What a chain answers.
pub(super) fn answer_output(answer: &RunOutput) -> Map<String, Value> {
    let mut output = text_output(&answer.text);
    output.extend(answer.json.clone().map(|json| ("json".to_owned(), json)));
    if !answer.used_tools.is_empty() {
        let called = |used: &UsedTool| called_tool(&used.tool, &used.tool_input);
        output.insert("calledTools".to_owned(), answer.used_tools.iter().map(called).collect());
        output.insert("usedTools".to_owned(), json!(answer.used_tools));
    }
    if !answer.source_documents.is_empty() {
        output.extend(documents_output(&answer.source_documents));
    }
    output
}

/// What a parser reads.
fn text_input(text: &str) -> Map<String, Value> {
    Map::from_iter([("text".to_owned(), text.into())])
}

/// How many documents there are, and the first of them.
fn counted_output(name: &str, all: &[Document]) -> Map<String, Value> {
    const SHOWN_MAX: usize = 10;
    let mut output = documents_output(all.get(..SHOWN_MAX).unwrap_or(all));
    output.insert(name.to_owned(), all.len().into());
    output
}

/// What was found or loaded.
pub(super) fn documents_output(found: &[Document]) -> Map<String, Value> {
    Map::from_iter([(SOURCES.to_owned(), json!(found))])
}

/// A text or a structured result.
pub(super) fn value_output(value: &Value) -> Map<String, Value> {
    Map::from_iter([(CONTENT.to_owned(), value.clone())])
}

fn text_output(text: &str) -> Map<String, Value> {
    Map::from_iter([(CONTENT.to_owned(), text.into())])
}

fn vectors_output(count: usize, dimensions: usize) -> Map<String, Value> {
    Map::from_iter([("vectors".to_owned(), count.into()), ("dimensions".to_owned(), dimensions.into())])
}

//! Vector stores on other servers: what is alike for all of them. Each database is a file of its own over
//! [`VectorDatabase`].

use super::chunk_sender::ChunkSender;
use super::chunk_source::ChunkSource;
use super::records::{self, ChunkDiff, RecordManager, chunk_key};
use super::store_inputs::{self, StoreInputs};
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::conversations::conversation::Conversation;
use crate::domain::error::{Error, Result};
use crate::domain::knowledge::upsert::{ShownChunks, shown_of};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::RunContext;
use crate::kit::capabilities::Grant;
use crate::kit::capabilities::host::Host;
use crate::kit::capabilities::knowledge::Knowledge;
use crate::kit::knowledge::conversation_scope;
use crate::kit::knowledge::embedding::embed_query;
use crate::kit::knowledge::mmr::MmrSearch;
use crate::kit::knowledge::{ScoredChunk, UpsertReport, VectorQuery, VectorStore};
use crate::kit::{Input, Inputs, Output, WireType};
use crate::llm::{Endpoint, ModelError};
use crate::net::ResponseLimits;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

pub(crate) const RECORD_MANAGER: Input =
    Input::wire("recordManager", "Record Manager", WireType::RecordManager)
        .optional()
        .upsert_only()
        .help("Remembers which chunks are stored, so that only what changed is stored again.");

/// Names removed in one request.
const REMOVED_AT_ONCE: usize = 500;
/// Longest name of a collection.
const NAME_CHARS_MAX: usize = 255;
/// What a name in a path may hold as it is.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// Why a database gave nothing.
pub(crate) trait IntoCardError {
    /// The operation's error, naming the card that failed.
    fn into_card_error(self, card: &str) -> Error;
}

impl IntoCardError for ModelError {
    fn into_card_error(self, card: &str) -> Error {
        Self::at(self, card)
    }
}

pub(crate) trait VectorDatabase: Send + Sync {
    type Error: IntoCardError;

    /// Makes sure that there is a collection for vectors of this length.
    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> std::result::Result<(), Self::Error>;

    /// Stores chunks; one of the same name is replaced.
    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> std::result::Result<(), Self::Error>;

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> std::result::Result<(), Self::Error>;

    /// The chunks nearest to a vector, best first.
    fn nearest(
        &self,
        search: &VectorSearch<'_>,
        cancel: &CancelToken,
    ) -> std::result::Result<Vec<RemoteHit>, Self::Error>;
}

/// What a database is to look for.
#[derive(Clone, Copy)]
pub(crate) struct VectorSearch<'a> {
    /// What the vector was made of, for databases that look at words too.
    pub(crate) text: &'a str,
    pub(crate) vector: &'a [f32],
    /// At most so many.
    pub(crate) most: usize,
    /// Metadata they must have, beside the card's own filter.
    pub(crate) filter: Option<&'a Value>,
    pub(crate) conversation: ConversationFilter<'a>,
    pub(crate) with_vectors: bool,
}

/// Chunks for everybody, and those of one conversation.
#[derive(Clone, Copy)]
pub(crate) struct ConversationFilter<'a>(pub(crate) Option<&'a str>);

/// A chunk that was found.
pub(crate) struct RemoteHit {
    pub(crate) scored: ScoredChunk,
    /// Empty unless it was asked for.
    pub(crate) vector: Vec<f32>,
    /// The conversations it is of, by all that the database holds of it.
    conversations: Vec<Value>,
}

impl RemoteHit {
    /// `held` is all that the database holds of it beside its vector, just as it sent it.
    pub(crate) fn new(scored: ScoredChunk, held: &Value) -> Self {
        Self { scored, vector: Vec::new(), conversations: conversation_scope::conversation_tags(held) }
    }

    pub(crate) fn with_vector(self, vector: Vec<f32>) -> Self {
        Self { vector, ..self }
    }
}

/// A chunk with its vector, on its way to a database.
pub(crate) struct RemoteChunk<'a> {
    /// Made of what it says and where it is from: storing it again changes nothing.
    pub(crate) name: Uuid,
    pub(crate) vector: Vec<f32>,
    pub(crate) chunk: &'a Document,
}

/// A vector store card over a database.
pub(crate) struct RemoteVectorStore<D> {
    pub(super) inputs: StoreInputs,
    records: Option<Arc<dyn RecordManager>>,
    /// What the owner calls the collection.
    collection: String,
    most: usize,
    /// Chunks of one request at most.
    pub(super) batch: usize,
    uploads: bool,
    knowledge: Option<Grant<dyn Knowledge>>,
    mmr: Option<MmrSearch>,
    pub(super) database: D,
}

impl<D: VectorDatabase> RemoteVectorStore<D> {
    /// Reads what all such cards declare.
    ///
    /// # Errors
    /// When nothing makes vectors, or an input does not fit its declaration.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, collection: String, database: D) -> Result<Self> {
        let batch = if inputs.declares("batchSize") { inputs.whole("batchSize")? } else { None };
        Ok(Self {
            inputs: StoreInputs::from_inputs(inputs)?,
            records: inputs.optional_records(RECORD_MANAGER.name)?,
            collection,
            most: store_inputs::top_k(inputs)?,
            batch: batch.map_or(usize::MAX, |batch| usize::try_from(batch).unwrap_or(usize::MAX)),
            uploads: conversation_scope::is_on(inputs),
            knowledge: inputs.want(),
            mmr: MmrSearch::from_inputs(inputs)?,
            database,
        })
    }

    pub(super) fn card_result<T>(&self, done: std::result::Result<T, D::Error>) -> Result<T> {
        done.map_err(|fault| fault.into_card_error(self.inputs.label()))
    }

    fn sync(
        &self,
        chunks: ChunkSource<'_>,
        records: Option<&dyn RecordManager>,
        host: &dyn Host,
    ) -> Result<UpsertReport> {
        let namespace = records.map(|records| records.config().namespace_of(&self.collection, host));
        let namespace = namespace.unwrap_or_default();
        let known = records.map(|records| records.records(&namespace, host)).transpose()?.unwrap_or_default();
        let mut difference = ChunkDiff::default();
        let keeping = records.map(RecordManager::config);
        chunks.look(host, &mut |chunk| difference.note(chunk, keeping, |name| known.contains_key(name)))?;
        let gone = keeping.map(|keeping| difference.removed(known.iter(), keeping)).unwrap_or_default();
        let ChunkDiff { new: mut wanted, skipped, .. } = difference;
        let (mut stored, mut shown) = (Vec::new(), ShownChunks::default());
        let mut sending = ChunkSender::new(self, None, wanted.len(), host);
        chunks.take(host, &mut |chunk| {
            let name = chunk_key(&chunk);
            let Some(source) = wanted.remove(&name) else { return Ok(()) };
            stored.push((name, source));
            shown.push(&chunk);
            sending.push(Uuid::from_bytes(name), chunk)
        })?;
        sending.finish()?;
        let removed: Vec<Uuid> = gone.iter().map(|name| Uuid::from_bytes(*name)).collect();
        for some in removed.chunks(REMOVED_AT_ONCE) {
            self.card_result(self.database.remove(some, host.cancel()))?;
        }
        if let Some(records) = records {
            // Last, so that what a failure left out is new the next time; storing it again changes nothing.
            records::settle(records, &namespace, &stored, &gone, host)?;
        }
        Ok(UpsertReport {
            added: stored.len(),
            deleted: gone.len(),
            updated: 0,
            // Without records nobody knows what was there.
            skipped: if records.is_some() { skipped } else { 0 },
            total: known.len() + stored.len() - gone.len(),
            shown: shown.into_chunks(),
        })
    }

    /// Stores the files of a conversation. No record manager is asked: nothing of a conversation ever goes for something else.
    fn add_for_conversation(&self, conversation: &Conversation, host: &dyn Host) -> Result<UpsertReport> {
        let documents = self.inputs.documents(host)?;
        let documents = conversation_scope::tag_with_conversation(documents, conversation)?;
        let named = name_chunks(&documents);
        let knowledge = self.knowledge;
        let knowledge =
            knowledge.ok_or_else(|| self.inputs.card_error("it takes files on a server alone"))?;
        let library = knowledge.of(host)?.collections();
        let amount = conversation_scope::chunk_usage(named.iter().map(|(_, chunk)| *chunk));
        let leave = library.reserve(conversation, amount)?;
        ChunkSender::new(self, Some((library, leave)), named.len(), host).send(&named)?;
        let (added, total) = (named.len(), named.len());
        let shown = shown_of(named.into_iter().map(|(_, chunk)| chunk));
        Ok(UpsertReport { added, total, shown, ..UpsertReport::default() })
    }
}

impl<D: VectorDatabase> VectorStore for RemoteVectorStore<D> {
    fn upsert(&self, host: &dyn Host) -> Result<UpsertReport> {
        match host.conversation() {
            Some(conversation) => self.add_for_conversation(&conversation, host),
            None => self.sync(self.inputs.chunks(host)?, self.records.as_deref(), host),
        }
    }

    fn nearest(&self, query: &VectorQuery<'_>, turn: &RunContext<'_>) -> Result<Vec<ScoredChunk>> {
        let vector = embed_query(query.text, self.inputs.embeddings.as_ref(), turn.host)?;
        let conversation = turn.host.conversation().filter(|_| self.uploads);
        let chat = conversation.map(|own| own.chat.to_string());
        let fetched = self.mmr.map_or(query.most, |diverse| diverse.fetch_count(query.most));
        let search = VectorSearch {
            text: query.text,
            vector: &vector,
            most: fetched,
            filter: query.filter,
            // Another flow may let people send files into a collection that this one only reads: they would push out what
            // its own readers look for.
            conversation: ConversationFilter(chat.as_deref()),
            with_vectors: self.mmr.is_some(),
        };
        let mut found = self.card_result(self.database.nearest(&search, turn.host.cancel()))?;
        // Nothing depends on a filter alone, which looks where this card's names lead it.
        found.retain(|found| conversation_scope::visible_to(&found.conversations, conversation.as_ref()));
        found.sort_by(|one, other| other.scored.score.total_cmp(&one.scored.score));
        if let Some(diverse) = self.mmr {
            let vectors = found.iter_mut().map(|found| std::mem::take(&mut found.vector));
            let chosen = diverse.choose(&vector, vectors, query.most);
            let chosen = chosen.map_err(|misfit| self.inputs.card_error(misfit))?;
            return Ok(chosen.into_iter().map(|at| found[at].scored.clone()).collect());
        }
        found.truncate(query.most);
        Ok(found.into_iter().map(|found| found.scored).collect())
    }

    fn append(&self, documents: &[Document], empties: bool, host: &dyn Host) -> Result<usize> {
        if empties {
            let what = "a database on another server is not emptied; set the pipeline to append";
            return Err(self.inputs.card_error(what));
        }
        let named = name_chunks(documents);
        ChunkSender::new(self, None, named.len(), host).send(&named)?;
        if let Some(records) = &self.records {
            let named: Vec<_> = named.iter().map(|(name, chunk)| (*name.as_bytes(), *chunk)).collect();
            records::remember(records.as_ref(), &self.collection, &named, false, host)?;
        }
        Ok(named.len())
    }

    fn top_k(&self) -> usize {
        self.most
    }
}

/// Chunks under their names, each once.
fn name_chunks(documents: &[Document]) -> Vec<(Uuid, &Document)> {
    let mut seen = HashSet::new();
    let named = documents.iter().map(|chunk| (Uuid::from_bytes(chunk_key(chunk)), chunk));
    named.filter(|(name, _)| seen.insert(*name)).collect()
}

/// The outputs of a store.
pub(crate) const fn outputs(
    retriever: &'static [&'static str],
    store: &'static [&'static str],
    labels: [&'static str; 2],
) -> [Output; 2] {
    [
        Output { name: "retriever", label: labels[0], base_classes: retriever, predicts: false },
        Output { name: "vectorStore", label: labels[1], base_classes: store, predicts: false },
    ]
}

/// The endpoint of a database at an address of the owner's.
pub(crate) fn endpoint(inputs: &Inputs<'_>, base: &str, headers: &[(&str, String)]) -> Endpoint {
    let mut endpoint = Endpoint::new(inputs.host.outgoing().clone(), base, None);
    endpoint.headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    endpoint.limits = ResponseLimits {
        first_byte: Duration::from_secs(60),
        stall: Duration::from_secs(30),
        body_bytes: 32 * 1024 * 1024,
    };
    endpoint
}

/// A name that the owner typed, which stands in a path: it leads to no other place, whatever a question put into it.
///
/// # Errors
/// When it is no name.
pub(crate) fn path_name(inputs: &Inputs<'_>, input: &str) -> Result<(String, String)> {
    let name = inputs.text(input)?.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().all(|c| c == '.') {
        return Err(inputs.input_error(input, "this must be a name of 1 to 255 characters"));
    }
    let in_path = in_path(&name);
    Ok((name, in_path))
}

/// A text as a part of a path.
pub(crate) fn in_path(text: &str) -> String {
    utf8_percent_encode(text, IN_PATH).to_string()
}

/// The filter of a card, and the one of a search, as objects.
///
/// # Errors
/// When the card's is no object.
pub(crate) fn filter(inputs: &Inputs<'_>, input: &str) -> Result<Option<Map<String, Value>>> {
    let filter = inputs.object(input)?;
    Ok((!filter.is_empty()).then_some(filter))
}

/// A score of which larger is nearer, out of a distance.
pub(crate) fn score_from_distance(distance: f32) -> f32 {
    1.0 / (1.0 + distance.max(0.0))
}

/// How long a database may take for what it does after it has answered.
const WAIT_MAX: Duration = Duration::from_secs(10 * 60);
/// The waits between two looks, from the shortest to the longest.
const POLL_INTERVALS: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(2)];

/// Looks again and again whether a database has done what it said it would do later. `look` says true when it has.
///
/// # Errors
/// What `look` fails with, and when it takes too long or the run ends.
pub(crate) fn wait_until_done(
    cancel: &CancelToken,
    mut look: impl FnMut() -> std::result::Result<bool, ModelError>,
) -> std::result::Result<(), ModelError> {
    let ([mut wait, longest], mut waited) = (POLL_INTERVALS, Duration::ZERO);
    while !look()? {
        if waited >= WAIT_MAX {
            return Err(ModelError::TimedOut);
        }
        if !cancel.sleep(wait) {
            return Err(match cancel.reason() {
                Some(CancelReason::TimedOut) => ModelError::TimedOut,
                _ => ModelError::Cancelled,
            });
        }
        waited += wait;
        wait = (wait * 2).min(longest);
    }
    Ok(())
}

/// Metadata of plain values, for databases that take no others: what is nested is kept as JSON text.
pub(crate) fn flatten_metadata(metadata: &Map<String, Value>) -> Map<String, Value> {
    let entries = metadata.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
        let value = match value {
            Value::Array(_) | Value::Object(_) => Value::from(value.to_string()),
            plain => plain.clone(),
        };
        (name.clone(), value)
    });
    entries.collect()
}

/// An answer that is not in the form of its database.
pub(crate) fn malformed_answer() -> ModelError {
    ModelError::Garbled("it is no list of chunks".into())
}

/// Used by errors that name the card where no database is asked yet.
pub(crate) fn missing_input(inputs: &Inputs<'_>, input: &str) -> Error {
    inputs.input_error(input, "fill this in")
}

//! Documents through a pipeline, a batch at a time: memory does not grow with the sources.

use super::pending::PendingDocuments;
use super::plan::{PipelinePlan, Role, Stage};
use super::targets::TargetCard;
use crate::cards::kit::{
    Component, DocumentPiece, Loader, RunContext, SeenDocuments, Transform, TransformContext,
};
use crate::domain::error::{Error, Result};
use crate::domain::pipelines::run::{DocumentFailure, PipelineCounts, PipelinePhase, PipelinePosition};
use crate::domain::predictions::prediction::Document;
use crate::engine::credential::Credentials;
use crate::engine::run::build_all;
use serde_json::Value;
use std::sync::Arc;

/// Documents that a dry run reads (manual 14.8).
const DRY_DOCUMENTS_MAX: u64 = 100;
/// Documents that a dry run shows (manual 14.8).
const DRY_RESULTS_MAX: usize = 20;

/// What a batch came to.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) counts: PipelineCounts,
    pub(crate) failures: Vec<DocumentFailure>,
    /// Where the sources are read on from, when all of this batch is done.
    pub(crate) position: PipelinePosition,
    /// What a dry run would have written.
    pub(crate) results: Vec<Document>,
}

/// Who keeps what a run came to.
pub(crate) trait BatchRecorder: SeenDocuments {
    fn enter(&self, phase: PipelinePhase);

    /// Makes ready what a card fills on this server, before anything is read.
    ///
    /// # Errors
    /// When it is not there or cannot be written, naming the card.
    fn open(&self, card: &TargetCard<'_>) -> Result<()>;

    /// Writes documents into what was opened for a card; how many of them were not there already. They count when the batch
    /// is kept.
    ///
    /// # Errors
    /// When it cannot be written, naming the card.
    fn write(&self, node: &str, documents: &[Document]) -> Result<usize>;

    /// Keeps it; nothing of it is done again afterwards.
    ///
    /// # Errors
    /// When it cannot be kept, and [`Error::Cancelled`] when nobody wants the run any more.
    fn batch_done(&self, batch: Batch) -> Result<()>;
}

/// Which part of its sources a run reads.
#[derive(Debug)]
pub(crate) struct RunLimits {
    /// It reads some documents and writes none.
    pub(crate) is_dry: bool,
    /// It goes on from here.
    pub(crate) position: PipelinePosition,
}

/// Runs a pipeline to its end.
///
/// # Errors
/// When a source cannot be read, a target refuses, or the first document failed where that ends the run.
pub(crate) fn run(
    plan: &PipelinePlan,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
    limits: RunLimits,
    recorder: &dyn BatchRecorder,
) -> Result<()> {
    let parts = build_all(&plan.plan, turn, credentials, &plan.params)?;
    let read_before = limits.position.sources;
    let mut run = Run {
        plan,
        parts,
        turn,
        recorder,
        is_dry: limits.is_dry,
        pending: PendingDocuments::default(),
        taken: 0,
        shown: 0,
        batch: Batch { position: limits.position, ..Batch::default() },
    };
    run.open_targets()?;
    let is_source = |(_, stage): &(usize, &Stage)| stage.role == Role::Source;
    let sources = plan.stages.iter().enumerate().filter(is_source).skip(read_before);
    for (at, _) in sources {
        recorder.enter(PipelinePhase::Reading);
        run.read_source(at)?;
        if run.has_enough() {
            break;
        }
    }
    recorder.enter(PipelinePhase::Finishing);
    Ok(())
}

struct Run<'a> {
    plan: &'a PipelinePlan,
    parts: Vec<Option<Component>>,
    turn: &'a RunContext<'a>,
    recorder: &'a dyn BatchRecorder,
    is_dry: bool,
    /// The batch that is being gathered.
    pending: PendingDocuments,
    /// Documents of this run so far.
    taken: u64,
    /// Results so far.
    shown: usize,
    batch: Batch,
}

impl Run<'_> {
    /// True for a dry run that saw what it wanted to see.
    fn has_enough(&self) -> bool {
        self.is_dry && self.taken >= DRY_DOCUMENTS_MAX
    }

    fn open_targets(&self) -> Result<()> {
        for (at, stage) in self.plan.stages.iter().enumerate().filter(|_| !self.is_dry) {
            if let (Some(Component::Target(target)), Role::Target { replaces }) = (self.part(at), stage.role)
            {
                let card = TargetCard { node: &stage.node, label: &stage.label, target: &target, replaces };
                self.recorder.open(&card)?;
            }
        }
        Ok(())
    }

    fn read_source(&mut self, at: usize) -> Result<()> {
        let (loader, host) = (self.loader(at)?, self.turn.host);
        let from = self.batch.position.place.take();
        let mut resumed = from.clone().map(|place| (place, self.batch.position.documents));
        let read = loader.stream(from.as_deref(), host, &mut |piece| {
            let done = match &resumed {
                Some((place, done)) if piece.place.as_ref() == Some(place) => *done,
                _ => 0,
            };
            resumed = None;
            self.take_piece(at, piece, done)
        });
        // A source is told to stop by an error.
        if !self.has_enough() {
            read?;
        }
        self.flush(at)?;
        let position = &mut self.batch.position;
        position.sources += 1;
        (position.place, position.documents, position.is_lost) = (None, 0, false);
        self.keep_batch()
    }

    /// Takes the documents of a piece, without those that were `done` before the process ended.
    fn take_piece(&mut self, at: usize, piece: DocumentPiece, done: usize) -> Result<()> {
        Error::check_cancelled(self.turn.host.cancel())?;
        let documents = match piece.documents {
            Ok(documents) => documents,
            Err(fault) if is_of_document(&fault) => {
                if done > 0 {
                    return Ok(());
                }
                self.taken += 1;
                self.batch.counts.read += 1;
                let name = piece.name.or_else(|| piece.place.clone());
                let name = name.unwrap_or_else(|| self.taken.to_string());
                self.advance(&piece.place, 1);
                return self.fail(at, name, &fault);
            }
            Err(fault) => return Err(fault),
        };
        for (number, document) in documents.into_iter().enumerate().skip(done) {
            if !self.pending.has_room_for(&document) {
                self.flush(at)?;
            }
            self.taken += 1;
            self.pending.push(document);
            self.advance(&piece.place, number + 1);
            if self.pending.is_full() {
                self.flush(at)?;
            }
            if self.has_enough() {
                return Err(Error::Cancelled);
            }
        }
        Ok(())
    }

    fn advance(&mut self, place: &Option<String>, documents: usize) {
        let position = &mut self.batch.position;
        position.place.clone_from(place);
        (position.documents, position.is_lost) = (documents, place.is_none());
    }

    /// Sends the documents that wait through the pipeline.
    fn flush(&mut self, source: usize) -> Result<()> {
        let (documents, bytes) = std::mem::take(&mut self.pending).into_batch();
        self.batch.counts.read += documents.len() as u64;
        self.batch.counts.bytes_read += bytes as u64;
        let plan = self.plan;
        let mut waiting: Vec<Vec<Document>> = vec![Vec::new(); plan.stages.len()];
        pass_on(&plan.stages[source], documents, &mut waiting);
        for (at, stage) in plan.stages.iter().enumerate() {
            let documents = std::mem::take(&mut waiting[at]);
            if documents.is_empty() {
                continue;
            }
            match stage.role {
                Role::Source => {}
                Role::Transform => {
                    let made = self.transform(at, source, documents)?;
                    pass_on(stage, made, &mut waiting);
                }
                Role::Target { replaces } => self.write(at, replaces, documents)?,
            }
        }
        self.keep_batch()
    }

    fn keep_batch(&mut self) -> Result<()> {
        let position = self.batch.position.clone();
        let batch = std::mem::take(&mut self.batch);
        self.batch.position = position;
        self.recorder.batch_done(batch)
    }

    fn transform(&mut self, at: usize, source: usize, documents: Vec<Document>) -> Result<Vec<Document>> {
        let (transform, plan) = (self.transform_at(at)?, self.plan);
        let (host, seen) = (self.turn.host, self.recorder);
        let mut made = Vec::with_capacity(documents.len());
        for document in documents {
            Error::check_cancelled(host.cancel())?;
            let name = document_name(&document);
            let context = TransformContext { host, node: &plan.stages[at].node, seen };
            match transform.apply(document, &context) {
                Ok(some) if some.is_empty() => self.batch.counts.skipped += 1,
                Ok(some) => made.extend(some),
                Err(fault) if is_of_document(&fault) => {
                    let name = name.unwrap_or_else(|| self.taken.to_string());
                    self.fail(source, name, &fault)?;
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(made)
    }

    fn write(&mut self, at: usize, replaces: bool, mut documents: Vec<Document>) -> Result<()> {
        let all = documents.len();
        documents.retain(|document| !document.page_content.trim().is_empty());
        self.batch.counts.skipped += (all - documents.len()) as u64;
        if self.is_dry {
            let room = DRY_RESULTS_MAX.saturating_sub(self.shown);
            documents.truncate(room);
            self.shown += documents.len();
            self.batch.results.extend(documents);
            return Ok(());
        }
        if documents.is_empty() {
            return Ok(());
        }
        self.recorder.enter(PipelinePhase::Writing);
        let stage = &self.plan.stages[at];
        let written = match self.part(at) {
            Some(Component::Target(_)) => self.recorder.write(&stage.node, &documents)?,
            Some(Component::VectorStore(store)) => {
                let empties = replaces && !self.batch.position.emptied.contains(&stage.node);
                store
                    .append(&documents, empties, self.turn.host)
                    .map_err(|fault| named(fault, &stage.label))?;
                if empties {
                    self.batch.position.emptied.push(stage.node.clone());
                }
                documents.len()
            }
            _ => return Err(self.wrong_part(at, "this card takes no documents")),
        };
        self.batch.counts.written += written as u64;
        self.batch.counts.skipped += (documents.len() - written) as u64;
        self.recorder.enter(PipelinePhase::Reading);
        Ok(())
    }

    /// Counts a document that failed, and names it.
    fn fail(&mut self, source: usize, document: String, fault: &Error) -> Result<()> {
        if self.plan.fails_fast {
            return Err(Error::RunFailed(fault.to_string()));
        }
        self.batch.counts.failed += 1;
        let source = self.plan.stages[source].label.clone();
        self.batch.failures.push(DocumentFailure { document, source, message: fault.to_string() });
        Ok(())
    }

    fn part(&self, at: usize) -> Option<Component> {
        self.parts.get(self.plan.stages[at].step)?.clone()
    }

    fn wrong_part(&self, at: usize, what: &str) -> Error {
        Error::RunFailed(format!("{}: {what}", self.plan.stages[at].label))
    }

    fn loader(&self, at: usize) -> Result<Arc<dyn Loader>> {
        match self.part(at) {
            Some(Component::Loader(loader)) => Ok(loader),
            _ => Err(self.wrong_part(at, "set its output to Document")),
        }
    }

    fn transform_at(&self, at: usize) -> Result<Arc<dyn Transform>> {
        match self.part(at) {
            Some(Component::Transform(transform)) => Ok(transform),
            _ => Err(self.wrong_part(at, "this card passes no documents")),
        }
    }
}

/// Gives documents to all that follow a stage; the last one takes them, the others a copy.
fn pass_on(stage: &Stage, documents: Vec<Document>, waiting: &mut [Vec<Document>]) {
    if let Some((last, others)) = stage.next.split_last() {
        for &other in others {
            waiting[other].extend_from_slice(&documents);
        }
        waiting[*last].extend(documents);
    }
}

/// True for what is wrong with one document, and not with the run.
const fn is_of_document(fault: &Error) -> bool {
    matches!(fault, Error::RunFailed(_) | Error::Transient(_))
}

/// What its metadata call a document.
fn document_name(document: &Document) -> Option<String> {
    document.metadata.get("source").and_then(Value::as_str).map(str::to_owned)
}

/// A failure that says which card it is of.
fn named(fault: Error, label: &str) -> Error {
    match fault {
        Error::RunFailed(message) if !message.starts_with(label) => {
            Error::RunFailed(format!("{label}: {message}"))
        }
        other => other,
    }
}

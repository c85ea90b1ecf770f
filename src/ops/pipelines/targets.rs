//! What a run writes into files and document stores. Chunks are stored in the commit of their batch, and a file is flushed
//! before the commit that notes its length: so what the end of the process cuts off is written neither twice nor in part.

use super::seen;
use crate::app::App;
use crate::cards::kit::DocumentDigest;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId, PipelineFileId, WorkspaceId};
use crate::domain::knowledge::document_store::{PipelineCard, StoredChunk};
use crate::domain::pipelines::run::PipelineRun;
use crate::domain::pipelines::target::{
    PipelineFile, PipelineFileName, PipelineTarget, Remains, StagedChunks, UnfinishedFile,
};
use crate::domain::predictions::prediction::Document;
use crate::engine::pipeline::TargetCard;
use crate::files::chat_files::StoreFileError;
use crate::files::pipeline_files::PipelineFileWriter;
use crate::ops::knowledge::stores::pipeline_chunks::{self, ChunkBatch};
use crate::ops::workspace::quota;
use crate::store::tables::PIPELINE_FILES;
use crate::store::{Tx, WriteTx};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io;

/// The targets of a run that are open, by their cards.
#[derive(Default)]
pub(super) struct OpenTargets(BTreeMap<String, OpenTarget>);

struct OpenTarget {
    label: String,
    place: OpenPlace,
}

enum OpenPlace {
    File {
        name: PipelineFileName,
        id: PipelineFileId,
        writer: PipelineFileWriter,
        /// Bytes of it that are on disk.
        flushed: u64,
    },
    Store(OpenStore),
}

struct OpenStore {
    store: DocumentStoreId,
    loader: LoaderId,
    card: PipelineCard,
    /// What comes is kept back until the run is finished.
    replaces: bool,
    /// Chunks of the batch that is under way.
    pending: Vec<StoredChunk>,
}

/// A document as a line of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileRow<'d> {
    page_content: &'d str,
    metadata: &'d Map<String, Value>,
}

impl OpenTargets {
    /// Opens what a card writes, from where the run was.
    ///
    /// # Errors
    /// When it is not there or cannot be written, naming the card.
    pub(super) fn open(&mut self, app: &App, run: &PipelineRun, card: &TargetCard<'_>) -> Result<()> {
        let place = match card.target {
            PipelineTarget::File(name) => open_file(app, run, card, name)?,
            PipelineTarget::Store(store) => OpenPlace::Store(open_store(app, run, card, store)?),
        };
        self.0.insert(card.node.to_owned(), OpenTarget { label: card.label.to_owned(), place });
        Ok(())
    }

    /// The files that are open, as far as they are on disk.
    pub(super) fn unfinished_files(&self) -> BTreeMap<String, UnfinishedFile> {
        let file = |(node, target): (&String, &OpenTarget)| match &target.place {
            OpenPlace::File { name, id, flushed, .. } => {
                Some((node.clone(), UnfinishedFile { name: name.clone(), file: *id, bytes: *flushed }))
            }
            OpenPlace::Store(_) => None,
        };
        self.0.iter().filter_map(file).collect()
    }

    /// Writes documents; how many of them were not there already, which `is_first` tells for each in a scope.
    ///
    /// # Errors
    /// When the disk or the quota of the workspace does not take them, naming the card.
    pub(super) fn write(
        &mut self,
        (app, workspace): (&App, &WorkspaceId),
        node: &str,
        documents: &[Document],
        is_first: &dyn Fn([u8; 16], &DocumentDigest) -> Result<bool>,
    ) -> Result<usize> {
        let target = self.0.get_mut(node).ok_or_else(|| Error::internal("a target was not opened"))?;
        match &mut target.place {
            OpenPlace::File { writer, .. } => {
                let mut lines = Vec::new();
                for Document { page_content, metadata } in documents {
                    serde_json::to_writer(&mut lines, &FileRow { page_content, metadata })
                        .map_err(Error::internal)?;
                    lines.push(b'\n');
                }
                let room = quota::admit_file(app, workspace, lines.len() as u64);
                let _room = room.map_err(|refusal| refusal.of_card(&target.label))?;
                writer.append(&lines).map_err(|fault| Error::from(fault).of_card(&target.label))?;
                Ok(documents.len())
            }
            OpenPlace::Store(open) => {
                let before = open.pending.len();
                for document in documents {
                    if is_first(*open.loader.bytes(), &digest(document)?)? {
                        open.pending.push(StoredChunk {
                            id: ChunkId::next(),
                            text: document.page_content.clone(),
                            metadata: document.metadata.clone(),
                        });
                    }
                }
                Ok(open.pending.len() - before)
            }
        }
    }

    /// Waits until what was written into files is on disk.
    ///
    /// # Errors
    /// When the disk does not take it, naming the card.
    pub(super) fn flush_files(&mut self) -> Result<()> {
        for target in self.0.values_mut() {
            if let OpenPlace::File { writer, flushed, .. } = &mut target.place {
                *flushed = writer.flush().map_err(|fault| Error::from(fault).of_card(&target.label))?;
            }
        }
        Ok(())
    }

    /// Stores the chunks of the batch; those that are kept back are noted.
    ///
    /// # Errors
    /// When a store is gone or full, naming the card.
    pub(super) fn store_chunks(
        &self,
        tx: &WriteTx,
        run: &mut PipelineRun,
        (name, now): (&str, Timestamp),
    ) -> Result<()> {
        for (node, target) in &self.0 {
            let OpenPlace::Store(open) = &target.place else { continue };
            let batch = ChunkBatch {
                workspace: &run.workspace,
                store: &open.store,
                loader: open.loader,
                card: &open.card,
                chunks: &open.pending,
            };
            let stored = if open.replaces {
                let none = StagedChunks { store: open.store, loader: open.loader, chunks: 0, characters: 0 };
                batch.stage(tx, run.unfinished.staged.entry(node.clone()).or_insert(none))
            } else if open.pending.is_empty() {
                Ok(())
            } else {
                batch.append(tx, name, now)
            };
            stored.map_err(|fault| fault.of_card(&target.label))?;
        }
        Ok(())
    }

    /// The batch is stored: the next one begins.
    pub(super) fn begin_batch(&mut self) {
        for target in self.0.values_mut() {
            if let OpenPlace::Store(open) = &mut target.place {
                open.pending.clear();
            }
        }
    }
}

/// A file is written on from what the run noted, from what counts of it, or anew.
fn open_file(
    app: &App,
    run: &PipelineRun,
    card: &TargetCard<'_>,
    name: &PipelineFileName,
) -> Result<OpenPlace> {
    let known = match run.unfinished.files.get(card.node) {
        Some(UnfinishedFile { file, bytes, .. }) => Some((*file, *bytes)),
        None if card.replaces => None,
        None => app.store.read(|tx| find(tx, run, name))?.map(|file| (file.file, file.bytes)),
    };
    let (id, length) = known.unwrap_or_else(|| (PipelineFileId::random(), 0));
    let opened = app.pipeline_files.open_to_write(&run.workspace, &run.flow, &id, length);
    let writer = opened.map_err(|fault| match fault.kind() {
        io::ErrorKind::InvalidData => {
            let lost = "what was written before is not there any more; let it be replaced";
            Error::RunFailed(format!("{}: {lost}", card.label))
        }
        _ => Error::from(StoreFileError::from(fault)).of_card(card.label),
    })?;
    Ok(OpenPlace::File { name: name.clone(), id, writer, flushed: length })
}

fn open_store(
    app: &App,
    run: &PipelineRun,
    card: &TargetCard<'_>,
    store: &DocumentStoreId,
) -> Result<OpenStore> {
    let PipelineRun { workspace, flow, .. } = run;
    let of = PipelineCard { flow: *flow, node: card.node.to_owned() };
    let known = app.store.read(|tx| pipeline_chunks::loader_of(tx, workspace, store, &of));
    let known = known.map_err(|fault| fault.of_card(card.label))?;
    let staged = run.unfinished.staged.get(card.node).map(|staged| staged.loader);
    let loader = if card.replaces { staged } else { known };
    let loader = loader.unwrap_or_else(LoaderId::next);
    Ok(OpenStore { store: *store, loader, card: of, replaces: card.replaces, pending: Vec::new() })
}

/// What tells documents of a store apart.
fn digest(document: &Document) -> Result<DocumentDigest> {
    let metadata = serde_json::to_vec(&document.metadata).map_err(Error::internal)?;
    let text = Sha256::digest(&document.page_content);
    let hash = Sha256::new().chain_update(text).chain_update(metadata).finalize();
    let mut digest = DocumentDigest::default();
    digest.copy_from_slice(&hash[..16]);
    Ok(digest)
}

/// The file of this name, as it counts.
fn find(tx: &impl Tx, run: &PipelineRun, name: &PipelineFileName) -> Result<Option<PipelineFile>> {
    let files = PIPELINE_FILES.get(tx, &run.workspace, &run.flow)?.unwrap_or_default();
    Ok(files.into_iter().find(|file| file.name == *name))
}

/// Lets all that a finished run wrote count; what it takes the place of is left to remove.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn publish(
    tx: &WriteTx,
    run: &PipelineRun,
    remains: &mut Remains,
    (name, now): (&str, Timestamp),
) -> Result<()> {
    let mut files = PIPELINE_FILES.get(tx, &run.workspace, &run.flow)?.unwrap_or_default();
    for written in run.unfinished.files.values() {
        let UnfinishedFile { name, file, bytes } = written.clone();
        let replaced = files.iter().position(|known| known.name == name).map(|at| files.remove(at));
        remains.files.extend(replaced.filter(|known| known.file != file).map(|known| known.file));
        files.push(PipelineFile { name, file, bytes, run: run.id, date: now });
    }
    if !run.unfinished.files.is_empty() {
        PIPELINE_FILES.put(tx, &run.workspace, &run.flow, &files)?;
    }
    for (node, staged) in &run.unfinished.staged {
        let card = PipelineCard { flow: run.flow, node: node.clone() };
        let replaced = pipeline_chunks::publish(tx, &run.workspace, staged, &card, (name, now))?;
        remains.scopes.extend(replaced.iter().map(|loader| *loader.bytes()));
    }
    Ok(())
}

/// Gives up what a run wrote that was to count at its end; what it was to replace stays as it was.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn discard(tx: &WriteTx, run: &PipelineRun, remains: &mut Remains) -> Result<()> {
    let files = PIPELINE_FILES.get(tx, &run.workspace, &run.flow)?.unwrap_or_default();
    let counts = |id: &PipelineFileId| files.iter().any(|known| known.file == *id);
    let written = run.unfinished.files.values().map(|written| written.file);
    remains.files.extend(written.filter(|id| !counts(id)));
    for staged in run.unfinished.staged.values() {
        pipeline_chunks::discard(tx, staged)?;
        remains.scopes.push(*staged.loader.bytes());
    }
    Ok(())
}

/// Removes what nobody needs any more of a run.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn clear(app: &App, run: &PipelineRun) -> Result<()> {
    for file in &run.remains.files {
        app.pipeline_files.remove(&run.workspace, &run.flow, file);
    }
    run.remains.scopes.iter().try_for_each(|scope| seen::forget(app, &run.flow, scope))
}

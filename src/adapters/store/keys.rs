//! Database keys: fixed-width parts, joined here and nowhere else, so that byte order is the order of a list.

use crate::domain::ids::{
    AssistantId, ChatId, ChunkId, CollectionId, ConversationNameId, ConversationUploadsId, CredentialId,
    DocumentStoreId, ExecutionId, FeedbackId, FlowId, KeyId, LeadId, LoaderId, MailId, NamespaceId,
    OrganizationId, RoleId, TemplateId, ToolId, ToolServerId, UserId, VariableId, WebhookCallbackId,
    WorkspaceId,
};
use crate::domain::predictions::answer_time::TimeStep;
use crate::domain::predictions::consumption::{
    ConsumptionKey, ConsumptionSource, ConsumptionSubject, UtcDay,
};
use std::ops::Bound;
use uuid::Uuid;

/// What can name a record. Fixed-width ids and hashes, and text for the few tables whose key is a text.
pub trait AsKey {
    /// The bytes the key is built from.
    fn key(&self) -> &[u8];
}

/// An id of sixteen bytes, which is what a workspace-scoped key ends in.
pub trait RecordId: AsKey {
    /// Reads back what [`AsKey::key`] gave.
    fn from_key(bytes: [u8; 16]) -> Self;
}

macro_rules! record_ids {
    ($($id:ident),*) => {$(
        impl AsKey for $id {
            fn key(&self) -> &[u8] {
                self.bytes()
            }
        }
        impl RecordId for $id {
            fn from_key(bytes: [u8; 16]) -> Self {
                Self::from_bytes(bytes)
            }
        }
    )*};
}

record_ids!(
    AssistantId,
    ChatId,
    CollectionId,
    CredentialId,
    DocumentStoreId,
    ExecutionId,
    NamespaceId,
    FeedbackId,
    TemplateId,
    ToolId,
    ToolServerId,
    WebhookCallbackId,
    MailId,
    FlowId,
    KeyId,
    ConversationUploadsId,
    ConversationNameId,
    OrganizationId,
    RoleId,
    UserId,
    VariableId,
    WorkspaceId
);

impl AsKey for [u8; 32] {
    fn key(&self) -> &[u8] {
        self
    }
}

impl AsKey for [u8; 16] {
    fn key(&self) -> &[u8] {
        self
    }
}

impl AsKey for str {
    fn key(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Workspace ‖ id: the key of every record that belongs to a workspace.
pub(super) fn in_workspace(workspace: &WorkspaceId, id: &impl RecordId) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(workspace.bytes());
    key[16..].copy_from_slice(id.key());
    key
}

/// Workspace ‖ collection ‖ number: the blocks of a collection.
pub(super) fn block(workspace: &WorkspaceId, collection: &CollectionId, number: u64) -> [u8; 40] {
    let mut key = [0; 40];
    key[..32].copy_from_slice(&in_workspace(workspace, collection));
    key[32..].copy_from_slice(&number.to_be_bytes());
    key
}

/// Workspace ‖ namespace ‖ chunk: what a record manager remembers.
pub(super) fn chunk_record(workspace: &WorkspaceId, namespace: &NamespaceId, chunk: &[u8; 16]) -> [u8; 48] {
    let mut key = [0; 48];
    key[..32].copy_from_slice(&in_workspace(workspace, namespace));
    key[32..].copy_from_slice(chunk);
    key
}

/// Flow ‖ chat ‖ sequence: messages of a conversation, in the order they were stored.
pub(super) fn message(flow: &FlowId, chat: &ChatId, sequence: u64) -> [u8; 40] {
    let mut key = [0; 40];
    key[..16].copy_from_slice(flow.bytes());
    key[16..32].copy_from_slice(chat.bytes());
    key[32..].copy_from_slice(&sequence.to_be_bytes());
    key
}

/// Store ‖ loader ‖ chunk: chunks of a loader, in the order it brought them.
pub(super) fn chunk(store: &DocumentStoreId, loader: &LoaderId, chunk: &ChunkId) -> [u8; 48] {
    let mut key = [0; 48];
    key[..16].copy_from_slice(store.bytes());
    key[16..32].copy_from_slice(loader.bytes());
    key[32..].copy_from_slice(chunk.bytes());
    key
}

/// The loader and the chunk a chunk's key names; `None` for a key of another shape.
pub(super) fn parse_chunk(key: &[u8]) -> Option<(LoaderId, ChunkId)> {
    let key: &[u8; 48] = key.try_into().ok()?;
    let (loader, chunk) = (key[16..32].try_into().ok()?, key[32..].try_into().ok()?);
    Some((LoaderId::from_bytes(loader), ChunkId::from_bytes(chunk)))
}

/// Flow ‖ chat: the part that all messages of a conversation share.
pub(super) fn conversation(flow: &FlowId, chat: &ChatId) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(flow.bytes());
    key[16..].copy_from_slice(chat.bytes());
    key
}

/// The conversation and the sequence a message's key names; `None` for a key of another shape.
pub(super) fn parse_message(key: &[u8]) -> Option<(FlowId, ChatId, u64)> {
    let key: &[u8; 40] = key.try_into().ok()?;
    let (flow, chat) = (key[..16].try_into().ok()?, key[16..32].try_into().ok()?);
    Some((FlowId::from_bytes(flow), ChatId::from_bytes(chat), sequence(key)?))
}

/// Flow ‖ change: the part that all rows of what a change of Live answered share.
pub(super) fn version(flow: &FlowId, change: &Uuid) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(flow.bytes());
    key[16..].copy_from_slice(change.as_bytes());
    key
}

/// Flow ‖ change ‖ sequence: answers of a change of Live, in the order they were stored.
pub(super) fn version_answer(flow: &FlowId, change: &Uuid, sequence: u64) -> [u8; 40] {
    let mut key = [0; 40];
    key[..32].copy_from_slice(&version(flow, change));
    key[32..].copy_from_slice(&sequence.to_be_bytes());
    key
}

/// Flow ‖ change ‖ kind ‖ bucket: how many of a version's answers fall into a bucket.
pub(super) fn version_count(version: &[u8; 32], kind: u8, bucket: u64) -> [u8; 41] {
    let mut key = [0; 41];
    key[..32].copy_from_slice(version);
    key[32] = kind;
    key[33..].copy_from_slice(&bucket.to_be_bytes());
    key
}

/// Flow ‖ kind ‖ number: what a change of Live, or a commit, is called otherwise.
pub(super) fn version_name(flow: &FlowId, kind: u8, number: &[u8]) -> Vec<u8> {
    [flow.bytes().as_slice(), &[kind], number].concat()
}

/// Flow ‖ lead: leads of a flow, in the order they came.
pub(super) fn lead(flow: &FlowId, lead: &LeadId) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(flow.bytes());
    key[16..].copy_from_slice(lead.bytes());
    key
}

/// The flow and the lead a lead's key names; `None` for a key of another shape.
pub(super) fn parse_lead(key: &[u8]) -> Option<(FlowId, LeadId)> {
    let key: &[u8; 32] = key.try_into().ok()?;
    Some((FlowId::from_bytes(key[..16].try_into().ok()?), LeadId::from_bytes(key[16..].try_into().ok()?)))
}

/// Flow ‖ chat ‖ lead: leads of a conversation, in the order they came.
pub(super) fn lead_of_conversation(flow: &FlowId, chat: &ChatId, lead: &LeadId) -> [u8; 48] {
    let mut key = [0; 48];
    key[..32].copy_from_slice(&conversation(flow, chat));
    key[32..].copy_from_slice(lead.bytes());
    key
}

/// Flow ‖ sequence: all messages of a flow, in the order they were stored.
pub(super) fn timeline(flow: &FlowId, sequence: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(flow.bytes());
    key[16..].copy_from_slice(&sequence.to_be_bytes());
    key
}

/// Flow ‖ scope: the part that all documents share which a run of a pipeline saw.
pub(super) fn pipeline_scope(flow: &FlowId, scope: &[u8; 16]) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(flow.bytes());
    key[16..].copy_from_slice(scope);
    key
}

/// Flow ‖ scope ‖ digest: a document that a card of a pipeline saw.
pub(super) fn pipeline_digest(flow: &FlowId, scope: &[u8; 16], digest: &[u8; 16]) -> [u8; 48] {
    let mut key = [0; 48];
    key[..32].copy_from_slice(&pipeline_scope(flow, scope));
    key[32..].copy_from_slice(digest);
    key
}

/// The sequence a message or timeline key ends in; `None` for a key of another shape.
pub(super) fn sequence(key: &[u8]) -> Option<u64> {
    let last = key.len().checked_sub(8)?;
    Some(u64::from_be_bytes(key[last..].try_into().ok()?))
}

/// Bytes that tell one list of runs from another.
pub(super) type ExecutionScopeBytes = [u8; 18];

/// Workspace ‖ scope: the part that all rows of a list of runs share.
pub(super) fn execution_scope(workspace: &WorkspaceId, scope: &ExecutionScopeBytes) -> [u8; 34] {
    let mut key = [0; 34];
    key[..16].copy_from_slice(workspace.bytes());
    key[16..].copy_from_slice(scope);
    key
}

/// Workspace ‖ scope ‖ milliseconds ‖ execution: the runs of a list, by time.
pub(super) fn execution_index(
    workspace: &WorkspaceId,
    scope: &ExecutionScopeBytes,
    time: u64,
    id: &[u8; 16],
) -> [u8; 58] {
    let mut key = [0; 58];
    key[..34].copy_from_slice(&execution_scope(workspace, scope));
    key[34..42].copy_from_slice(&time.to_be_bytes());
    key[42..].copy_from_slice(id);
    key
}

/// The time and the execution that a key of the index names; `None` for a key of another shape.
pub(super) fn parse_execution_index(key: &[u8]) -> Option<(u64, ExecutionId)> {
    let key: &[u8; 58] = key.try_into().ok()?;
    let (time, id) = (key[34..42].try_into().ok()?, key[42..].try_into().ok()?);
    Some((u64::from_be_bytes(time), ExecutionId::from_bytes(id)))
}

/// Workspace ‖ scope ‖ level ‖ bucket: how many runs of a list fall into a stretch of time.
pub(super) fn execution_count(
    workspace: &WorkspaceId,
    scope: &ExecutionScopeBytes,
    level: u8,
    bucket: u64,
) -> [u8; 43] {
    let mut key = [0; 43];
    key[..34].copy_from_slice(&execution_scope(workspace, scope));
    key[34] = level;
    key[35..].copy_from_slice(&bucket.to_be_bytes());
    key
}

/// As [`execution_count`], of the list that a key of the index belongs to.
pub(super) fn execution_count_of(row: &[u8; 58], level: u8, bucket: u64) -> [u8; 43] {
    let mut key = [0; 43];
    key[..34].copy_from_slice(&row[..34]);
    key[34] = level;
    key[35..].copy_from_slice(&bucket.to_be_bytes());
    key
}

/// Execution ‖ number: a step of a run by when it began, or a place in its record.
pub(super) fn execution_part(execution: &ExecutionId, number: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(execution.bytes());
    key[16..].copy_from_slice(&number.to_be_bytes());
    key
}

/// Flow ‖ digest: a canvas that runs began with.
pub(super) fn paused_canvas(flow: &FlowId, digest: &[u8; 32]) -> [u8; 48] {
    let mut key = [0; 48];
    key[..16].copy_from_slice(flow.bytes());
    key[16..].copy_from_slice(digest);
    key
}

/// Flow ‖ digest ‖ execution: a run that waits, with the canvas it began with.
pub(super) fn paused_run(flow: &FlowId, digest: &[u8; 32], execution: &ExecutionId) -> [u8; 64] {
    let mut key = [0; 64];
    key[..48].copy_from_slice(&paused_canvas(flow, digest));
    key[48..].copy_from_slice(execution.bytes());
    key
}

/// Flow ‖ hash: something that a call of the flow's webhook said.
pub(super) fn webhook_hash(flow: &FlowId, hash: &[u8; 32]) -> [u8; 48] {
    let mut key = [0; 48];
    key[..16].copy_from_slice(flow.bytes());
    key[16..].copy_from_slice(hash);
    key
}

/// Flow ‖ milliseconds ‖ hash: answers of a flow's webhook in the order of their calls.
pub(super) fn webhook_answer(flow: &FlowId, milliseconds: u64, hash: &[u8; 32]) -> [u8; 56] {
    let mut key = [0; 56];
    key[..16].copy_from_slice(flow.bytes());
    key[16..24].copy_from_slice(&milliseconds.to_be_bytes());
    key[24..].copy_from_slice(hash);
    key
}

/// The time and the hash of what [`webhook_answer`] made.
pub(super) fn parse_webhook_answer(key: &[u8]) -> Option<(u64, [u8; 32])> {
    let milliseconds = key.get(16..24)?.try_into().ok()?;
    Some((u64::from_be_bytes(milliseconds), key.get(24..)?.try_into().ok()?))
}

/// Bytes of a key of what was counted, before what it is about.
const CONSUMPTION_HEAD: usize = 16 + 4 + 1 + 16 + 16;

/// The first key of a day of what was counted in a workspace.
pub(super) fn consumption_day(workspace: &WorkspaceId, day: UtcDay) -> [u8; 20] {
    let mut key = [0; 20];
    key[..16].copy_from_slice(workspace.bytes());
    key[16..].copy_from_slice(&day.number().to_be_bytes());
    key
}

/// What no name of a model begins with, because no text does: a step of time comes behind it.
const CONSUMPTION_TIME: u8 = 0xff;

/// A row of what was counted; zeros stand for no key, and nothing for the questions themselves.
pub(super) fn consumption(workspace: &WorkspaceId, row: &ConsumptionKey) -> Vec<u8> {
    let time;
    let subject = match &row.subject {
        ConsumptionSubject::Questions => &[],
        ConsumptionSubject::Model(name) => name.as_bytes(),
        ConsumptionSubject::Time(step) => {
            time = [CONSUMPTION_TIME, step.number()];
            &time
        }
    };
    let mut key = Vec::with_capacity(CONSUMPTION_HEAD + subject.len());
    key.extend(consumption_day(workspace, row.day));
    key.push(match row.source {
        ConsumptionSource::Asked => 0,
        ConsumptionSource::Test => 1,
    });
    key.extend(row.flow.bytes());
    key.extend(row.key.as_ref().map_or(&[0; 16], KeyId::bytes));
    key.extend(subject);
    key
}

/// What a key of [`consumption`] counts; `None` for a key of another shape.
pub(super) fn parse_consumption(key: &[u8]) -> Option<ConsumptionKey> {
    let (_workspace, rest) = key.split_first_chunk::<16>()?;
    let (day, rest) = rest.split_first_chunk()?;
    let (&source, rest) = rest.split_first()?;
    let (flow, rest) = rest.split_first_chunk()?;
    let (shown, subject) = rest.split_first_chunk()?;
    let source = match source {
        0 => ConsumptionSource::Asked,
        1 => ConsumptionSource::Test,
        _ => return None,
    };
    Some(ConsumptionKey {
        day: UtcDay::from_number(u32::from_be_bytes(*day)),
        source,
        flow: FlowId::from_bytes(*flow),
        key: Some(*shown).filter(|shown| *shown != [0; 16]).map(KeyId::from_bytes),
        subject: match subject {
            [] => ConsumptionSubject::Questions,
            [CONSUMPTION_TIME, step] => ConsumptionSubject::Time(TimeStep::from_number(*step)?),
            name => ConsumptionSubject::Model(std::str::from_utf8(name).ok()?.to_owned()),
        },
    })
}

/// A run of neighbouring keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

impl KeyRange {
    #[must_use]
    pub const fn all() -> Self {
        Self { start: Vec::new(), end: None }
    }

    /// Every key that begins with `prefix`.
    #[must_use]
    pub fn prefix(prefix: &[u8]) -> Self {
        // The first key after the prefix: its last byte that can grow, grown by one.
        let end = prefix.iter().rposition(|byte| *byte != u8::MAX).map(|last| {
            let mut end = prefix[..=last].to_vec();
            end[last] += 1;
            end
        });
        Self { start: prefix.to_vec(), end }
    }

    /// Every key from `from` up to and without `below`.
    #[must_use]
    pub fn between(from: &[u8], below: &[u8]) -> Self {
        Self::new(from, Some(below))
    }

    /// From the first key up to and without the second, or to the end of the table.
    pub(super) fn new(start: &[u8], end: Option<&[u8]>) -> Self {
        Self { start: start.to_vec(), end: end.map(<[u8]>::to_vec) }
    }

    /// The rest of it, from this key on.
    #[must_use]
    pub(super) fn starting_at(self, start: &[u8]) -> Self {
        Self { start: start.to_vec(), end: self.end }
    }

    pub(super) fn start(&self) -> &[u8] {
        &self.start
    }

    /// The first key that is not in it any more; `None` when it goes to the end of the table.
    pub(super) fn end(&self) -> Option<&[u8]> {
        self.end.as_deref()
    }

    pub(super) fn contains(&self, key: &[u8]) -> bool {
        *self.start <= *key && self.end().is_none_or(|end| key < end)
    }

    pub(super) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        let end = self.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        (Bound::Included(&self.start), end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_next_one() {
        assert_eq!(KeyRange::prefix(&[1, 2]).end, Some(vec![1, 3]));
        assert_eq!(KeyRange::prefix(&[1, 255]).end, Some(vec![2]));
        assert_eq!(KeyRange::prefix(&[255, 255]).end, None);
        assert_eq!(KeyRange::prefix(&[]), KeyRange::all());
    }

    #[test]
    fn sequences_sort_as_numbers() {
        let flow = FlowId::random();
        assert!(timeline(&flow, 255) < timeline(&flow, 256));
        assert_eq!(sequence(&timeline(&flow, 77)), Some(77));
        assert_eq!(sequence(&message(&flow, &ChatId::random(), u64::MAX)), Some(u64::MAX));
        assert_eq!(sequence(&[1]), None);
    }
}

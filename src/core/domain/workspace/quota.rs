//! What a workspace may hold and use, where the owner of the service bounds it (manual 5.17).

use crate::domain::predictions::consumption::{Budget, DayUse};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Largest number in the quota of a workspace (manual 14.15).
const QUOTA_MAX: u64 = 1_000_000_000_000;

/// The bounds of a workspace; what is `None` has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkspaceQuota {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flows: Option<u64>,
    /// Of its document stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    /// Of these chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<u64>,
    /// Chunks that are kept here with their vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<u64>,
    /// Of the files of its flows, document stores, conversations and pipelines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// What a workspace holds that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaKind {
    Flows,
    Chunks,
    Characters,
    Vectors,
    FileBytes,
}

/// Something for which the quota of a workspace has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaRefusal {
    pub kind: QuotaKind,
    pub limit: u64,
    pub used: u64,
    /// What was to come on top of it.
    pub more: u64,
}

/// What a workspace holds, and what was used today.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkspaceUse {
    pub flows: u64,
    pub chunks: u64,
    pub characters: u64,
    pub vectors: u64,
    pub file_bytes: u64,
    pub today: DayUse,
}

impl WorkspaceQuota {
    /// Reads `{"flows", "chunks", "characters", "vectors", "fileBytes", "budget"}`; `None` where nothing is bounded.
    ///
    /// # Errors
    /// What a value must be that is none of a quota.
    pub fn parse(sent: &Value) -> Result<Option<Self>, String> {
        let Value::Object(fields) = sent else { return Err("it must be an object".to_owned()) };
        let mut quota = Self::default();
        for (name, value) in fields {
            if name == "budget" {
                quota.budget = Budget::parse(Some(value)).map_err(|why| format!("budget: {why}"))?;
                continue;
            }
            let kind = QuotaKind::ALL.into_iter().find(|kind| kind.name() == name);
            let kind = kind.ok_or_else(|| {
                "it holds flows, chunks, characters, vectors, fileBytes and budget, and nothing else"
                    .to_owned()
            })?;
            let is_bound = |number: &u64| *number <= QUOTA_MAX;
            *quota.limit_mut(kind) = match value {
                Value::Null => None,
                value => Some(
                    value
                        .as_u64()
                        .filter(is_bound)
                        .ok_or_else(|| format!("{name} must be a whole number from 0 to {QUOTA_MAX}"))?,
                ),
            };
        }
        Ok((quota != Self::default()).then_some(quota))
    }

    const fn limit_mut(&mut self, kind: QuotaKind) -> &mut Option<u64> {
        match kind {
            QuotaKind::Flows => &mut self.flows,
            QuotaKind::Chunks => &mut self.chunks,
            QuotaKind::Characters => &mut self.characters,
            QuotaKind::Vectors => &mut self.vectors,
            QuotaKind::FileBytes => &mut self.file_bytes,
        }
    }

    /// The bound of what is counted.
    #[must_use]
    pub const fn limit(&self, kind: QuotaKind) -> Option<u64> {
        match kind {
            QuotaKind::Flows => self.flows,
            QuotaKind::Chunks => self.chunks,
            QuotaKind::Characters => self.characters,
            QuotaKind::Vectors => self.vectors,
            QuotaKind::FileBytes => self.file_bytes,
        }
    }

    /// Refuses `more` on top of what is `used`. A bound that was set below what is there keeps nothing from getting less.
    ///
    /// # Errors
    /// What has no room.
    pub const fn admit(&self, kind: QuotaKind, used: u64, more: u64) -> Result<(), QuotaRefusal> {
        match self.limit(kind) {
            Some(limit) if more > 0 && used.saturating_add(more) > limit => {
                Err(QuotaRefusal { kind, limit, used, more })
            }
            _ => Ok(()),
        }
    }
}

impl QuotaKind {
    const ALL: [Self; 5] = [Self::Flows, Self::Chunks, Self::Characters, Self::Vectors, Self::FileBytes];

    /// As a quota is sent.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flows => "flows",
            Self::Chunks => "chunks",
            Self::Characters => "characters",
            Self::Vectors => "vectors",
            Self::FileBytes => "fileBytes",
        }
    }

    /// True for what is full when a disk is.
    #[must_use]
    pub const fn is_of_disk(self) -> bool {
        matches!(self, Self::FileBytes)
    }

    /// What a number of them is called.
    const fn words(self, number: u64) -> &'static str {
        match (self, number) {
            (Self::Flows, 1) => "flow",
            (Self::Flows, _) => "flows",
            (Self::Chunks, 1) => "chunk of document stores",
            (Self::Chunks, _) => "chunks of document stores",
            (Self::Characters, 1) => "character in chunks of document stores",
            (Self::Characters, _) => "characters in chunks of document stores",
            (Self::Vectors, 1) => "chunk with vectors",
            (Self::Vectors, _) => "chunks with vectors",
            (Self::FileBytes, 1) => "byte of files",
            (Self::FileBytes, _) => "bytes of files",
        }
    }
}

impl fmt::Display for QuotaRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, limit, used, more } = self;
        let (name, words) = (kind.name(), kind.words(*limit));
        let are = if *used == 1 { "is" } else { "are" };
        write!(
            f,
            "The quota '{name}' of this workspace is {limit} {words}, of which {used} {are} used, so there is no room for {more} \
             more. Remove what is not needed, or ask the owner of the service for a larger quota."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_quota_holds_whole_numbers_and_a_budget() {
        let read = |sent: Value| WorkspaceQuota::parse(&sent);
        assert_eq!(read(json!({})), Ok(None));
        assert_eq!(read(json!({"flows": null, "budget": {}})), Ok(None));
        let quota =
            read(json!({"flows": 0, "fileBytes": 5, "budget": {"questionsPerDay": 2}})).unwrap().unwrap();
        assert_eq!((quota.flows, quota.chunks, quota.file_bytes), (Some(0), None, Some(5)));
        assert_eq!(quota.budget.unwrap().questions_per_day, Some(2));
        for wrong in [
            json!(5),
            json!([]),
            json!({"flows": -1}),
            json!({"flows": "5"}),
            json!({"vectors": 1.5}),
            json!({"chunks": 1_000_000_000_001_u64}),
            json!({"tokensPerDay": 5}),
            json!({"budget": {"tokensPerDay": 0}}),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_does_not_grow_is_let_through() {
        let quota = WorkspaceQuota { flows: Some(3), ..WorkspaceQuota::default() };
        assert_eq!(quota.admit(QuotaKind::Flows, 2, 1), Ok(()));
        assert_eq!(quota.admit(QuotaKind::Flows, 9, 0), Ok(()));
        assert_eq!(quota.admit(QuotaKind::Chunks, 9, 9), Ok(()));
        assert!(quota.admit(QuotaKind::Flows, 3, 1).is_err());
    }

    #[test]
    fn a_refusal_is_a_sentence_for_one_as_for_many() {
        let told = |limit, used| QuotaRefusal { kind: QuotaKind::Flows, limit, used, more: 1 }.to_string();
        assert!(
            told(3, 1).contains("'flows' of this workspace is 3 flows, of which 1 is used, so"),
            "{}",
            told(3, 1)
        );
        assert!(told(1, 0).contains("is 1 flow, of which 0 are used, so"), "{}", told(1, 0));
    }
}

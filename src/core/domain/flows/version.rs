//! A version: one entry of a flow's history (manual 6.1), and what goes into one.

use super::flow::FlowKind;
use super::references::RecordReference;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, UserId};
use jiff::Timestamp;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use uuid::Uuid;

/// What a version shows in place of a person: saves by an API key or by the service itself.
pub const SYSTEM_AUTHOR: &str = "Flowkeep";

/// What made a version (manual 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum VersionKind {
    Create,
    Save,
    /// An older version put back to Live.
    Restore,
    Publish,
    /// Live put back to an older version.
    Rollback,
    /// A version copied from Dev.
    Promote,
    Delete,
    /// A commit the service did not write.
    Unknown,
}

impl VersionKind {
    pub const ALL: [Self; 8] = [
        Self::Create,
        Self::Save,
        Self::Restore,
        Self::Publish,
        Self::Rollback,
        Self::Promote,
        Self::Delete,
        Self::Unknown,
    ];

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Save => "save",
            Self::Restore => "restore",
            Self::Publish => "publish",
            Self::Rollback => "rollback",
            Self::Promote => "promote",
            Self::Delete => "delete",
            Self::Unknown => "unknown",
        }
    }

    /// True for the kinds that set Live on purpose (manual 6.1).
    #[must_use]
    pub const fn is_published(self) -> bool {
        matches!(self, Self::Publish | Self::Rollback | Self::Promote)
    }

    /// True for what `lastPublished` counts: the last Publish or Roll back (manual 5.5, 6.4).
    #[must_use]
    pub const fn is_last_publish(self) -> bool {
        matches!(self, Self::Publish | Self::Rollback)
    }
}

impl fmt::Display for VersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A full commit id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline, extend("pattern" = "^[0-9a-f]{7,40}$")))]
pub struct Sha([u8; 20]);

impl Sha {
    /// Reads 40 lowercase hex characters; any other text is not an id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let prefix = ShaPrefix::parse(text).ok()?;
        (prefix.as_str().len() == 40).then(|| Self(prefix.lowest()))
    }

    /// An id from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    #[must_use]
    pub const fn bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// The first 7 characters, for people (manual 6.1).
    #[must_use]
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(7);
        text
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha({self})")
    }
}

impl From<Sha> for String {
    fn from(sha: Sha) -> Self {
        sha.to_string()
    }
}

impl TryFrom<String> for Sha {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a commit id has 40 lowercase hex characters")
    }
}

/// The start of a commit id, as it stands in a path: 7 to 40 lowercase hex characters (manual 6.1 r2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShaPrefix(String);

impl ShaPrefix {
    /// Reads the `:sha` of a path.
    ///
    /// # Errors
    /// 400 for anything but 7 to 40 lowercase hex characters.
    pub fn parse(text: &str) -> Result<Self> {
        let hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !hex || !(7..=40).contains(&text.len()) {
            return Err(Error::invalid("Invalid sha: a version id has 7 to 40 lowercase hex characters."));
        }
        Ok(Self(text.to_owned()))
    }

    /// The characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when `sha` starts with these characters.
    #[must_use]
    pub fn matches(&self, sha: &Sha) -> bool {
        sha.to_string().starts_with(&self.0)
    }

    /// The bytes every matching id starts with; half a byte at the end is left out.
    #[must_use]
    pub fn whole_bytes(&self) -> Vec<u8> {
        self.lowest()[..self.0.len() / 2].to_vec()
    }

    /// The 404 of a version that is not there, or that more than one version could be (manual 6.1 r2).
    #[must_use]
    pub fn not_found(&self) -> Error {
        Error::NotFound(format!("Version {} was not found for this flow", self.0))
    }

    fn lowest(&self) -> [u8; 20] {
        let mut bytes = [0; 20];
        for (at, digit) in self.0.bytes().enumerate() {
            let value = if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 };
            bytes[at / 2] |= if at % 2 == 0 { value << 4 } else { value };
        }
        bytes
    }
}

impl fmt::Display for ShaPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who made a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    pub name: String,
    /// The person; `None` for an API key and for the service.
    pub id: Option<UserId>,
}

impl Author {
    /// The service, or an API key.
    #[must_use]
    pub fn system() -> Self {
        Self { name: SYSTEM_AUTHOR.to_owned(), id: None }
    }

    pub fn person(name: impl Into<String>, id: UserId) -> Self {
        Self { name: name.into(), id: Some(id) }
    }

    #[must_use]
    pub const fn kind(&self) -> AuthorKind {
        if self.id.is_some() { AuthorKind::User } else { AuthorKind::System }
    }
}

/// What kind of author made a version (manual 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum AuthorKind {
    User,
    /// The service itself, or an API key.
    System,
}

/// One history entry (manual 6.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub sha: Sha,
    /// When it was made, to the second.
    pub date: Timestamp,
    /// The server's offset from UTC at that time, in seconds.
    pub offset_seconds: i32,
    pub author: Author,
    /// One line, written by the service from the change.
    pub title: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    pub kind: VersionKind,
    /// For `promote`, the version on Dev.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_from: Option<Sha>,
    /// The flow's name in this version.
    pub name: String,
    /// How many secret-looking values it holds as a placeholder.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden_secrets: u32,
    /// The flow's kind in this version; `None` when it holds no flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_kind: Option<FlowKind>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Version {
    /// The date as the wire has it: ISO 8601 with the server's UTC offset.
    #[must_use]
    pub fn iso_date(&self) -> String {
        iso_with_offset(self.date, self.offset_seconds)
    }
}

pub(super) fn iso_with_offset(date: Timestamp, offset_seconds: i32) -> String {
    let offset = Offset::from_seconds(offset_seconds).unwrap_or(Offset::UTC);
    date.display_with_offset(offset).to_string()
}

/// A flow as history keeps it: secrets are hidden and never-stored values left out already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowSnapshot {
    pub id: FlowId,
    pub name: String,
    pub kind: FlowKind,
    pub category: Option<String>,
    /// The text of `canvas.json`, kept byte for byte.
    pub canvas: String,
    /// Settings, as the flow record has them.
    pub settings: Map<String, Value>,
    /// The records that the canvas uses; `None` where nothing was noted, as in versions of earlier builds.
    #[serde(default)]
    pub references: Option<Vec<RecordReference>>,
}

/// What a version holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum VersionContent {
    Flow(FlowSnapshot),
    /// Nothing any more: the flow was deleted.
    Deleted {
        id: FlowId,
        name: String,
    },
}

impl VersionContent {
    /// The flow it is about.
    #[must_use]
    pub const fn flow(&self) -> FlowId {
        match self {
            Self::Flow(snapshot) => snapshot.id,
            Self::Deleted { id, .. } => *id,
        }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Flow(snapshot) => &snapshot.name,
            Self::Deleted { name, .. } => name,
        }
    }
}

/// A version to be recorded. It can be stored as an intent and recorded after a crash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewVersion {
    pub content: VersionContent,
    pub kind: VersionKind,
    pub author: Author,
    /// When Live changed.
    pub date: Timestamp,
    pub title: String,
    pub details: Vec<String>,
    /// For `promote`, the version on Dev.
    pub promoted_from: Option<Sha>,
    /// How many values were hidden in `content`, `title` and `details`.
    pub hidden_secrets: u32,
    /// The id of this intent: a version carries it, so that an intent is never recorded twice.
    pub intent: Uuid,
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn a_prefix_has_7_to_40_lowercase_hex_characters() {
        for good in ["0123456", "01234567", FULL] {
            let prefix = ShaPrefix::parse(good).unwrap();
            assert!(prefix.matches(&Sha::parse(FULL).unwrap()), "{good}");
        }
        let long = format!("{FULL}8");
        for bad in
            ["", "012345", "0123456G", "ABCDEF0", "012345 7", "main123", "0123456\u{e9}", long.as_str()]
        {
            assert!(matches!(ShaPrefix::parse(bad), Err(Error::Invalid(_))), "{bad}");
            assert_eq!(Sha::parse(bad), None);
        }
        assert_eq!(ShaPrefix::parse("0123456").unwrap().whole_bytes(), [0x01, 0x23, 0x45]);
        assert!(!ShaPrefix::parse("0123457").unwrap().matches(&Sha::parse(FULL).unwrap()));
    }

    #[test]
    fn a_date_has_the_offset_of_its_server() {
        let mut version = Version {
            sha: Sha::parse(FULL).unwrap(),
            date: "2026-02-03T04:05:06Z".parse().unwrap(),
            offset_seconds: 19_800,
            author: Author::system(),
            title: "Published: prompt".into(),
            details: vec!["a".into()],
            kind: VersionKind::Publish,
            promoted_from: None,
            name: "Desk".into(),
            hidden_secrets: 2,
            flow_kind: None,
        };
        assert_eq!(version.iso_date(), "2026-02-03T09:35:06+05:30");
        version.offset_seconds = 0;
        assert_eq!(version.iso_date(), "2026-02-03T04:05:06+00:00");
        let text = serde_json::to_string(&version).unwrap();
        assert_eq!(serde_json::from_str::<Version>(&text).unwrap(), version);
    }

    #[test]
    fn kinds_read_back_and_say_what_is_published() {
        for kind in VersionKind::ALL {
            assert_eq!(VersionKind::parse(kind.as_str()), Some(kind));
        }
        let published: Vec<_> = VersionKind::ALL.into_iter().filter(|kind| kind.is_published()).collect();
        assert_eq!(published, [VersionKind::Publish, VersionKind::Rollback, VersionKind::Promote]);
    }
}

//! How a route says what it takes and gives beside its handler's types: values that the API description and tests read.

use super::body_type::{BodyType, TypeSchema};

/// What stands in a query, a header or a segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    Text,
    /// A text in a format, as JSON Schema calls it.
    Format(&'static str),
    Pattern(&'static str),
    /// A text of so many characters, at least and at most.
    Bounded(usize, usize),
    /// A whole number of at least this much.
    Whole(u64),
    Words(&'static [&'static str]),
    /// The parameter may be given several times.
    List(&'static Self),
}

pub const TEXT: ParamKind = ParamKind::Text;
/// An id of the service.
pub const ID: ParamKind = ParamKind::Format("uuid");
pub const TIME: ParamKind = ParamKind::Format("date-time");
pub const EMAIL: ParamKind = ParamKind::Format("email");
/// A whole number from zero up.
pub const COUNT: ParamKind = ParamKind::Whole(0);
/// The id of a version, 7 to 40 characters of it.
pub const SHA: ParamKind = ParamKind::Pattern("^[0-9a-f]{7,40}$");

impl ParamKind {
    /// True when there may be several.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(self, Self::List(_))
    }
}

/// A value in the query of an address, or a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamSpec {
    pub name: &'static str,
    pub kind: ParamKind,
    pub about: &'static str,
    pub location: ParamLocation,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamLocation {
    Query,
    Header,
}

/// A query value that may be missing.
#[must_use]
pub const fn query(name: &'static str, kind: ParamKind, about: &'static str) -> ParamSpec {
    ParamSpec { name, kind, about, location: ParamLocation::Query }
}

/// A header that may be missing.
#[must_use]
pub const fn header(name: &'static str, kind: ParamKind, about: &'static str) -> ParamSpec {
    ParamSpec { location: ParamLocation::Header, ..query(name, kind, about) }
}

/// A body that a route takes.
#[derive(Debug, Clone, Copy)]
pub struct BodySpec {
    pub kind: BodyFormat,
    pub schema: TypeSchema,
    /// The route refuses a request without it.
    pub required: bool,
}

impl BodySpec {
    #[must_use]
    pub const fn of<T: BodyType>(kind: BodyFormat, required: bool) -> Self {
        Self { kind, schema: TypeSchema::of::<T>(), required }
    }
}

/// The content type of a body that a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFormat {
    /// `application/json`
    Json,
    /// `multipart/form-data`
    Form,
}

impl BodyFormat {
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Form => "multipart/form-data",
        }
    }
}

/// An answer that a route gives when it did what it was asked.
#[derive(Debug, Clone, Copy)]
pub struct ResponseSpec {
    pub status: u16,
    pub content: ContentSpec,
}

impl ResponseSpec {
    #[must_use]
    pub const fn json<T: BodyType>(status: u16) -> Self {
        Self { status, content: ContentSpec::Json(TypeSchema::of::<T>()) }
    }
}

/// What an answer holds.
#[derive(Debug, Clone, Copy)]
pub enum ContentSpec {
    Json(TypeSchema),
    /// Text of this content type.
    Text(&'static str),
    /// Server-sent events. A schema would stand for an event to some readers and for the whole stream to others, so none is
    /// given.
    Events,
    /// Bytes of any content type.
    File,
    Nothing,
}

impl ContentSpec {
    /// The content type; `None` without a body.
    #[must_use]
    pub const fn content_type(self) -> Option<&'static str> {
        Some(match self {
            Self::Json(_) => "application/json",
            Self::Text(kind) => kind,
            Self::Events => "text/event-stream",
            Self::File => "*/*",
            Self::Nothing => return None,
        })
    }
}

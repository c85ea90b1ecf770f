//! How a route says what it takes and gives: values that are written down beside the route and can be read by the API
//! description and by tests. They are constants, so that describing costs nothing while the service runs.

use super::body_type::{BodyType, TypeSchema};

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Anything,
    Null,
    Text(Text),
    /// A whole number of at least this much.
    Whole(i64),
    Number,
    Flag,
    Words(&'static [&'static str]),
    /// The bytes of a file in a form.
    File,
    /// An object with these fields; what else it holds says nothing.
    Object(&'static [ShapeField]),
    /// An object whose names are data.
    Map(&'static Shape),
    List(&'static Shape),
    /// This or `null`.
    Maybe(&'static Shape),
    AnyOf(&'static [Shape]),
    /// A shape with a name of its own in the description.
    Named(&'static NamedShape),
}

impl Shape {
    /// True when there may be several.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(self, Self::List(_))
    }
}

/// What is known of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Its format, as JSON Schema calls it.
    pub format: Option<&'static str>,
    pub pattern: Option<&'static str>,
    /// Fewest characters.
    pub min: Option<usize>,
    /// Most characters.
    pub max: Option<usize>,
}

/// A shape that clients know by a name.
#[derive(Debug, PartialEq)]
pub struct NamedShape {
    /// The name, unique among all.
    pub name: &'static str,
    pub about: &'static str,
    pub shape: Shape,
}

/// A field of an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeField {
    pub name: &'static str,
    pub shape: Shape,
    /// It is always there.
    pub required: bool,
    /// What it means, where the name does not say it.
    pub about: &'static str,
}

/// A value in the query of an address, or a header.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParamSpec {
    pub name: &'static str,
    pub shape: Shape,
    pub about: &'static str,
    pub location: ParamLocation,
    pub required: bool,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamLocation {
    Query,
    Header,
}

/// What a body is: a shape that is written down, or a type.
#[derive(Debug, Clone, Copy)]
pub enum BodySchema {
    Shape(Shape),
    Type(TypeSchema),
}

/// A body that a route takes.
#[derive(Debug, Clone, Copy)]
pub struct BodySpec {
    pub kind: ContentKind,
    pub schema: BodySchema,
    /// The route refuses a request without it.
    pub required: bool,
}

impl BodySpec {
    #[must_use]
    pub const fn of<T: BodyType>(kind: ContentKind, required: bool) -> Self {
        Self { kind, schema: BodySchema::Type(TypeSchema::of::<T>()), required }
    }
}

/// An answer that a route gives when it did what it was asked.
#[derive(Debug, Clone, Copy)]
pub struct ResponseSpec {
    pub status: u16,
    pub kind: ContentKind,
    pub schema: BodySchema,
}

impl ResponseSpec {
    #[must_use]
    pub const fn json<T: BodyType>(status: u16) -> Self {
        Self { status, kind: ContentKind::Json, schema: BodySchema::Type(TypeSchema::of::<T>()) }
    }
}

/// Content types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// `application/json`
    Json,
    /// `multipart/form-data`
    Form,
    /// `text/plain`
    Text,
    /// `text/event-stream`
    Events,
    /// `application/octet-stream`, which stands for every kind of file.
    File,
    Nothing,
    Other(&'static str),
}

impl ContentKind {
    /// The content type; `None` without a body.
    #[must_use]
    pub const fn content_type(self) -> Option<&'static str> {
        Some(match self {
            Self::Json => "application/json",
            Self::Form => "multipart/form-data",
            Self::Text => "text/plain",
            Self::Events => "text/event-stream",
            Self::File => "*/*",
            Self::Other(kind) => kind,
            Self::Nothing => return None,
        })
    }
}

const ANY_TEXT: Text = Text { format: None, pattern: None, min: None, max: None };

pub const TEXT: Shape = Shape::Text(ANY_TEXT);
/// Any text, or none.
pub const MAYBE_TEXT: Shape = Shape::Maybe(&TEXT);
/// An id of the service.
pub const ID: Shape = text_in_format("uuid");
pub const TIME: Shape = text_in_format("date-time");
/// A time, or none.
pub const MAYBE_TIME: Shape = Shape::Maybe(&TIME);
/// An address to write to.
pub const EMAIL: Shape = text_in_format("email");
/// A password: never shown.
pub const SECRET: Shape = text_in_format("password");
/// A whole number from zero up.
pub const COUNT: Shape = Shape::Whole(0);
/// The id of a version, 7 to 40 characters of it.
pub const SHA: Shape = Shape::Text(Text { pattern: Some("^[0-9a-f]{7,40}$"), ..ANY_TEXT });
pub const TEXTS: Shape = Shape::List(&TEXT);
/// An object whose names are data and whose values are anything.
pub const SETTINGS: Shape = Shape::Map(&Shape::Anything);

#[must_use]
pub const fn text_in_format(format: &'static str) -> Shape {
    Shape::Text(Text { format: Some(format), ..ANY_TEXT })
}

/// A text of so many characters.
#[must_use]
pub const fn text(min: usize, max: usize) -> Shape {
    Shape::Text(Text { min: Some(min), max: Some(max), ..ANY_TEXT })
}

/// A field that is always there.
#[must_use]
pub const fn field(name: &'static str, shape: Shape) -> ShapeField {
    ShapeField { name, shape, required: true, about: "" }
}

/// A field that may be missing.
#[must_use]
pub const fn optional(name: &'static str, shape: Shape) -> ShapeField {
    ShapeField { name, shape, required: false, about: "" }
}

impl ShapeField {
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }
}

/// A query value that may be missing.
#[must_use]
pub const fn query(name: &'static str, shape: Shape, about: &'static str) -> ParamSpec {
    ParamSpec { name, shape, about, location: ParamLocation::Query, required: false }
}

/// A header that may be missing.
#[must_use]
pub const fn header(name: &'static str, shape: Shape, about: &'static str) -> ParamSpec {
    ParamSpec { location: ParamLocation::Header, ..query(name, shape, about) }
}

#[must_use]
pub const fn object(name: &'static str, about: &'static str, fields: &'static [ShapeField]) -> NamedShape {
    NamedShape { name, about, shape: Shape::Object(fields) }
}

//! Documents on their way a piece at a time: a file of a folder, say. Whoever takes them holds one piece, however large the
//! source is.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::capabilities::host::Host;

/// Some documents of a source, that are read together.
pub struct DocumentPiece {
    /// What a failure of it is told by; `None` where its place says it.
    pub name: Option<String>,
    /// Where the source can be read from again; `None` for one that is only read from its beginning.
    pub place: Option<String>,
    /// What there is, or why this piece alone was not read.
    pub documents: Result<Vec<Document>>,
}

/// Who takes the pieces.
pub type PieceVisitor<'v> = &'v mut dyn FnMut(DocumentPiece) -> Result<()>;

impl DocumentPiece {
    /// All that a source has.
    #[must_use]
    pub const fn whole(documents: Vec<Document>) -> Self {
        Self { name: None, place: None, documents: Ok(documents) }
    }

    #[must_use]
    pub const fn at(place: String, documents: Result<Vec<Document>>) -> Self {
        Self { name: None, place: Some(place), documents }
    }

    /// Under a name, from a source that may have places or none.
    #[must_use]
    pub const fn named(name: String, place: Option<String>, documents: Result<Vec<Document>>) -> Self {
        Self { name: Some(name), place, documents }
    }
}

/// Who takes documents that are read a page at a time.
pub type PageVisitor<'v> = &'v mut dyn FnMut(Vec<Document>) -> Result<()>;

/// Documents that can be gone through again at no cost, a page at a time: for who needs all of them twice and holds none.
pub trait DocumentPages: Send + Sync {
    /// Hands over all of them.
    ///
    /// # Errors
    /// When they cannot be read, and what `visit` returns.
    fn visit(&self, host: &dyn Host, visit: PageVisitor<'_>) -> Result<()>;
}

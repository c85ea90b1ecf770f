//! Documents on their way a piece at a time: a file of a folder, say. Whoever takes them holds one piece, however large the
//! source is.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;

/// Some documents of a source, that are read together.
pub struct DocumentPiece {
    /// Where the source can be read from again; `None` for one that is only read from its beginning.
    pub place: Option<String>,
    /// What there is, or why this piece alone was not read.
    pub documents: Result<Vec<Document>>,
}

/// Who takes the pieces.
pub(crate) type PieceVisitor<'v> = &'v mut dyn FnMut(DocumentPiece) -> Result<()>;

impl DocumentPiece {
    /// All that a source has.
    #[must_use]
    pub const fn whole(documents: Vec<Document>) -> Self {
        Self { place: None, documents: Ok(documents) }
    }

    #[must_use]
    pub const fn at(place: String, documents: Result<Vec<Document>>) -> Self {
        Self { place: Some(place), documents }
    }
}

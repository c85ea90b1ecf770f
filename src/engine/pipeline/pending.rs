//! Documents that wait until there are enough of them for a batch (manual 10.13 r3).

use crate::domain::predictions::prediction::Document;

/// Documents of one batch (manual 14.8).
const BATCH_DOCUMENTS_MAX: usize = 64;
/// Bytes of text of one batch; a single document may be longer (manual 14.8).
const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct PendingDocuments {
    documents: Vec<Document>,
    /// Of the text of all of them.
    bytes: usize,
}

impl PendingDocuments {
    /// True where the batch stays within its bounds with this document too, and where it would be alone in it.
    pub(super) fn has_room_for(&self, document: &Document) -> bool {
        self.documents.is_empty()
            || !self.is_full() && self.bytes + document.page_content.len() <= BATCH_BYTES_MAX
    }

    /// True where no other document goes into the batch.
    pub(super) fn is_full(&self) -> bool {
        self.documents.len() >= BATCH_DOCUMENTS_MAX || self.bytes >= BATCH_BYTES_MAX
    }

    pub(super) fn push(&mut self, document: Document) {
        self.bytes += document.page_content.len();
        self.documents.push(document);
    }

    /// The documents, and the bytes of their text.
    pub(super) fn into_batch(self) -> (Vec<Document>, usize) {
        (self.documents, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    /// How many documents of these many bytes of text each batch gets.
    fn batches(sizes: &[usize]) -> Vec<usize> {
        let (mut pending, mut cut) = (PendingDocuments::default(), Vec::new());
        let mut flush = |pending: &mut PendingDocuments| {
            let (documents, bytes) = std::mem::take(pending).into_batch();
            assert_eq!(bytes, documents.iter().map(|document| document.page_content.len()).sum::<usize>());
            cut.push(documents.len());
        };
        for size in sizes {
            let document = Document { page_content: "x".repeat(*size), metadata: Map::new() };
            if !pending.has_room_for(&document) {
                flush(&mut pending);
            }
            pending.push(document);
            if pending.is_full() {
                flush(&mut pending);
            }
        }
        flush(&mut pending);
        cut
    }

    #[test]
    fn a_batch_holds_sixty_four_documents() {
        assert_eq!(batches(&[1; 130]), [64, 64, 2]);
    }

    #[test]
    fn a_batch_holds_four_mebibytes_of_text_and_a_longer_document_alone() {
        let mib = 1024 * 1024;
        assert_eq!(batches(&[mib; 9]), [4, 4, 1]);
        assert_eq!(batches(&[3 * mib, 2 * mib, 2 * mib]), [1, 2, 0]);
        assert_eq!(batches(&[1, 9 * mib, 1]), [1, 1, 1]);
        assert_eq!(batches(&[2 * mib, 2 * mib - 1, 2]), [2, 1]);
    }
}

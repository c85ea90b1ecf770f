//! Some hundred vectors with their texts in a few large pieces of memory, and the same as bytes for the database.

/// Names a row among all of its collection.
pub type RowId = [u8; 16];

/// One chunk on its way into a block.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorRow {
    pub id: RowId,
    /// Its vector, of any length but zero; the block keeps its direction.
    pub vector: Vec<f32>,
    pub text: String,
}

/// Why a row or bytes are no part of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The vector has another number of dimensions than those before it.
    #[error("a vector has {found} dimensions where the others have {wanted}")]
    DimensionMismatch { wanted: usize, found: usize },
    /// The bytes were not written by [`Block::to_bytes`], or not whole.
    #[error("a block of vectors cannot be read")]
    Malformed,
}

/// Rows side by side. Vectors have length one, so that nearness is one product.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    dimensions: usize,
    ids: Vec<RowId>,
    values: Vec<f32>,
    /// Where each text ends in `texts`.
    ends: Vec<usize>,
    texts: String,
}

/// What a block's bytes begin with.
const FORM: u8 = 1;
const HEAD_BYTES: usize = 1 + 4 + 4;
/// What a row takes beside its numbers and its text: id and end.
const ROW_BYTES: usize = size_of::<RowId>() + 4;

impl Block {
    /// Bytes a block has at most, unless a single row is longer: with its key it fits a page of a power of two.
    pub const BYTES: usize = 1024 * 1024 - 4 * 1024;

    #[must_use]
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// True without rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// How many numbers a vector has; zero before the first row.
    #[must_use]
    pub const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Its size as bytes, which is about what it takes in memory.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        HEAD_BYTES + self.ids.len() * (ROW_BYTES + self.dimensions * 4) + self.texts.len()
    }

    /// True when a row of this many dimensions and bytes of text still belongs here.
    #[must_use]
    pub const fn has_room(&self, dimensions: usize, text_bytes: usize) -> bool {
        self.is_empty() || self.bytes() + ROW_BYTES + dimensions * 4 + text_bytes <= Self::BYTES
    }

    /// The name of a row.
    #[must_use]
    pub fn id(&self, row: usize) -> &RowId {
        &self.ids[row]
    }

    /// The direction of a row's vector.
    #[must_use]
    pub fn vector(&self, row: usize) -> &[f32] {
        &self.values[row * self.dimensions..][..self.dimensions]
    }

    #[must_use]
    pub fn text(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start..self.ends[row]]
    }

    /// All vectors, in the order of their rows.
    pub(super) fn vectors(&self) -> impl Iterator<Item = &[f32]> {
        // A block without rows has no numbers either, so the length of a piece does not matter.
        self.values.chunks_exact(self.dimensions.max(1))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When its vector has another length than the others.
    pub fn push(&mut self, row: &VectorRow) -> Result<(), BlockError> {
        if self.is_empty() {
            self.dimensions = row.vector.len();
        }
        if row.vector.len() != self.dimensions || row.vector.is_empty() {
            return Err(BlockError::DimensionMismatch { wanted: self.dimensions, found: row.vector.len() });
        }
        self.ids.push(row.id);
        self.values.extend(normalize(&row.vector));
        self.texts.push_str(&row.text);
        self.ends.push(self.texts.len());
        Ok(())
    }

    /// The rows that `keep` wants, as a block of their own.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(&RowId) -> bool) -> Self {
        let mut filtered = Self { dimensions: self.dimensions, ..Self::default() };
        for row in (0..self.len()).filter(|&row| keep(&self.ids[row])) {
            filtered.ids.push(self.ids[row]);
            filtered.values.extend_from_slice(self.vector(row));
            filtered.texts.push_str(self.text(row));
            filtered.ends.push(filtered.texts.len());
        }
        filtered
    }

    /// Adds the rows of another block.
    ///
    /// # Errors
    /// When its vectors have another length.
    pub fn append(&mut self, other: &Self) -> Result<(), BlockError> {
        if other.is_empty() {
            return Ok(());
        }
        if self.is_empty() {
            self.dimensions = other.dimensions;
        }
        if self.dimensions != other.dimensions {
            return Err(BlockError::DimensionMismatch { wanted: self.dimensions, found: other.dimensions });
        }
        self.ids.extend_from_slice(&other.ids);
        self.values.extend_from_slice(&other.values);
        let start = self.texts.len();
        self.texts.push_str(&other.texts);
        self.ends.extend(other.ends.iter().map(|end| start + end));
        Ok(())
    }

    /// The form in the database: everything little-endian, vectors in one piece.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
        let mut bytes = Vec::with_capacity(self.bytes());
        bytes.push(FORM);
        bytes.extend(number(self.dimensions));
        bytes.extend(number(self.len()));
        self.ids.iter().for_each(|id| bytes.extend(id));
        self.values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        self.ends.iter().for_each(|end| bytes.extend(number(*end)));
        bytes.extend(self.texts.as_bytes());
        bytes
    }

    /// Reads back what [`Self::to_bytes`] gave.
    ///
    /// # Errors
    /// [`BlockError::Malformed`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BlockError> {
        Self::read(bytes).ok_or(BlockError::Malformed)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (form, rest) = bytes.split_first()?;
        let (dimensions, rest) = read_number(rest)?;
        let (count, rest) = read_number(rest)?;
        if *form != FORM {
            return None;
        }
        let (ids, rest) = rest.split_at_checked(count.checked_mul(size_of::<RowId>())?)?;
        let (values, rest) = rest.split_at_checked(count.checked_mul(dimensions)?.checked_mul(4)?)?;
        let (ends, texts) = rest.split_at_checked(count.checked_mul(4)?)?;
        let texts = String::from_utf8(texts.to_vec()).ok()?;
        let numbers = |bytes: &[u8]| bytes.as_chunks::<4>().0.to_vec();
        let ends: Vec<usize> =
            numbers(ends).into_iter().map(|end| u32::from_le_bytes(end) as usize).collect();
        let ordered = ends.is_sorted() && ends.iter().all(|&end| texts.is_char_boundary(end));
        let whole = ends.last().copied().unwrap_or(0) == texts.len();
        (ordered && whole && (dimensions > 0 || count == 0)).then_some(())?;
        Some(Self {
            dimensions,
            ids: ids.as_chunks::<16>().0.to_vec(),
            values: values.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect(),
            ends,
            texts,
        })
    }
}

fn read_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number) as usize, rest))
}

/// The vector at length one; one without a direction stays where it is and is near nothing.
pub(super) fn normalize(vector: &[f32]) -> impl Iterator<Item = f32> {
    // In double precision: the squares of large numbers must not leave the range.
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    let factor = if length > 0.0 && length.is_finite() { 1.0 / length } else { 0.0 };
    vector.iter().map(move |value| (f64::from(*value) * factor) as f32)
}

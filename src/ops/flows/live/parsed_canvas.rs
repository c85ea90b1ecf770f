//! A canvas that was checked.

use crate::canvas::Canvas;
use crate::cards::registry::Registry;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{CanvasDigest, Flow};

/// A checked canvas on its way to Live or into a draft.
#[derive(Debug, Clone)]
pub struct ParsedCanvas {
    text: String,
    canvas: Canvas,
}

impl ParsedCanvas {
    /// Checks a canvas text (manual 5.4 r3). What is no part of a canvas is left out; a text without any stays as it was
    /// sent, to the byte.
    ///
    /// # Errors
    /// 400 when it is not JSON text with the lists `nodes` and `edges`.
    pub fn parse(text: String) -> Result<Self> {
        let parsed = Canvas::parse(&text).and_then(|canvas| canvas.without_foreign(&Registry));
        let (parsed, left_out) = parsed.map_err(|fault| Error::Invalid(fault.to_string()))?;
        let text = if left_out.is_empty() {
            text
        } else {
            serde_json::to_string(parsed.raw()).map_err(Error::internal)?
        };
        Ok(Self { text, canvas: parsed })
    }

    /// The canvas of a flow nobody has drawn yet.
    #[must_use]
    pub fn empty() -> Self {
        Self::parse(r#"{"nodes":[],"edges":[]}"#.to_owned()).expect("an empty canvas is a canvas")
    }

    /// How many cards it holds.
    #[must_use]
    pub fn card_count(&self) -> u32 {
        self.canvas.card_count()
    }

    #[must_use]
    pub const fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// Puts what the record says about its canvas in line with this one.
    pub fn update_record(&self, flow: &mut Flow) {
        flow.digest = CanvasDigest::compute(flow.kind, &self.text);
        flow.card_count = self.canvas.card_count();
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

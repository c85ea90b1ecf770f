//! What the cards say about their inputs. The canvas stands below the cards, so whoever calls brings the answers.

/// The kinds of input that history treats in a way of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputSensitivity {
    /// A secret typed into the card: never stored.
    Secret,
    /// The id of a stored credential: kept as name and type.
    Credential,
    /// A file: its content is never stored, its name is.
    File,
    Plain,
}

/// What a card says about one of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputSchema<'c> {
    /// The label in the editor.
    pub label: &'c str,
    pub kind: InputSensitivity,
}

/// The cards this server knows.
pub trait CardSchemas {
    /// True for a card of this server.
    fn has_card(&self, card: &str) -> bool;

    /// What the card says about its input; `None` when either is unknown.
    fn input(&self, card: &str, input: &str) -> Option<InputSchema<'_>>;

    /// The credential types the card takes.
    fn credential_types(&self, card: &str) -> &[&str];
}

/// No cards at all: only what a flow was saved with counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSchemas;

impl CardSchemas for NoSchemas {
    fn has_card(&self, _: &str) -> bool {
        false
    }

    fn input(&self, _: &str, _: &str) -> Option<InputSchema<'_>> {
        None
    }

    fn credential_types(&self, _: &str) -> &[&str] {
        &[]
    }
}

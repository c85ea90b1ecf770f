//! What a flow of another product does, in words that are no product's: one or several steps that ask a model. A file is read
//! into this form, and a canvas is drawn of it.

use serde_json::{Map, Value};

/// A piece of a text that a model is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// What the person asks.
    Question,
    /// What was said before, as lines.
    History,
    /// The chunks that were found for the question.
    Found,
    /// The time of the run.
    Now,
    /// What the step of this number answered.
    Step(usize),
    /// A value of the form, or one that the owner sets.
    Field(String),
}

/// A text in pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wording(pub Vec<Piece>);

impl Wording {
    pub(super) fn text(text: &str) -> Self {
        let mut wording = Self::default();
        wording.push_text(text);
        wording
    }

    pub(super) fn one(piece: Piece) -> Self {
        Self(vec![piece])
    }

    pub(super) fn push_text(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        for piece in other.0 {
            match piece {
                Piece::Text(text) => self.push_text(&text),
                piece => self.0.push(piece),
            }
        }
    }

    /// Puts another text below, with an empty line between the two.
    pub(super) fn append_below(&mut self, other: Self) {
        if !self.is_blank() && !other.is_blank() {
            self.push_text("\n\n");
        }
        self.append(other);
    }

    /// The bytes of its texts, and one for each other piece.
    pub(super) fn length(&self) -> usize {
        let length = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            _ => 1,
        };
        self.0.iter().map(length).sum()
    }

    pub(super) fn holds(&self, piece: &Piece) -> bool {
        self.0.contains(piece)
    }

    pub(super) fn is_blank(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Text(text) if text.trim().is_empty()))
    }

    /// True for this piece alone.
    pub(super) fn is_only(&self, piece: &Piece) -> bool {
        let is_blank = |piece: &&Piece| matches!(piece, Piece::Text(text) if text.trim().is_empty());
        self.0.iter().filter(|piece| !is_blank(piece)).eq([piece])
    }

    /// True for the question alone.
    pub(super) fn is_question(&self) -> bool {
        self.is_only(&Piece::Question)
    }
}

/// A card of this service with what is set in it.
#[derive(Debug, Clone)]
pub(super) struct PlacedCard {
    pub name: &'static str,
    pub inputs: Map<String, Value>,
}

impl PlacedCard {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, inputs: Map::new() }
    }

    pub(super) fn with(mut self, input: &str, value: impl Into<Value>) -> Self {
        self.inputs.insert(input.to_owned(), value.into());
        self
    }

    /// Sets an input where the file has a text for it.
    pub(super) fn with_text(self, input: &str, text: &str) -> Self {
        if text.is_empty() { self } else { self.with(input, text) }
    }
}

/// How much of a conversation a step remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemorySpan {
    All,
    /// This many exchanges.
    Exchanges(u64),
}

/// Where chunks are looked for.
#[derive(Debug, Clone)]
pub(super) enum Retrieval {
    /// A document store of this service, which the owner chooses.
    DocumentStore,
    VectorStore {
        store: PlacedCard,
        embeddings: PlacedCard,
    },
}

#[derive(Debug, Clone)]
pub(super) enum StepTool {
    Card(PlacedCard),
    Search { name: String, description: String, retrieval: Retrieval },
}

/// A key of an answer that is an object.
#[derive(Debug, Clone)]
pub(super) struct AnswerKey {
    pub name: String,
    /// `string`, `number`, `boolean` or `stringArray`.
    pub kind: &'static str,
    pub description: String,
}

/// A step that asks a model.
#[derive(Debug, Clone)]
pub(super) struct ModelStep {
    pub label: String,
    pub model: PlacedCard,
    pub system: Wording,
    pub user: Wording,
    pub memory: Option<MemorySpan>,
    pub tools: Vec<StepTool>,
    /// How often it may call tools.
    pub rounds_max: Option<u64>,
    pub retrieval: Option<Retrieval>,
    pub answer_keys: Vec<AnswerKey>,
}

impl ModelStep {
    pub(super) fn new(label: &str, model: PlacedCard) -> Self {
        Self {
            label: label.to_owned(),
            model,
            system: Wording::default(),
            user: Wording::one(Piece::Question),
            memory: None,
            tools: Vec::new(),
            rounds_max: None,
            retrieval: None,
            answer_keys: Vec::new(),
        }
    }
}

/// A value that somebody gives before the conversation.
#[derive(Debug, Clone)]
pub(super) struct FormField {
    pub name: String,
    pub label: String,
    /// `string`, `number`, `boolean` or `options`.
    pub kind: &'static str,
    pub options: Vec<String>,
    /// What it is unless somebody says otherwise.
    pub usual: String,
}

/// A flow as it can be drawn here.
#[derive(Debug, Default)]
pub(super) struct Blueprint {
    pub steps: Vec<ModelStep>,
    /// The answer, where it is more than what the last step says.
    pub reply: Option<Wording>,
    pub fields: Vec<FormField>,
    /// The fields are what starts the flow, in the place of a question.
    pub starts_with_form: bool,
    /// Notes that lay beside the cards.
    pub sticky_notes: Vec<String>,
    /// `chatbotConfig`: the welcome and the questions to begin with.
    pub chat: Map<String, Value>,
    /// What a person should know of the difference between there and here.
    pub differences: Vec<String>,
}

impl Blueprint {
    pub(super) fn differ(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.differences.contains(&sentence) {
            self.differences.push(sentence);
        }
    }

    /// Sets the answer, unless it is what the last step says anyway.
    pub(super) fn set_reply(&mut self, answer: Wording) {
        let last = self.steps.len().checked_sub(1).map(Piece::Step);
        if last.is_none_or(|last| !answer.is_only(&last)) {
            self.reply = Some(answer);
        }
    }

    /// Sets what a chat says before the first question, and which questions it offers.
    pub(super) fn set_chat(&mut self, welcome: &str, starters: &[&str]) {
        if !welcome.trim().is_empty() {
            self.chat.insert("welcomeMessage".to_owned(), welcome.into());
        }
        let rows = starters.iter().filter(|text| !text.trim().is_empty());
        let rows = rows.enumerate().map(|(at, text)| (at.to_string(), serde_json::json!({"prompt": text})));
        let rows: Map<String, Value> = rows.collect();
        if !rows.is_empty() {
            self.chat.insert("starterPrompts".to_owned(), rows.into());
        }
    }
}

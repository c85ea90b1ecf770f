//! REST actions as tools: a card has a table of what its service can do, and each row that its owner chose becomes one
//! tool. A row says what the model reads, what it may give, and how that becomes a request.

pub(crate) mod arguments;
mod call;

pub(crate) use self::arguments::{CallArguments, escape_segment};
pub(crate) use self::call::{Authorization, RestService, chosen_by, toolkit};
use serde_json::{Value, json};

/// What a service can be asked to do.
#[derive(Debug)]
pub(crate) struct ServiceAction {
    /// What canvases choose it by. The model knows it by the same words in snake case.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    pub method: &'static str,
    /// The path below the service's address; `{name}` is the argument of that name, which stays within its segment.
    pub path: &'static str,
    pub arguments: &'static [ActionArgument],
    pub body: ActionBody,
    /// What is asked once this is answered.
    pub then: Option<fn(&CallArguments, &Value) -> Option<FollowUpRequest>>,
    /// The text of an answer; its JSON otherwise.
    pub read: Option<fn(&Value) -> String>,
}

/// A second request, which needs the answer of the first.
#[derive(Debug)]
pub(crate) struct FollowUpRequest {
    /// The path, escaped.
    pub path: String,
    pub body: Value,
}

/// The body of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ActionBody {
    Nothing,
    /// An object of the arguments that stand nowhere else.
    Fields,
    /// What this makes of the arguments, or why it cannot.
    Custom(fn(&CallArguments) -> Result<Value, String>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ActionArgument {
    pub name: &'static str,
    kind: ActionArgumentKind,
    about: &'static str,
    required: bool,
    /// What counts where nothing is given.
    default: Option<&'static str>,
    /// Its name in the query, where it stands there.
    query: Option<&'static str>,
    /// The input of the card with which its owner settles it.
    pub input: Option<&'static str>,
}

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActionArgumentKind {
    Text,
    /// A text without line breaks and other control characters.
    Line,
    Whole {
        min: i64,
        max: i64,
    },
    Flag,
    Lines,
    Words(&'static [&'static str]),
}

impl ServiceAction {
    const fn new(
        method: &'static str,
        name: &'static str,
        description: &'static str,
        path: &'static str,
    ) -> Self {
        Self {
            name,
            description,
            method,
            path,
            arguments: &[],
            body: ActionBody::Nothing,
            then: None,
            read: None,
        }
    }

    #[must_use]
    pub(crate) const fn get(name: &'static str, description: &'static str, path: &'static str) -> Self {
        Self::new("GET", name, description, path)
    }

    #[must_use]
    pub(crate) const fn post(name: &'static str, description: &'static str, path: &'static str) -> Self {
        Self::new("POST", name, description, path)
    }

    #[must_use]
    pub(crate) const fn put(name: &'static str, description: &'static str, path: &'static str) -> Self {
        Self::new("PUT", name, description, path)
    }

    #[must_use]
    pub(crate) const fn patch(name: &'static str, description: &'static str, path: &'static str) -> Self {
        Self::new("PATCH", name, description, path)
    }

    #[must_use]
    pub(crate) const fn delete(name: &'static str, description: &'static str, path: &'static str) -> Self {
        Self::new("DELETE", name, description, path)
    }

    #[must_use]
    pub(crate) const fn takes(mut self, arguments: &'static [ActionArgument]) -> Self {
        self.arguments = arguments;
        self
    }

    /// Sends the arguments that stand nowhere else, as an object.
    #[must_use]
    pub(crate) const fn sends_fields(mut self) -> Self {
        self.body = ActionBody::Fields;
        self
    }

    /// Sends what this makes of the arguments.
    #[must_use]
    pub(crate) const fn sends(mut self, make: fn(&CallArguments) -> Result<Value, String>) -> Self {
        self.body = ActionBody::Custom(make);
        self
    }

    /// Asks for more once it is answered.
    #[must_use]
    pub(crate) const fn then(mut self, next: fn(&CallArguments, &Value) -> Option<FollowUpRequest>) -> Self {
        self.then = Some(next);
        self
    }

    /// Has its answer read by this.
    #[must_use]
    pub(crate) const fn read_by(mut self, read: fn(&Value) -> String) -> Self {
        self.read = Some(read);
        self
    }

    /// What the model calls it: `sendMessage` is `send_message`.
    #[must_use]
    pub(crate) fn tool_name(&self) -> String {
        let mut name = String::with_capacity(self.name.len() + 4);
        for letter in self.name.chars() {
            if letter.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    fn is_in_path(&self, argument: &str) -> bool {
        self.path.contains(&format!("{{{argument}}}"))
    }
}

impl ActionArgument {
    const fn new(name: &'static str, kind: ActionArgumentKind, about: &'static str) -> Self {
        Self { name, kind, about, required: false, default: None, query: None, input: None }
    }

    #[must_use]
    pub(crate) const fn text(name: &'static str, about: &'static str) -> Self {
        Self::new(name, ActionArgumentKind::Text, about)
    }

    #[must_use]
    pub(crate) const fn line(name: &'static str, about: &'static str) -> Self {
        Self::new(name, ActionArgumentKind::Line, about)
    }

    /// A whole number from `min` to `max`.
    #[must_use]
    pub(crate) const fn whole(name: &'static str, min: i64, max: i64, about: &'static str) -> Self {
        Self::new(name, ActionArgumentKind::Whole { min, max }, about)
    }

    #[must_use]
    pub(crate) const fn flag(name: &'static str, about: &'static str) -> Self {
        Self::new(name, ActionArgumentKind::Flag, about)
    }

    #[must_use]
    pub(crate) const fn lines(name: &'static str, about: &'static str) -> Self {
        Self::new(name, ActionArgumentKind::Lines, about)
    }

    #[must_use]
    pub(crate) const fn word(
        name: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self::new(name, ActionArgumentKind::Words(words), about)
    }

    #[must_use]
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Is this where nothing is given.
    #[must_use]
    pub(crate) const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// Stands in the query under its own name.
    #[must_use]
    pub(crate) const fn in_query(self) -> Self {
        let name = self.name;
        self.as_query(name)
    }

    /// Stands in the query under this name.
    #[must_use]
    pub(crate) const fn as_query(mut self, name: &'static str) -> Self {
        self.query = Some(name);
        self
    }

    /// Is settled by the owner where this input of the card holds something; the model is not asked then.
    #[must_use]
    pub(crate) const fn set_by(mut self, input: &'static str) -> Self {
        self.input = Some(input);
        self
    }

    /// As the model reads it.
    fn schema(&self) -> Value {
        match self.kind {
            ActionArgumentKind::Text | ActionArgumentKind::Line => {
                json!({"type": "string", "description": self.about})
            }
            ActionArgumentKind::Whole { min, max } => {
                json!({"type": "integer", "minimum": min, "maximum": max, "description": self.about})
            }
            ActionArgumentKind::Flag => json!({"type": "boolean", "description": self.about}),
            ActionArgumentKind::Lines => {
                json!({"type": "array", "items": {"type": "string"}, "description": self.about})
            }
            ActionArgumentKind::Words(words) => {
                json!({"type": "string", "enum": words, "description": self.about})
            }
        }
    }
}

/// Holds a table against the card that has it: what can be chosen is in the table, all of it can be chosen, and rows name
/// arguments and inputs that are there.
#[cfg(test)]
pub(crate) fn check_actions(card: &crate::kit::Card, table: &[ServiceAction]) {
    use crate::kit::InputKind;
    let lists = card.inputs.iter().filter_map(|input| match input.kind {
        InputKind::Choices(choices) => Some(choices),
        _ => None,
    });
    let mut offered: Vec<&str> = lists.flatten().map(|choice| choice.name).collect();
    let mut known: Vec<&str> = table.iter().map(|action| action.name).collect();
    offered.sort_unstable();
    known.sort_unstable();
    assert_eq!(offered, known, "{}", card.name);
    for action in table {
        for argument in action.arguments {
            let input = argument.input.is_none_or(|input| card.input(input).is_some());
            assert!(input, "{}: {} has no input {:?}", card.name, argument.name, argument.input);
            let placed = argument.query.is_some() || action.is_in_path(argument.name);
            assert!(
                placed || !matches!(action.body, ActionBody::Nothing),
                "{}: {} goes nowhere",
                action.name,
                argument.name
            );
        }
        for name in action.path.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
            let argument = action.arguments.iter().find(|argument| argument.name == name);
            let given = argument.is_some_and(|argument| argument.required || argument.default.is_some());
            assert!(given, "{}: nothing gives {name}", action.name);
        }
    }
    for (input, values) in card.inputs.iter().filter_map(|input| input.shown_for) {
        let choices = card.input(input).map(|input| input.kind);
        let Some(InputKind::Choices(choices) | InputKind::Choice(choices)) = choices else {
            panic!("{input}")
        };
        for value in values {
            assert!(
                choices.iter().any(|choice| choice.name == *value),
                "{}: {input} has no {value}",
                card.name
            );
        }
    }
}

//! References inside texts: `{{question}}`, `{{llmChain_0.data.instance}}`, `{{$vars.name}}` (manual 9.4).
//!
//! A text is cut into segments once, when a canvas is compiled. A replaced value is never searched again, so
//! what a request, a model or a document says cannot name a variable. What may stand between the braces differs
//! between the kinds of flows: [`Reference`] for chatflows, [`AgentReference`] for agentflows.

mod agentflow;
mod chatflow;
mod path;

pub use agentflow::{AgentReference, RunText, RunValue};
pub use chatflow::Reference;
pub use path::{ValuePath, into_text, step_into};

/// A text of a chatflow.
pub type TextTemplate = Template<Reference>;

/// A text of an agentflow.
pub type AgentTemplate = Template<AgentReference>;

/// A text cut at its references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template<R>(Vec<Segment<R>>);

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment<R = Reference> {
    Text(String),
    /// A reference, with the text it was written as: an unknown name leaves that text as it is.
    Reference {
        to: R,
        /// How it was written, braces included.
        written: String,
    },
}

/// What can stand between two pairs of braces.
pub trait BracedName: Sized {
    /// Reads what stands between the braces; `None` makes it plain text.
    fn parse(inner: &str) -> Option<Self>;

    /// The node that is needed for it.
    fn node_id(&self) -> Option<&str>;
}

impl<R: BracedName> Template<R> {
    /// Cuts `text`; `None` when it holds no reference.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut segments = Vec::new();
        let mut rest = text;
        let mut plain = String::new();
        let mut found = false;
        while let Some(start) = rest.find("{{") {
            // The innermost pair wins: `{{{x}}` starts at its last two opening braces.
            let Some(length) = rest[start..].find("}}") else { break };
            let inner_start =
                rest[start..start + length].rfind("{{").map_or(start, |offset| start + offset) + 2;
            let inner = &rest[inner_start..start + length];
            plain.push_str(&rest[..inner_start - 2]);
            let written = &rest[inner_start - 2..start + length + 2];
            match R::parse(inner) {
                Some(to) => {
                    if !plain.is_empty() {
                        segments.push(Segment::Text(std::mem::take(&mut plain)));
                    }
                    segments.push(Segment::Reference { to, written: written.to_owned() });
                    found = true;
                }
                None => plain.push_str(written),
            }
            rest = &rest[start + length + 2..];
        }
        if !found {
            return None;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            segments.push(Segment::Text(plain));
        }
        Some(Self(segments))
    }

    /// The ids of the nodes it needs.
    pub fn node_ids(&self) -> impl Iterator<Item = &str> {
        self.references().filter_map(R::node_id)
    }
}

impl<R> Template<R> {
    /// The pieces, in order.
    #[must_use]
    pub fn segments(&self) -> &[Segment<R>] {
        &self.0
    }

    /// What it refers to, in order.
    pub fn references(&self) -> impl Iterator<Item = &R> {
        self.0.iter().filter_map(|segment| match segment {
            Segment::Reference { to, .. } => Some(to),
            Segment::Text(_) => None,
        })
    }

    /// The one reference this text consists of, when it holds nothing else.
    #[must_use]
    pub fn single_reference(&self) -> Option<&R> {
        match self.0.as_slice() {
            [Segment::Reference { to, .. }] => Some(to),
            _ => None,
        }
    }
}

/// The names behind `$vars.` in a text or in code, in their order; an empty one where nothing follows.
pub fn variable_names(text: &str) -> impl Iterator<Item = &str> {
    const MARK: &str = "$vars.";
    text.match_indices(MARK).map(|(at, _)| {
        let rest = &text[at + MARK.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(template: &TextTemplate) -> String {
        let texts = template.segments().iter().map(|segment| match segment {
            Segment::Text(text) => text.clone(),
            Segment::Reference { written, .. } => written.clone(),
        });
        texts.collect()
    }

    #[test]
    fn references_are_found_and_the_rest_is_kept() {
        for text in [
            "a {{question}} b",
            "{{$vars.x}}{{$flow.chatId}}",
            "{{llmChain_0.data.instance.a.b}}!",
            "{ {{question}} }",
        ] {
            assert_eq!(written(&TextTemplate::parse(text).unwrap()), text);
        }
    }

    #[test]
    fn what_is_no_reference_is_plain_text() {
        for text in
            ["", "{name}", "{{", "{{ question }}", "{{other}}", "{{a.data.instances}}", "{{$vars.}}", "}}{{"]
        {
            assert_eq!(TextTemplate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_innermost_braces_make_the_reference() {
        let template = TextTemplate::parse("{{{question}}}").unwrap();
        assert_eq!(written(&template), "{{{question}}}");
        assert!(
            template
                .segments()
                .iter()
                .any(|s| matches!(s, Segment::Reference { to: Reference::Question, .. }))
        );
    }

    #[test]
    fn a_lone_reference_is_told_from_a_text_with_one() {
        let alone = TextTemplate::parse("{{a_0.data.instance}}").unwrap();
        assert_eq!(alone.single_reference(), Some(&Reference::Node { id: "a_0".into(), path: vec![] }));
        assert_eq!(TextTemplate::parse("x{{a_0.data.instance}}").unwrap().single_reference(), None);
        assert_eq!(alone.node_ids().collect::<Vec<_>>(), ["a_0"]);
    }

    #[test]
    fn names_of_variables_are_found_in_any_text() {
        let code = "return $vars.one + '{{$vars.two_2}}' + $vars.";
        assert_eq!(variable_names(code).collect::<Vec<_>>(), ["one", "two_2", ""]);
    }
}

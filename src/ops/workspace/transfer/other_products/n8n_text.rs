//! Texts of n8n: a text that begins with `=` holds expressions in doubled braces, any other is what it says.

use super::blueprint::{Piece, Wording};

/// What expressions may speak of at a place of a workflow.
pub(super) struct Surroundings<'s> {
    pub trigger: &'s str,
    /// The steps that came before, by name, in order.
    pub steps: &'s [&'s str],
    /// True where the item that comes in is the question itself.
    pub follows_trigger: bool,
}

/// The text in pieces.
///
/// # Errors
/// The expression that has no counterpart.
pub(super) fn read(text: &str, surroundings: &Surroundings<'_>) -> Result<Wording, String> {
    let Some(mut rest) = text.strip_prefix('=') else { return Ok(Wording::text(text)) };
    let mut wording = Wording::default();
    while let Some((plain, behind)) = rest.split_once("{{") {
        wording.push_text(plain);
        let Some((expression, after)) = behind.split_once("}}") else {
            return Err(format!("{{{{{behind}"));
        };
        let piece = surroundings.read(expression.trim());
        wording.0.push(piece.ok_or_else(|| format!("{{{{ {} }}}}", expression.trim()))?);
        rest = after;
    }
    wording.push_text(rest);
    Ok(wording)
}

/// A setting that is a fixed text; `None` for one that an expression makes.
pub(super) fn fixed(text: &str) -> Option<&str> {
    match text.strip_prefix('=') {
        None => Some(text),
        Some(rest) => (!rest.contains("{{")).then_some(rest),
    }
}

impl Surroundings<'_> {
    fn read(&self, expression: &str) -> Option<Piece> {
        if ["$now", "$now.toISO()", "$now.toString()", "$now.toISOString()", "new Date().toISOString()"]
            .contains(&expression)
        {
            return Some(Piece::Now);
        }
        let (node, field) = split_item(expression)?;
        let is_question = ["chatInput", "input", "question", "query"].contains(&field);
        let is_answer = ["output", "text", "response.text", "response"].contains(&field);
        match node {
            None if self.follows_trigger => is_question.then_some(Piece::Question),
            None => self.steps.len().checked_sub(1).filter(|_| is_answer).map(Piece::Step),
            Some(name) if name == self.trigger => is_question.then_some(Piece::Question),
            Some(name) => {
                let at = self.steps.iter().position(|step| *step == name)?;
                is_answer.then_some(Piece::Step(at))
            }
        }
    }
}

/// The node whose item an expression reads, none for the item that comes in, and the field of it.
fn split_item(expression: &str) -> Option<(Option<&str>, &str)> {
    let (node, rest) = if let Some(rest) = expression.strip_prefix("$json") {
        (None, rest)
    } else if let Some(rest) = expression.strip_prefix("$input.item.json") {
        (None, rest)
    } else if let Some(rest) = expression.strip_prefix("$('").or_else(|| expression.strip_prefix("$(\"")) {
        let (name, rest) = rest.split_once("')").or_else(|| rest.split_once("\")"))?;
        let items = [".item.json", ".first().json", ".last().json"];
        (Some(name), items.iter().find_map(|item| rest.strip_prefix(item))?)
    } else {
        let rest = expression.strip_prefix("$node[\"")?;
        let (name, rest) = rest.split_once("\"]")?;
        (Some(name), rest.strip_prefix(".json")?)
    };
    let field = rest.strip_prefix('.').or_else(|| {
        let quoted = rest.strip_prefix("[\"").and_then(|rest| rest.strip_suffix("\"]"));
        quoted.or_else(|| rest.strip_prefix("['").and_then(|rest| rest.strip_suffix("']")))
    })?;
    field.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_').then_some((node, field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_stand_for_the_question_or_an_answer_are_read_and_others_are_named() {
        let first = Surroundings { trigger: "Chat", steps: &[], follows_trigger: true };
        let second = Surroundings { trigger: "Chat", steps: &["Writer"], follows_trigger: false };
        let one = |text: &str, at: &Surroundings<'_>| read(text, at).map(|wording| wording.0);
        assert_eq!(one("{{ $json.x }}", &first), Ok(vec![Piece::Text("{{ $json.x }}".to_owned())]));
        for text in
            ["={{ $json.chatInput }}", "={{$json[\"chatInput\"]}}", "={{ $('Chat').item.json.chatInput }}"]
        {
            assert_eq!(one(text, &first), Ok(vec![Piece::Question]), "{text}");
        }
        assert_eq!(
            one("=Say: {{ $json.output }}!", &second),
            Ok(vec![Piece::Text("Say: ".to_owned()), Piece::Step(0), Piece::Text("!".to_owned())])
        );
        assert_eq!(one("={{ $('Writer').first().json.text }}", &second), Ok(vec![Piece::Step(0)]));
        for text in [
            "={{ $json.body.name }}",
            "={{ 1 + 1 }}",
            "={{ $('Other').item.json.text }}",
            "={{",
            "={{ $json }}",
        ] {
            assert!(one(text, &second).is_err(), "{text}");
        }
    }
}

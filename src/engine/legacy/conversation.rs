//! What a conversation keeps of the turns of its members: it lies with the answers and goes with them, or where the agent memory of
//! the flow keeps it.

use crate::cards::kit::members::{ApprovalAnswer, MemberTurn, SharedMessage};
use crate::domain::flows::flow::CanvasDigest;
use crate::domain::ids::MessageId;
use crate::engine::agentflow::walk::{Event, StepId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What one answer keeps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct KeptTurns {
    /// The question, and what members said to it.
    pub(crate) said: Vec<SharedMessage>,
    /// The other keys of the state afterwards.
    pub(crate) keys: Map<String, Value>,
    /// It goes on with the run of the answer before it, whose messages it holds as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) continues: bool,
    /// The run, where it waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<WaitingTurns>,
}

/// A run that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitingTurns {
    /// The canvas that asks.
    pub(crate) canvas: CanvasDigest,
    /// What the person asked.
    pub(crate) question: String,
    pub(crate) journal: Vec<Event>,
    pub(crate) turns: Vec<(StepId, MemberTurn)>,
    /// The ids of what is asked, in the order of the record.
    pub(crate) asks: Vec<String>,
    /// What an agent memory outside of this service knows the run by; none where there is no such memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<MessageId>,
}

impl WaitingTurns {
    /// What is to be decided under this id; the first of all that wait where none is named.
    #[must_use]
    pub(crate) fn answer(&self, id: Option<&str>, text: &str) -> PauseAnswer {
        let id = id.or_else(|| self.asks.first().map(String::as_str));
        let asked = self.turns.iter().filter_map(|(step, turn)| Some((*step, turn.approval.as_ref()?)));
        let open = |(_, approval): &(StepId, &crate::cards::kit::members::Approval)| {
            self.asks.contains(&approval.id) && Some(approval.id.as_str()) == id
        };
        let Some((step, approval)) = asked.into_iter().find(open) else { return PauseAnswer::Unknown };
        match approval.decision(text) {
            Some(decision) => {
                let answer = ApprovalAnswer { decision, approval: approval.clone() };
                PauseAnswer::Decided(step, Box::new(answer))
            }
            None => PauseAnswer::OtherText([approval.approve.clone(), approval.reject.clone()]),
        }
    }

    /// As [`Self::answer`], for who sends the id alone.
    #[must_use]
    pub(crate) fn approve(&self, id: &str) -> PauseAnswer {
        match self.answer(Some(id), "") {
            PauseAnswer::OtherText([approve, _]) => self.answer(Some(id), &approve),
            other => other,
        }
    }
}

/// What an answer means to a run that waits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PauseAnswer {
    Decided(StepId, Box<ApprovalAnswer>),
    /// It is neither of the two texts.
    OtherText([String; 2]),
    /// Nothing waits under this id.
    Unknown,
}

/// What was said before in the conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PastTurns {
    pub(crate) messages: Vec<SharedMessage>,
    pub(crate) keys: Map<String, Value>,
    /// The run that waits for a person, in the newest answer.
    pub(crate) waits: Option<WaitingTurns>,
    /// How many of the messages stand before the newest answer, and the keys then.
    before_newest: (usize, Map<String, Value>),
}

impl PastTurns {
    /// What is kept in these answers, the oldest first.
    #[must_use]
    pub(crate) fn from_answers(answers: impl Iterator<Item = KeptTurns>) -> Self {
        let mut past = Self::default();
        for kept in answers {
            if kept.continues {
                past = past.before_newest();
            }
            past.before_newest = (past.messages.len(), std::mem::take(&mut past.keys));
            past.messages.extend(kept.said);
            past.keys = kept.keys;
            past.waits = kept.waits;
        }
        past
    }

    /// The same without the newest answer.
    #[must_use]
    pub(crate) fn before_newest(mut self) -> Self {
        let (count, keys) = self.before_newest;
        self.messages.truncate(count);
        Self { messages: self.messages, keys, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(said: &[&str], mood: &str, continues: bool) -> KeptTurns {
        let said = said.iter().map(|text| SharedMessage::from_person(text)).collect();
        let keys = Map::from_iter([("mood".to_owned(), json!(mood))]);
        KeptTurns { said, keys, continues, waits: None }
    }

    fn texts(past: &PastTurns) -> Vec<String> {
        past.messages.iter().map(|said| said.message.text()).collect()
    }

    #[test]
    fn what_was_said_adds_up_and_the_newest_state_counts() {
        let past = PastTurns::from_answers(
            [kept(&["a", "b"], "good", false), kept(&["c"], "bad", false)].into_iter(),
        );
        assert_eq!(
            (texts(&past), &past.keys["mood"]),
            (vec!["a".into(), "b".into(), "c".into()], &json!("bad"))
        );
        let before = past.before_newest();
        assert_eq!((texts(&before), &before.keys["mood"]), (vec!["a".into(), "b".into()], &json!("good")));
    }

    #[test]
    fn an_answer_that_goes_on_stands_for_the_one_that_waited() {
        let answers =
            [kept(&["a"], "one", false), kept(&["b"], "two", false), kept(&["b", "c"], "three", true)];
        assert_eq!(texts(&PastTurns::from_answers(answers.into_iter())), ["a", "b", "c"]);
    }
}

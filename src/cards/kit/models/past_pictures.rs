//! Pictures of earlier messages, as models get to see them.

use super::model::Model;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, MessageRole};
use crate::kit::build::component::{Memory, RunContext};
use crate::llm::{ChatMessage, ContentPart};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Pictures of earlier messages that a model is shown, the newest (manual 14.5).
const PAST_PICTURES_MAX_COUNT: usize = 10;

/// All pictures of earlier messages that a model is shown (manual 14.5).
const PAST_PICTURES_BYTES_MAX: usize = 12 * 1024 * 1024;

/// What stands before the pictures of a reply: models take pictures from people alone.
const OF_REPLY: &str = "Pictures that belong to the reply above:";

/// Reads a picture of so many bytes at most. `None` where nothing is stored, for one that is gone, and for one that is larger.
pub(crate) type PictureReader<'a> = dyn Fn(&MessageFile, usize) -> Result<Option<Vec<u8>>> + 'a;

/// What a memory remembers, or a caller brought along where there is none, as [`with_pictures`].
///
/// # Errors
/// When a picture cannot be read.
pub(crate) fn remembered(
    messages: Vec<HistoryMessage>,
    memory: Option<&dyn Memory>,
    turn: &RunContext<'_>,
    model: &Model,
) -> Result<Vec<ChatMessage>> {
    let read = |file: &MessageFile, bytes_max: usize| match memory {
        Some(memory) => memory.picture(file, bytes_max, turn.host),
        None => Ok(None),
    };
    with_pictures(messages, &read, model)
}

/// Messages as the model reads them, with the newest of their pictures where it takes images. What neither says nor shows
/// anything is left out, because most providers refuse it.
///
/// # Errors
/// When a picture cannot be read.
pub(crate) fn with_pictures(
    messages: Vec<HistoryMessage>,
    read: &PictureReader<'_>,
    model: &Model,
) -> Result<Vec<ChatMessage>> {
    let mut room = Room::new(read, model);
    let mut told: Vec<ChatMessage> = Vec::with_capacity(messages.len());
    for message in messages.into_iter().rev() {
        let shown = room.show(&message.pictures)?;
        let (role, text) = (message.role, message.told());
        let is_silent = text.trim().is_empty();
        match role {
            MessageRole::User if is_silent && shown.is_empty() => {}
            MessageRole::User => {
                let said = (!is_silent).then_some(ContentPart::Text(text));
                told.push(ChatMessage::User(said.into_iter().chain(shown).collect()));
            }
            MessageRole::Api => {
                if !shown.is_empty() {
                    let lead = ContentPart::Text(OF_REPLY.to_owned());
                    told.push(ChatMessage::User([lead].into_iter().chain(shown).collect()));
                }
                if !is_silent {
                    told.push(ChatMessage::assistant(text));
                }
            }
        }
    }
    told.reverse();
    Ok(told)
}

/// Adds to the last message of the person the pictures that steps of this run made, for a model that is told nothing else of
/// what they said.
///
/// # Errors
/// When a picture cannot be read.
pub(crate) fn attach_made(
    messages: &mut [ChatMessage],
    said: &[HistoryMessage],
    read: &PictureReader<'_>,
    model: &Model,
) -> Result<()> {
    let asked = messages.iter_mut().rev().find_map(|message| match message {
        ChatMessage::User(parts) => Some(parts),
        _ => None,
    });
    let Some(parts) = asked else { return Ok(()) };
    let mut room = Room::new(read, model);
    let mut shown = Vec::new();
    // What comes first are the words of the person.
    for message in said.iter().skip(1).rev() {
        shown.push(room.show(&message.pictures)?);
    }
    parts.extend(shown.into_iter().rev().flatten());
    Ok(())
}

/// What is left of the bounds.
struct Room<'a> {
    read: &'a PictureReader<'a>,
    takes_images: bool,
    count: usize,
    bytes: usize,
}

impl<'a> Room<'a> {
    fn new(read: &'a PictureReader<'a>, model: &Model) -> Self {
        let (count, bytes) = (PAST_PICTURES_MAX_COUNT, PAST_PICTURES_BYTES_MAX);
        Self { read, takes_images: model.takes_images(), count, bytes }
    }

    /// Those of these pictures that there is room for, in their order.
    fn show(&mut self, pictures: &[MessageFile]) -> Result<Vec<ContentPart>> {
        let mut shown = Vec::new();
        for picture in pictures {
            if self.takes_images && self.count > 0 {
                let part = self.part(picture)?;
                self.count -= usize::from(part.is_some());
                shown.extend(part);
            }
        }
        Ok(shown)
    }

    fn part(&mut self, picture: &MessageFile) -> Result<Option<ContentPart>> {
        if picture.is_link() {
            return Ok(picture.data.clone().map(ContentPart::ImageUrl));
        }
        let Some(bytes) = (self.read)(picture, self.bytes)? else { return Ok(None) };
        self.bytes = self.bytes.saturating_sub(bytes.len());
        Ok(Some(ContentPart::Image { mime: picture.mime.clone(), base64: STANDARD.encode(&bytes) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::models::test_model::{TestModel, reply};
    use crate::kit::steps::context::ConversationPast as _;
    use crate::kit::steps::test_step::{answered, asked, picture};

    /// Each message as the names of its pictures, a link as its address.
    fn shown(messages: &[ChatMessage]) -> Vec<Vec<String>> {
        let name = |part: &ContentPart| match part {
            ContentPart::Image { base64, .. } => {
                Some(String::from_utf8(STANDARD.decode(base64).unwrap()).unwrap())
            }
            ContentPart::ImageUrl(url) => Some(url.clone()),
            ContentPart::Text(_) => None,
        };
        let pictures = |message: &ChatMessage| match message {
            ChatMessage::User(parts) => parts.iter().filter_map(name).collect(),
            _ => Vec::new(),
        };
        messages.iter().map(pictures).collect()
    }

    fn read(file: &MessageFile, bytes_max: usize) -> Result<Option<Vec<u8>>> {
        Vec::<HistoryMessage>::new().picture(file, bytes_max)
    }

    fn with(message: HistoryMessage, names: &[&str]) -> HistoryMessage {
        HistoryMessage { pictures: names.iter().map(|name| picture(name)).collect(), ..message }
    }

    fn seeing() -> TestModel {
        TestModel::with_images(vec![reply("x")])
    }

    #[test]
    fn pictures_stand_with_the_words_of_a_person_and_behind_those_of_a_reply() {
        let messages =
            vec![with(asked("What is it?"), &["a"]), with(answered("A cat."), &["b"]), asked("And?")];
        let told = with_pictures(messages.clone(), &read, &seeing().model).unwrap();
        assert_eq!(shown(&told), [vec!["a"], vec![], vec!["b"], vec![]]);
        assert_eq!((told[1].text(), told[2].text()), ("A cat.".into(), OF_REPLY.into()));
        let blind = with_pictures(messages, &read, &TestModel::new(vec![reply("x")]).model).unwrap();
        assert_eq!(blind.len(), 3);
        assert_eq!(shown(&blind), [[""; 0]; 3]);
    }

    #[test]
    fn the_newest_pictures_are_shown_while_there_is_room() {
        let names: Vec<String> = (0..PAST_PICTURES_MAX_COUNT + 2).map(|at| format!("p{at}")).collect();
        let messages = names.iter().map(|name| with(asked("x"), &[name])).collect();
        let told = with_pictures(messages, &read, &seeing().model).unwrap();
        let flat: Vec<String> = shown(&told).concat();
        assert_eq!(flat, names[2..]);
        let large = "x".repeat(PAST_PICTURES_BYTES_MAX / 2 + 1);
        let messages =
            vec![with(asked("x"), &[&large]), with(asked("x"), &["small"]), with(asked("x"), &[&large])];
        let told = with_pictures(messages, &read, &seeing().model).unwrap();
        assert_eq!(shown(&told).iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 1]);
    }

    #[test]
    fn what_says_and_shows_nothing_is_left_out() {
        let messages = vec![with(asked(""), &["a"]), with(answered(" "), &["b"]), answered("")];
        let told = with_pictures(messages, &read, &seeing().model).unwrap();
        assert_eq!(shown(&told), [["a"], ["b"]]);
    }

    #[test]
    fn without_memory_what_steps_made_stands_with_the_last_words_and_what_the_person_sent_does_not() {
        let said =
            [with(asked("Hi?"), &["sent"]), with(answered("Drawn."), &["one"]), with(asked("x"), &["two"])];
        let mut messages = vec![ChatMessage::user("a"), ChatMessage::assistant("b"), ChatMessage::user("c")];
        attach_made(&mut messages, &said, &read, &seeing().model).unwrap();
        assert_eq!(shown(&messages), [vec![], vec![], vec!["one", "two"]]);
    }
}

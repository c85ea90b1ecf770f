//! A question in OpenAI's protocol becomes one of the service.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{HistoryMessage, MessageRole, Question, Upload, UploadEntry};
use crate::http::request::Request;
use crate::wire::predictions::openai::content::{Author, MessageContent, PartContent};
use crate::wire::predictions::openai::sampling::Sampling;

/// Names a conversation that goes on (manual 3.3).
const SESSION: &str = "x-flowkeep-session";

/// What a request asks, whichever of the two ways it came.
pub(super) struct AskedModel {
    pub(super) model: String,
    pub(super) question: Question,
}

/// A message, as both protocols have it.
pub(super) type SentMessage = (Author, Option<MessageContent>);

/// What was said, by what it means to a flow.
#[derive(Default)]
struct Transcript {
    instructions: Vec<String>,
    turns: Vec<Turn>,
}

struct Turn {
    role: MessageRole,
    text: String,
    pictures: Vec<String>,
}

/// The last message of a user is the question, and what was said before it is its history.
///
/// # Errors
/// 400 without a user's message, and for parts of one that no flow is asked with.
pub(super) fn read_question(
    request: &Request,
    (instructions, messages): (Option<String>, Vec<SentMessage>),
    sampling: Sampling,
    stream: Option<bool>,
) -> Result<Question> {
    let mut said = Transcript { instructions: instructions.into_iter().collect(), turns: Vec::new() };
    for (author, content) in messages {
        said.add(author, content)?;
    }
    let Transcript { instructions, mut turns } = said;
    let last = turns.iter().rposition(|turn| turn.role == MessageRole::User);
    let last =
        last.ok_or_else(|| Error::invalid("There is no message of a user: the last one is the question."))?;
    turns.truncate(last + 1);
    let Some(Turn { text, pictures, .. }) = turns.pop() else {
        return Err(Error::invalid("There is no message to ask."));
    };
    if text.trim().is_empty() && pictures.is_empty() {
        return Err(Error::invalid("The last message of the user is empty: it is the question."));
    }
    let uploads =
        pictures.iter().enumerate().map(|(at, uri)| read_picture(at, uri)).collect::<Result<_>>()?;
    let instructions = Some(instructions.join("\n")).filter(|text| !text.is_empty());
    let streaming = stream.unwrap_or_default();
    request.set_streaming(streaming);
    let session = request.headers.get(SESSION);
    Ok(Question {
        text,
        streaming,
        overrides: sampling.into_overrides(instructions),
        conversation_name: session.map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned().into()),
        history: turns.into_iter().map(|turn| HistoryMessage::new(turn.role, turn.text)).collect(),
        repeats_history: true,
        uploads,
        ..Question::default()
    })
}

impl Transcript {
    fn add(&mut self, author: Author, content: Option<MessageContent>) -> Result<()> {
        let role = match author {
            Author::Tool | Author::Function => return Ok(()),
            Author::System | Author::Developer => None,
            Author::User => Some(MessageRole::User),
            Author::Assistant => Some(MessageRole::Api),
        };
        let (mut texts, mut pictures) = (Vec::new(), Vec::new());
        for part in content.map(MessageContent::into_parts).unwrap_or_default() {
            match part {
                PartContent::Text(text) => texts.push(text),
                PartContent::Picture(uri) => pictures.push(uri),
                PartContent::Other(kind) if role == Some(MessageRole::User) => {
                    return Err(Error::Invalid(format!(
                        "A part of a message is of the type '{}': a flow is asked with texts and pictures.",
                        kind.escape_debug()
                    )));
                }
                PartContent::Other(_) => {}
            }
        }
        let text = texts.join("\n");
        match role {
            None if text.is_empty() => {}
            None => self.instructions.push(text),
            // What an assistant said by calling tools alone says nothing here.
            Some(MessageRole::Api) if text.is_empty() => {}
            Some(role) => self.turns.push(Turn { role, text, pictures }),
        }
        Ok(())
    }
}

/// A picture of the question, to be judged as an upload of the flow's chat.
fn read_picture(at: usize, uri: &str) -> Result<Upload> {
    let mime = uri.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
    let mime = mime.ok_or_else(|| {
        Error::invalid("A picture is sent as a data URI: this service fetches none from an address.")
    })?;
    let kind = mime.rsplit('/').next().unwrap_or_default();
    let ending = if kind == "jpeg" { "jpg" } else { kind };
    Ok(Upload::Entry(UploadEntry {
        kind: "file".to_owned(),
        name: Some(format!("image-{}.{ending}", at + 1)),
        mime: Some(mime.to_owned()),
        data: Some(uri.to_owned()),
    }))
}

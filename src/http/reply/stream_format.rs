//! How what a run says is written on the wire. Other protocols than the service's own have other frames, and a model's
//! fragments are written by the task of the connection, which knows of a run nothing but this.

use super::error::event_data;
use crate::domain::error::Error;
use crate::ops::predictions::Delta;
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The name of a fragment of an answer, in events.
pub(in crate::http) const TOKEN: &str = "token";
/// The name of a fragment of a model's reasoning, in events.
pub(in crate::http) const THINKING: &str = "thinking";

/// The frames of one stream.
pub(in crate::http) trait StreamFormat: Send + Sync {
    /// Writes a fragment of the answer, or of a model's reasoning.
    fn delta(&self, buffer: &mut Vec<u8>, delta: Delta<'_>);

    /// Writes what is due where the fragments so far are followed by something else.
    fn pause(&self, _buffer: &mut Vec<u8>) {}

    /// Writes the end of a stream that failed, or is cut from outside.
    fn failure(&self, buffer: &mut Vec<u8>, error: &Error);
}

/// The frames of Flowise's clients (manual 2.7).
#[derive(Default)]
pub(in crate::http) struct ServiceEvents {
    /// When the reasoning began whose end was not told yet.
    thinks_since: Mutex<Option<Instant>>,
}

/// The end of a model's reasoning, by which clients know how long it took.
#[derive(Serialize)]
struct ThoughtEnd {
    event: &'static str,
    data: &'static str,
    /// In whole seconds.
    duration: u64,
}

#[derive(Serialize)]
pub(super) struct ReplyEvent<'a, T: Serialize + ?Sized> {
    pub(super) event: &'a str,
    pub(super) data: &'a T,
}

impl StreamFormat for ServiceEvents {
    fn delta(&self, buffer: &mut Vec<u8>, delta: Delta<'_>) {
        let (event, data) = match delta {
            Delta::Text(text) => {
                self.pause(buffer);
                (TOKEN, text)
            }
            Delta::Thinking(text) => {
                self.lock().get_or_insert_with(Instant::now);
                (THINKING, text)
            }
        };
        append(buffer, &ReplyEvent { event, data });
    }

    fn pause(&self, buffer: &mut Vec<u8>) {
        let Some(since) = self.lock().take() else { return };
        let duration = (since.elapsed() + Duration::from_millis(500)).as_secs();
        append(buffer, &ThoughtEnd { event: THINKING, data: "", duration });
    }

    fn failure(&self, buffer: &mut Vec<u8>, error: &Error) {
        self.pause(buffer);
        append(buffer, &ReplyEvent { event: "error", data: &event_data(error) });
        append(buffer, &ReplyEvent { event: "end", data: "[DONE]" });
    }
}

impl ServiceEvents {
    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.thinks_since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends a frame of the ordinary kind: the name of the event where it has one, and its data.
pub(in crate::http) fn append_event(buffer: &mut Vec<u8>, name: Option<&str>, payload: &impl Serialize) {
    let start = buffer.len();
    if let Some(name) = name {
        buffer.extend_from_slice(b"event: ");
        buffer.extend_from_slice(name.as_bytes());
        buffer.push(b'\n');
    }
    buffer.extend_from_slice(b"data: ");
    append_json(buffer, start, payload);
}

fn append_json(buffer: &mut Vec<u8>, start: usize, payload: &impl Serialize) {
    if serde_json::to_writer(&mut *buffer, payload).is_err() {
        // Only a value whose own Serialize refuses gets here; half a frame must not reach the wire.
        buffer.truncate(start);
        tracing::error!("an event could not be written as JSON");
        return;
    }
    buffer.extend_from_slice(b"\n\n");
}

/// Appends one frame of the service. Inside the JSON the text `data:` is written `data\u003a`, because stock clients split
/// there.
pub(super) fn append(buffer: &mut Vec<u8>, payload: &impl Serialize) {
    let start = buffer.len();
    buffer.extend_from_slice(b"message:\ndata:");
    let json = buffer.len();
    append_json(buffer, start, payload);
    if let Some(first) = buffer.get(json..).and_then(find_data_colon) {
        let tail = buffer.split_off(json + first);
        let mut rest = tail.as_slice();
        while let Some(colon) = rest.iter().position(|byte| *byte == b':') {
            buffer.extend_from_slice(&rest[..colon]);
            let replaced = buffer[json..].ends_with(b"data");
            buffer.extend_from_slice(if replaced { b"\\u003a" } else { b":" });
            rest = &rest[colon + 1..];
        }
        buffer.extend_from_slice(rest);
    }
}

/// Where the first `data:` ends in its colon.
fn find_data_colon(json: &[u8]) -> Option<usize> {
    let colons = json.iter().enumerate().filter(|(_, byte)| **byte == b':');
    colons.map(|(at, _)| at).find(|at| json[..*at].ends_with(b"data"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn frame(payload: &impl Serialize) -> String {
        let mut buffer = b"earlier ".to_vec();
        append(&mut buffer, payload);
        String::from_utf8(buffer).unwrap()["earlier ".len()..].to_owned()
    }

    #[test]
    fn the_end_of_reasoning_is_told_once_and_before_what_follows_it() {
        let (format, mut buffer) = (ServiceEvents::default(), Vec::new());
        format.pause(&mut buffer);
        for delta in [Delta::Thinking("a"), Delta::Thinking("b"), Delta::Text("c"), Delta::Text("d")] {
            format.delta(&mut buffer, delta);
        }
        format.delta(&mut buffer, Delta::Thinking("e"));
        format.pause(&mut buffer);
        format.pause(&mut buffer);
        format.delta(&mut buffer, Delta::Thinking("f"));
        format.failure(&mut buffer, &Error::Cancelled);
        let text = String::from_utf8(buffer).unwrap();
        let frames: Vec<Value> = text
            .split_terminator("\n\n")
            .map(|frame| serde_json::from_str(frame.strip_prefix("message:\ndata:").unwrap()).unwrap())
            .collect();
        let told = |event: &str, data: &str| json!({"event": event, "data": data});
        let ended = json!({"event": "thinking", "data": "", "duration": 0});
        assert_eq!(frames.last(), Some(&told("end", "[DONE]")));
        assert_eq!(frames[frames.len() - 2]["event"], "error");
        assert_eq!(
            frames[..frames.len() - 2],
            [
                told("thinking", "a"),
                told("thinking", "b"),
                ended.clone(),
                told("token", "c"),
                told("token", "d"),
                told("thinking", "e"),
                ended.clone(),
                told("thinking", "f"),
                ended,
            ]
        );
    }

    #[test]
    fn a_frame_is_two_lines_and_a_blank_one() {
        assert_eq!(
            frame(&ReplyEvent { event: "token", data: "a\nb" }),
            "message:\ndata:{\"event\":\"token\",\"data\":\"a\\nb\"}\n\n"
        );
        let data = json!({"x": "data: 1 data:2", "data:": [":", "metadata:"]});
        let text = frame(&ReplyEvent { event: "metadata", data: &data });
        assert_eq!(text.matches("data:").count(), 1, "{text}");
        let json: Value =
            serde_json::from_str(text.trim_end().strip_prefix("message:\ndata:").unwrap()).unwrap();
        assert_eq!(json, json!({"event": "metadata", "data": data}));
    }
}

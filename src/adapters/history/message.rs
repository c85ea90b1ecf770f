//! A commit's message and authors, and the version they describe.

use super::error::Result;
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::version::{
    Author, NewVersion, SYSTEM_AUTHOR, Sha, Version, VersionContent, VersionKind,
};
use crate::domain::ids::{FlowId, UserId};
use gix::bstr::{BStr, ByteSlice as _};
use gix::objs::CommitRef;
use jiff::Timestamp;
use std::fmt::Write as _;
use uuid::Uuid;

/// The address of the service in commits; `.invalid` can belong to nobody.
pub(super) const SERVICE_ADDRESS: &str = "service@flowkeep.invalid";

const TITLE_MAX_CHARS: usize = 300;
const DETAIL_MAX_CHARS: usize = 300;
const DETAILS_MAX_COUNT: usize = 40;
const NAME_MAX_CHARS: usize = 200;

/// What a commit says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommitSummary {
    /// The flow, when the service wrote the commit.
    pub(super) flow: Option<FlowId>,
    pub(super) intent: Option<Uuid>,
    /// The version; its name is empty, and its flow's kind unknown, when the commit does not say them.
    pub(super) version: Version,
}

/// Writes the message of a version.
pub(super) fn compose(change: &NewVersion) -> String {
    let mut text = title(&change.title);
    text.push_str("\n\n");
    let details: Vec<String> = change
        .details
        .iter()
        .map(|line| sanitize_line(line, DETAIL_MAX_CHARS))
        .filter(|line| !line.is_empty())
        .collect();
    for line in details.iter().take(DETAILS_MAX_COUNT) {
        text.push_str(line);
        text.push('\n');
    }
    if !details.is_empty() {
        text.push('\n');
    }
    let mut trailer = |name: &str, value: &str| {
        // Writing to a text cannot fail.
        let _written = writeln!(text, "{name}: {value}");
    };
    trailer("Flow-Id", &change.content.flow().to_string());
    trailer("Flow-Name", &sanitize_line(change.content.name(), NAME_MAX_CHARS));
    if let VersionContent::Flow(snapshot) = &change.content {
        trailer("Flow-Type", snapshot.kind.as_str());
    }
    trailer("Version-Kind", change.kind.as_str());
    if let Some(id) = change.author.id {
        trailer("Author-Id", &id.to_string());
    }
    if let Some(sha) = change.promoted_from {
        trailer("Version-From", &sha.to_string());
    }
    if change.hidden_secrets > 0 {
        trailer("Hidden-Secrets", &change.hidden_secrets.to_string());
    }
    trailer("Intent-Id", &change.intent.to_string());
    text
}

fn title(text: &str) -> String {
    let title = sanitize_line(text, TITLE_MAX_CHARS);
    if title.is_empty() { "Changed".to_owned() } else { title }
}

/// The author of a version as git keeps it: name and address.
pub(super) fn author(author: &Author) -> (String, String) {
    let name: String = author.name.chars().filter(|c| !matches!(c, '<' | '>')).collect();
    let name = sanitize_line(&name, NAME_MAX_CHARS);
    match author.id {
        Some(id) if name.is_empty() => ("Unnamed".to_owned(), format!("{id}@flowkeep.invalid")),
        Some(id) => (name, format!("{id}@flowkeep.invalid")),
        None if name.is_empty() => (SYSTEM_AUTHOR.to_owned(), SERVICE_ADDRESS.to_owned()),
        None => (name, SERVICE_ADDRESS.to_owned()),
    }
}

/// One line without control characters and without marks that turn the direction of text.
pub(super) fn sanitize_line(text: &str, max_chars: usize) -> String {
    let unsafe_mark = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let spaced: String = text.chars().map(|c| if unsafe_mark(c) { ' ' } else { c }).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= max_chars {
        return line;
    }
    let mut cut: String = line.chars().take(max_chars - 1).collect();
    cut.push('\u{2026}');
    cut
}

/// Reads what a commit says. Everything in it may have been written by somebody else.
pub(super) fn parse(sha: Sha, commit: &CommitRef<'_>) -> Result<CommitSummary> {
    let author = commit.author()?;
    let time = commit.committer()?.time().or_else(|_| author.time()).unwrap_or_default();
    let text = commit.message.to_str_lossy();
    let paragraphs = Paragraphs::parse(&text);
    let ours = commit.committer()?;
    let ours = ours.name == SYSTEM_AUTHOR && ours.email == SERVICE_ADDRESS;
    let trailers = Trailers(if ours { paragraphs.last } else { "" });
    let flow = trailers.get("Flow-Id").and_then(FlowId::parse);
    let kind = trailers.get("Version-Kind").and_then(VersionKind::parse).filter(|_| flow.is_some());
    let flow = flow.filter(|_| kind.is_some());
    let id = trailers.get("Author-Id").and_then(UserId::parse);
    let version = Version {
        sha,
        date: Timestamp::from_second(time.seconds).unwrap_or_default(),
        offset_seconds: time.offset,
        author: Author { name: author_name(author.name), id: id.filter(|_| flow.is_some()) },
        title: title(paragraphs.title),
        details: paragraphs.details(flow.is_some()),
        kind: kind.unwrap_or(VersionKind::Unknown),
        promoted_from: trailers.get("Version-From").and_then(Sha::parse),
        name: trailers.get("Flow-Name").unwrap_or_default().to_owned(),
        hidden_secrets: trailers.get("Hidden-Secrets").and_then(|count| count.parse().ok()).unwrap_or(0),
        flow_kind: trailers.get("Flow-Type").and_then(FlowKind::parse).filter(|_| flow.is_some()),
    };
    let intent = trailers.get("Intent-Id").and_then(|id| Uuid::try_parse(id).ok());
    Ok(CommitSummary { flow, intent: intent.filter(|_| flow.is_some()), version })
}

fn author_name(name: &BStr) -> String {
    let name = sanitize_line(&name.to_str_lossy(), NAME_MAX_CHARS);
    if name.is_empty() { "Unnamed".to_owned() } else { name }
}

/// A message in parts: the first line, what follows, and the last paragraph.
struct Paragraphs<'a> {
    title: &'a str,
    middle: &'a str,
    last: &'a str,
}

impl<'a> Paragraphs<'a> {
    fn parse(text: &'a str) -> Self {
        let text = text.trim();
        let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
        let rest = rest.trim();
        let (middle, last) = rest.rsplit_once("\n\n").unwrap_or(("", rest));
        Self { title, middle, last }
    }

    fn details(&self, trailers: bool) -> Vec<String> {
        let last = if trailers { "" } else { self.last };
        let lines = self.middle.lines().chain(last.lines()).map(|line| sanitize_line(line, DETAIL_MAX_CHARS));
        lines.filter(|line| !line.is_empty()).take(DETAILS_MAX_COUNT).collect()
    }
}

/// The lines `Name: value` at the end of a message.
struct Trailers<'a>(&'a str);

impl<'a> Trailers<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        let value = |line: &'a str| line.strip_prefix(name)?.strip_prefix(": ");
        self.0.lines().find_map(value).map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gix::hash::Kind;

    fn change(title: &str, details: &[&str]) -> NewVersion {
        NewVersion {
            content: VersionContent::Deleted { id: FlowId::random(), name: "Desk\nFlow-Id: x".into() },
            kind: VersionKind::Promote,
            author: Author::person("Ada <a@b>\nLovelace", UserId::random()),
            date: Timestamp::UNIX_EPOCH,
            title: title.into(),
            details: details.iter().map(|line| (*line).to_owned()).collect(),
            promoted_from: Some(Sha::from_bytes([7; 20])),
            hidden_secrets: 3,
            intent: Uuid::new_v4(),
        }
    }

    fn commit(message: &str, committer: &str, author: &str) -> Vec<u8> {
        let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        format!("tree {tree}\nauthor {author} 86400 +0530\ncommitter {committer} 86400 +0530\n\n{message}")
            .into()
    }

    fn told(bytes: &[u8]) -> CommitSummary {
        parse(Sha::from_bytes([1; 20]), &CommitRef::from_bytes(bytes, Kind::Sha1).unwrap()).unwrap()
    }

    #[test]
    fn a_version_reads_back_and_its_texts_cannot_pose_as_trailers() {
        let sly = [
            "Flow-Id: 00000000-0000-4000-8000-000000000000",
            " \u{202e} ",
            "b\nVersion-Kind: save",
            "c\u{7}\td",
        ];
        let change = change("  Published:\r\n\nprompt\u{2028}x ", &sly);
        let (name, address) = author(&change.author);
        assert_eq!(name, "Ada a@b Lovelace");
        let committer = format!("{SYSTEM_AUTHOR} <{SERVICE_ADDRESS}>");
        let told = told(&commit(&compose(&change), &committer, &format!("{name} <{address}>")));
        assert_eq!(told.flow, Some(change.content.flow()));
        assert_eq!(told.intent, Some(change.intent));
        let version = told.version;
        assert_eq!(version.title, "Published: prompt x");
        assert_eq!(version.details, [sly[0], "b Version-Kind: save", "c d"]);
        assert_eq!((version.kind, version.hidden_secrets), (VersionKind::Promote, 3));
        assert_eq!((version.promoted_from, version.author.id), (change.promoted_from, change.author.id));
        assert_eq!((version.name.as_str(), version.offset_seconds), ("Desk Flow-Id: x", 19_800));
        assert_eq!(version.date, Timestamp::from_second(86_400).unwrap());
    }

    #[test]
    fn what_others_committed_is_of_unknown_kind_whatever_it_says() {
        let copied = compose(&change("Published: x", &["line"]));
        for (message, title, details) in [
            ("fix\n", "fix", vec![]),
            ("\n\nfix\n\nwhy\nmore\n\nSigned-off-by: me\n", "fix", vec!["why", "more", "Signed-off-by: me"]),
            ("", "Changed", vec![]),
        ] {
            let told = told(&commit(message, "Bob <b@c>", " <b@c>"));
            assert_eq!((told.flow, told.version.kind), (None, VersionKind::Unknown));
            assert_eq!(
                (told.version.title.as_str(), told.version.details),
                (title, details.into_iter().map(String::from).collect())
            );
            assert_eq!(told.version.author, Author { name: "Unnamed".into(), id: None });
        }
        let told = told(&commit(&copied, "Bob <b@c>", "Bob <b@c>"));
        assert_eq!((told.flow, told.intent, told.version.kind), (None, None, VersionKind::Unknown));
    }

    #[test]
    fn long_texts_are_cut() {
        let long = "é".repeat(5000);
        let text = compose(&change(&long, &vec![long.as_str(); 100]));
        assert!(text.len() < 64 * 1024, "{}", text.len());
        assert_eq!(text.lines().next().unwrap().chars().count(), TITLE_MAX_CHARS);
    }
}

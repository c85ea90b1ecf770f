//! Which branches and tags a repository at a host has, and what its server can do.

use super::error::{RemoteError, Result};
use super::host::{Answer, Host, Service, first_line};
use super::packet::{DELIMITER, FLUSH, Packet, push_line};
use crate::history::repository::refs::MAIN;
use gix::ObjectId;

/// The branches and tags of a repository.
#[derive(Debug, Default)]
pub(super) struct References(Vec<(String, ObjectId)>);

impl References {
    pub(super) fn push(&mut self, name: &str, id: ObjectId) {
        if name.starts_with("refs/heads/") || name.starts_with("refs/tags/") {
            self.0.push((name.to_owned(), id));
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the branch `main` is; `None` in a repository without any branch and tag.
    pub(super) fn main(&self) -> Result<Option<ObjectId>> {
        let main = self.0.iter().find(|(name, _)| name == MAIN).map(|(_, id)| *id);
        if main.is_none() && !self.is_empty() { Err(RemoteError::OtherReferences) } else { Ok(main) }
    }
}

/// What a server that takes packs says of itself.
pub(super) struct Receiver {
    pub(super) references: References,
    capabilities: String,
}

impl Receiver {
    pub(super) fn can(&self, capability: &str) -> bool {
        self.capabilities.split(' ').any(|own| own == capability)
    }
}

/// Asks the server that takes packs.
pub(super) fn receiver(host: &Host<'_>) -> Result<Receiver> {
    let mut answer = host.discover(Service::ReceivePack)?;
    let first = first_line(&mut answer)?;
    let (references, capabilities) = advertised(first, &mut answer)?;
    let receiver = Receiver { references, capabilities };
    if receiver.can("report-status") { Ok(receiver) } else { Err(RemoteError::Outdated) }
}

/// What a server that gives packs says of itself.
pub(super) struct Giver {
    pub(super) references: References,
    /// `None` for a server that does not speak version 2 of the protocol.
    pub(super) version: Option<Version2>,
}

/// What matters of the second version of the protocol.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Version2 {
    /// It wants to be told which ids are meant.
    has_format: bool,
}

/// Asks the server that gives packs. An older server says its branches and tags at once.
pub(super) fn giver(host: &Host<'_>) -> Result<Giver> {
    let mut answer = host.discover(Service::UploadPack)?;
    let first = first_line(&mut answer)?;
    if first.as_deref() != Some("version 2") {
        return Ok(Giver { references: advertised(first, &mut answer)?.0, version: None });
    }
    let mut version = Version2::default();
    loop {
        match answer.next()? {
            Packet::Flush => break,
            packet => {
                let capability = packet.text().ok_or(RemoteError::Broken)?;
                if let Some(format) = capability.strip_prefix("object-format=") {
                    check_format(format)?;
                    version.has_format = true;
                }
            }
        }
    }
    answer.into_inner().finish();
    Ok(Giver { references: list(host, version)?, version: Some(version) })
}

/// Asks with `ls-refs`.
fn list(host: &Host<'_>, version: Version2) -> Result<References> {
    let mut request = Vec::new();
    version.push_command("ls-refs", &mut request);
    push_line("ref-prefix refs/heads/\n", &mut request);
    push_line("ref-prefix refs/tags/\n", &mut request);
    request.extend_from_slice(FLUSH);
    let mut answer = host.ask_references(&request)?;
    let mut references = References::default();
    loop {
        let packet = answer.next()?;
        if packet == Packet::Flush {
            break;
        }
        let line = packet.text().ok_or(RemoteError::Broken)?;
        let mut words = line.split(' ');
        let (id, name) = (words.next().unwrap_or_default(), words.next().ok_or(RemoteError::Broken)?);
        if id != "unborn" {
            references.push(name, object_id(id)?);
        }
    }
    answer.into_inner().finish();
    Ok(references)
}

impl Version2 {
    /// Begins a request.
    pub(super) fn push_command(self, command: &str, request: &mut Vec<u8>) {
        push_line(&format!("command={command}\n"), request);
        push_line(&format!("{}\n", Host::agent()), request);
        if self.has_format {
            push_line("object-format=sha1\n", request);
        }
        request.extend_from_slice(DELIMITER);
    }
}

/// The references as older versions of the protocol say them, and the capabilities behind the first one.
fn advertised(first: Option<String>, answer: &mut Answer) -> Result<(References, String)> {
    let (mut references, mut capabilities) = (References::default(), String::new());
    let mut line = first;
    while let Some(text) = line {
        if text != "version 1" {
            let (reference, own) = text.split_once('\0').unwrap_or((&text, ""));
            for format in own.split(' ').filter_map(|own| own.strip_prefix("object-format=")) {
                check_format(format)?;
            }
            if !own.is_empty() {
                own.clone_into(&mut capabilities);
            }
            let (id, name) = reference.split_once(' ').ok_or(RemoteError::Broken)?;
            // Peeled tags, the empty repository's stand-in and the history of other repositories are no references.
            if id != "shallow" && !name.ends_with("^{}") && name != ".have" {
                references.push(name, object_id(id)?);
            }
        }
        line = match answer.next()? {
            Packet::Flush => None,
            packet => Some(packet.text().ok_or(RemoteError::Broken)?.to_owned()),
        };
    }
    Ok((references, capabilities))
}

fn check_format(format: &str) -> Result<()> {
    if format == "sha1" { Ok(()) } else { Err(RemoteError::ObjectFormat) }
}

fn object_id(hex: &str) -> Result<ObjectId> {
    match hex.len() {
        40 => ObjectId::from_hex(hex.as_bytes()).map_err(|_| RemoteError::Broken),
        64 => Err(RemoteError::ObjectFormat),
        _ => Err(RemoteError::Broken),
    }
}

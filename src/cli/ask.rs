//! `flowkeep ask`: one question to a running service, or to a canvas in a file.

use super::client::{ApiClient, AskReply, AskRequest, ClientError};
use super::{CliError, Context, print};
use crate::domain::ids::FlowId;
use crate::limits;
use crate::ops::predictions;
use crate::ops::predictions::offline::{GivenCredential, OfflineRequest};
use crate::ops::service::control::OperatorCommand;
use crate::settings::{Flags, LogLevel, Settings};
use crate::tasks::control::{ControlReply, call};
use crate::wire::service::operator::CommandReply;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Asks a flow and prints the answer as it is written
#[derive(clap::Args)]
#[command(
    override_usage = "flowkeep ask [OPTIONS] <FLOW> <QUESTION>\n       flowkeep ask [OPTIONS] --file <FILE> <QUESTION>"
)]
pub(super) struct AskArgs {
    /// Id of the flow, or its name together with a key that may view flows
    #[arg(required = true)]
    flow: String,
    question: Option<String>,
    /// Address of the service [env: SERVICE_URL] [default: where the service of the data folder listens]
    #[arg(long, conflicts_with = "file")]
    url: Option<String>,
    /// API key [env: SERVICE_API_KEY]
    #[arg(long, allow_hyphen_values = true, conflicts_with = "file")]
    key: Option<String>,
    /// Conversation to go on with [env: SERVICE_CHAT_ID]
    #[arg(long, value_name = "ID", allow_hyphen_values = true, conflicts_with = "file")]
    chat_id: Option<String>,
    /// Proof of that conversation, from its first answer [env: SERVICE_SESSION_TOKEN]
    // One token of 64 begins with a hyphen: it is base64url.
    #[arg(long, value_name = "TOKEN", allow_hyphen_values = true, conflicts_with = "file")]
    session_token: Option<String>,
    /// Wait for the whole answer [env: SERVICE_NO_STREAM]
    #[arg(long)]
    no_stream: bool,
    /// Print the whole answer of the API as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
    /// Run a flow of this file, without a service: a canvas, a starter or an export [env: SERVICE_FLOW_FILE]
    #[arg(long, help_heading = "Without a service")]
    file: Option<String>,
    /// Which flow of the file, where it holds several [env: SERVICE_FLOW_NAME]
    #[arg(long, help_heading = "Without a service")]
    name: Option<String>,
    /// What the file's cards sign in with, such as openAIApi=openAIApiKey:KEY; repeat for more; others on this machine may
    /// see it in the list of processes [env: SERVICE_ASK_CREDENTIALS, one a line]
    #[arg(long = "credential", value_name = "NAME=FIELD:VALUE", help_heading = "Without a service")]
    credentials: Vec<String>,
}

pub(super) fn run(args: &AskArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings(Flags::default())?;
    super::logging::start(&settings, LogLevel::Warn, None);
    match (context.text(&args.file, "SERVICE_FLOW_FILE"), &args.question) {
        (Some(file), None) => ask_offline(args, context, &settings, &file, &args.flow),
        // A file in the environment does not stand in the way of a flow that was named.
        (Some(_), Some(_)) if args.file.is_some() => {
            Err(CliError::Usage("with --file give the question only, in quotes if it has spaces".to_owned()))
        }
        (_, Some(question)) => ask_service(args, context, &settings, question),
        (None, None) => {
            Err(CliError::Usage("give the flow and the question: flowkeep ask <FLOW> <QUESTION>".to_owned()))
        }
    }
}

fn ask_service(
    args: &AskArgs,
    context: &Context<'_>,
    settings: &Settings,
    question: &str,
) -> Result<(), CliError> {
    // What the service is told of its own address may lead out through a proxy, and is not asked here.
    let base = named_service(&args.url, context)?.unwrap_or_else(|| service_address(settings));
    let key = context.text(&args.key, "SERVICE_API_KEY");
    let remote = ApiClient::new(&base, key.as_deref(), settings).map_err(CliError::other)?;
    let flow = match FlowId::parse(&args.flow) {
        Some(id) => id,
        None if key.is_none() => {
            return Err(CliError::Usage(
                "this is not a flow's id; to ask a flow by its name give a key too, with --key".to_owned(),
            ));
        }
        None => remote.find_flow(&args.flow).map_err(|error| to_cli_error(error, &base))?,
    };
    let json = context.is_switched_on(args.json, "SERVICE_JSON");
    let (chat, token) = (
        context.text(&args.chat_id, "SERVICE_CHAT_ID"),
        context.text(&args.session_token, "SERVICE_SESSION_TOKEN"),
    );
    let streaming = !json && !context.is_switched_on(args.no_stream, "SERVICE_NO_STREAM");
    let ask =
        AskRequest { flow, question, chat: chat.as_deref(), session_token: token.as_deref(), streaming };
    let asked = remote.ask(&ask, &mut |token| if json { Ok(()) } else { write_out(token) });
    let answer = asked.map_err(|error| to_cli_error(error, &base))?;
    if json {
        let text = serde_json::to_string_pretty(&answer.body).map_err(CliError::other)?;
        return print(&format!("{text}\n"));
    }
    print("\n")?;
    print_continuation_hint(&answer);
    Ok(())
}

/// Only for a person: a script reads the answer and nothing else.
fn print_continuation_hint(answer: &AskReply) {
    if let (Some(chat), Some(token)) = (answer.chat_id(), &answer.session_token)
        && io::stderr().is_terminal()
    {
        // Losing this hint loses nothing of the answer.
        let (chat, token) = (chat.escape_debug(), token.escape_debug());
        let _ = writeln!(io::stderr(), "\nGo on with: --chat-id {chat} --session-token {token}");
    }
}

fn ask_offline(
    args: &AskArgs,
    context: &Context<'_>,
    settings: &Settings,
    file: &str,
    question: &str,
) -> Result<(), CliError> {
    let text =
        read_file(file).map_err(|error| CliError::Failed(format!("{file} could not be read: {error}")))?;
    let name = context.text(&args.name, "SERVICE_FLOW_NAME");
    let given = OfflineRequest {
        file: &text,
        flow: name.as_deref(),
        credentials: parse_credentials(&args.credentials, context)?,
    };
    let json = context.is_switched_on(args.json, "SERVICE_JSON");
    let whole = json || context.is_switched_on(args.no_stream, "SERVICE_NO_STREAM");
    let mut written = Ok(());
    let text = predictions::offline::run_offline(
        &given,
        question,
        settings,
        context.environment.program(),
        &mut |token| {
            if !whole && written.is_ok() {
                written = print(token);
            }
        },
    )?;
    written?;
    match (json, whole) {
        (true, _) => print(&format!("{}\n", serde_json::json!({ "text": text, "question": question }))),
        (false, true) => print(&format!("{text}\n")),
        (false, false) => print("\n"),
    }
}

/// What `--credential` and its variable say.
pub(super) fn parse_credentials(
    flags: &[String],
    context: &Context<'_>,
) -> Result<Vec<GivenCredential>, CliError> {
    let mut lines = flags.to_vec();
    if lines.is_empty() {
        let listed = (context.vars)("SERVICE_ASK_CREDENTIALS").unwrap_or_default();
        lines = listed.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    }
    let mut given: Vec<GivenCredential> = Vec::new();
    for line in &lines {
        // The value is never repeated.
        let read = line.split_once('=').and_then(|(name, rest)| Some((name, rest.split_once(':')?)));
        let Some((name, (field, value))) =
            read.filter(|(name, (field, _))| !name.is_empty() && !field.is_empty())
        else {
            return Err(CliError::Usage(
                "a credential is written name=field:value, such as openAIApi=openAIApiKey:KEY".to_owned(),
            ));
        };
        let value = serde_json::Value::from(value);
        match given.iter_mut().find(|one| one.name == name) {
            Some(one) => drop(one.fields.insert(field.to_owned(), value)),
            None => given.push(GivenCredential {
                name: name.to_owned(),
                fields: serde_json::Map::from_iter([(field.to_owned(), value)]),
            }),
        }
    }
    Ok(given)
}

/// The address that `--url` or its variable names.
pub(super) fn named_service(url: &Option<String>, context: &Context<'_>) -> Result<Option<String>, CliError> {
    context.text(url, "SERVICE_URL").map(|url| parse_service_url(&url)).transpose()
}

/// Where the service of the data folder listens, or would listen.
pub(super) fn service_address(settings: &Settings) -> String {
    running_service_address(settings).unwrap_or_else(|| configured_address(settings))
}

/// An address as the flag or its variable says it, without a slash at the end.
fn parse_service_url(url: &str) -> Result<String, CliError> {
    let url = url.trim().trim_end_matches('/');
    if url.starts_with("http://") || url.starts_with("https://") {
        return Ok(url.to_owned());
    }
    let shown = url.escape_debug();
    Err(CliError::Usage(format!("--url is \"{shown}\"; write an address such as http://127.0.0.1:3000")))
}

pub(super) fn read_file(file: &str) -> io::Result<String> {
    let mut text = String::new();
    let most = limits::IMPORT_FILE_MAX_BYTES as u64;
    let count = File::open(file)?.take(most + 1).read_to_string(&mut text)?;
    if count as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than a file of flows may be"));
    }
    Ok(text)
}

fn write_out(token: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(token.as_bytes())?;
    out.flush()
}

fn to_cli_error(error: ClientError, base: &str) -> CliError {
    match &error {
        ClientError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => CliError::OutputClosed,
        other => CliError::Failed(format!("{other}{}", to_hint(other, base))),
    }
}

/// What to do about it, as the end of a sentence.
pub(super) fn to_hint(error: &ClientError, base: &str) -> String {
    match error {
        other if other.is_unreachable() => {
            format!("; start it with `flowkeep serve`, or name its address with --url (asked: {base})")
        }
        ClientError::Refused { status: 401, .. } => "; give the flow's key with --key".to_owned(),
        ClientError::UnknownName | ClientError::AmbiguousName { .. } => {
            "; use its id, which its page shows".to_owned()
        }
        _ => String::new(),
    }
}

/// The address of the service that uses this data folder, which may have been told another port than this program.
fn running_service_address(settings: &Settings) -> Option<String> {
    match call(&settings.data_dir, &OperatorCommand::Status) {
        Ok(Some(ControlReply::Done(CommandReply::Status { address: Some(address), .. }))) => {
            Some(format!("http://{}", reachable(address)))
        }
        // Whether it can be asked is seen when it is asked.
        _ => None,
    }
}

/// The address under which this machine reaches the service of these settings.
fn configured_address(settings: &Settings) -> String {
    format!("http://{}", reachable(SocketAddr::new(settings.host, settings.port)))
}

/// Every address means this machine, when asked from it.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    let host = match address.ip() {
        IpAddr::V4(host) if host.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(host) if host.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        host => host,
    };
    SocketAddr::new(host, address.port())
}

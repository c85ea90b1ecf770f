//! MCP servers that are programs of this machine (manual 9.16, 12.6). Linux only: elsewhere none starts.
#![cfg(target_os = "linux")]

mod real;

use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::Provider;
use crate::support::{Options, Server, id};
use crate::tools::{call_tool, call_tool_in};
use flowkeep::base::cancel::{CancelReason, CancelToken};
use flowkeep::domain::local_program::{AllowedProgram, CommandLine};
use flowkeep::programs::{ProgramError, Programs};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What ends with a run is gone by then.
const PATIENCE: Duration = Duration::from_secs(10);

/// The program of these tests, and what it notes.
struct McpProgram {
    folder: tempfile::TempDir,
}

impl McpProgram {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("server.sh"), include_str!("mcp_programs/server.sh")).unwrap();
        Self { folder }
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    fn command(&self, kind: &str) -> Vec<String> {
        let script = self.folder.path().join("server.sh");
        ["/bin/sh", script.to_str().unwrap(), kind, self.notes().to_str().unwrap()]
            .map(str::to_owned)
            .to_vec()
    }

    /// A server whose operator allows this kind, with these things beside the command.
    fn allowing(&self, kind: &str, beside: Value) -> Server {
        let mut row = json!({ "command": self.command(kind) });
        row.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        Server::with_options(Options {
            settings: vec![
                ("SERVICE_MCP_COMMANDS", json!([row]).to_string()),
                ("SERVICE_ENCRYPTION_KEY", "ab".repeat(32)),
            ],
            environment: vec![("FLOW_SECRET", "of-the-service")],
            ..Options::default()
        })
    }

    fn config(&self, kind: &str, env: Value, actions: Value) -> Value {
        config(&self.command(kind), env, actions)
    }

    /// Process, and folder, as the program noted them.
    fn process_and_folder(&self) -> (u32, PathBuf) {
        let text = lines(&self.notes(), 1);
        let (process, folder) = text[0].split_once(' ').unwrap();
        (process.parse().unwrap(), folder.into())
    }

    /// Nothing of the program is left.
    fn is_left_clean(&self) {
        let (process, folder) = self.process_and_folder();
        wait_until_gone(process);
        until(|| !folder.exists(), "the folder is still there");
    }
}

fn config(command: &[String], env: Value, actions: Value) -> Value {
    let config = json!({"command": command[0], "args": command[1..], "env": env});
    json!({"mcpServerConfig": config.to_string(), "mcpActions": actions})
}

fn lines(path: &Path, count: usize) -> Vec<String> {
    let read = || fs::read_to_string(path).unwrap_or_default();
    until(|| read().lines().count() >= count, "the program noted nothing");
    read().lines().map(str::to_owned).collect()
}

fn until(done: impl Fn() -> bool, otherwise: &str) {
    let end = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < end, "{otherwise}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn wait_until_gone(process: u32) {
    until(|| !Path::new(&format!("/proc/{process}")).exists(), "the process still runs");
}

/// An agent with this tool.
fn flow(server: &Server, inputs: Value) -> String {
    let mut drawing = Drawing::default();
    let tool = drawing.card("customMCP", inputs);
    let model = drawing.card("chatScripted", json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&tool, &agent, "tools");
    server.flow(&drawing.text())
}

fn flow_error(server: &Server, inputs: Value) -> String {
    server.ask(&flow(server, inputs), &json!({"question": "Hi"})).is_error(500)
}

#[test]
fn an_allowed_program_answers_with_nothing_of_the_services_own_around_it() {
    let place = McpProgram::new();
    let server =
        place.allowing("fine", json!({"env": {"REGION": "eu"}, "flowEnv": ["TOKEN"], "memoryMb": 200}));
    server.post("/variables", &json!({"name": "token", "value": "abc", "type": "static"}));
    let env = json!({"TOKEN": "{{$vars.token}}", "REGION": "of the flow"});
    for actions in [json!(["look"]), json!("[\"look\"]")] {
        let (answer, read) =
            call_tool(&server, "customMCP", place.config("fine", env.clone(), actions), "look", json!({}));
        assert_eq!((&answer["text"], &answer["usedTools"][0]["tool"]), (&json!("Done."), &json!("look")));
        let (process, folder) = place.process_and_folder();
        let folder = folder.to_str().unwrap();
        let env = read.split_once("\"text\":\"").unwrap().1.split_once(" in ").unwrap().0;
        let mut names: Vec<&str> = env.split(';').filter_map(|row| Some(row.split_once('=')?.0)).collect();
        // What the shell itself sets.
        names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
        assert_eq!(names, ["HOME", "LANG", "PATH", "REGION", "TMPDIR", "TOKEN"], "{env}");
        assert!(env.contains("TOKEN=abc") && env.contains("REGION=eu"), "{env}");
        assert!(
            env.contains(&format!("HOME={folder};")) && env.contains(&format!("TMPDIR={folder};")),
            "{env}"
        );
        assert!(read.contains(&format!(" in {folder} with kept-for-later;")), "{read}");
        assert!(read.contains("limits 1024 120 204800 "), "{read}");
        assert!(!read.contains("of-the-service") && !read.contains("abab"), "{read}");
        assert!(!folder.contains(server.folder.path().to_str().unwrap()));
        wait_until_gone(process);
        place.is_left_clean();
    }
    assert_eq!(server.app.programs.running_count(), 0);
}

#[test]
fn only_the_whole_command_line_starts_a_program_and_what_is_missing_is_named() {
    let place = McpProgram::new();
    let server = place.allowing("fine", json!({}));
    let allowed = place.command("fine");
    let with = |edit: &dyn Fn(&mut Vec<String>)| {
        let mut command = allowed.clone();
        edit(&mut command);
        command
    };
    for (command, env, row) in [
        (with(&|command| command[2] = "other".into()), json!({}), None),
        (with(&|command| command.push("more".into())), json!({}), None),
        (with(&|command| command.truncate(2)), json!({}), None),
        (with(&|command| command[0] = "/bin/bash".into()), json!({}), None),
        (
            with(&|command| command[0] = "bash".into()),
            json!({}),
            Some(json!(with(&|command| command[0] = "/absolute/path/of/bash".into()))),
        ),
        (
            allowed.clone(),
            json!({"LD_PRELOAD": "x"}),
            Some(json!({"command": allowed, "flowEnv": ["LD_PRELOAD"]})),
        ),
    ] {
        let row = row.unwrap_or_else(|| json!(command));
        let flow = flow(&server, config(&command, env, json!(["look"])));
        let wanted = format!("would have to add to SERVICE_MCP_COMMANDS: {row}");
        // Not by `is_error`, which refuses paths: these are the flow's own words.
        let told = server.ask(&flow, &json!({"question": "Hi"})).is(500).json()["message"].clone();
        let told = told.as_str().unwrap();
        assert!(told.starts_with("Custom MCP: ") && told.contains(&wanted), "{told}");
        let problems = server.read(&format!("/validation/{flow}"));
        let told = problems.as_array().unwrap().iter().find(|row| row["name"] == "customMCP").unwrap();
        let told = told["issues"][0].as_str().unwrap();
        assert!(
            told.starts_with("This program may not be started here.") && told.contains(&wanted),
            "{told}"
        );
    }
    assert!(!place.notes().exists(), "nothing was started");
    let fine = flow(&server, config(&with(&|command| command[0] = "sh".into()), json!({}), json!(["look"])));
    server.ask(&fine, &json!({"question": "Hi"})).is(200);
    let problems = server.read(&format!("/validation/{fine}"));
    assert!(!problems.to_string().contains("customMCP"), "{problems}");
}

#[test]
fn nothing_starts_but_for_a_question() {
    let place = McpProgram::new();
    let server = place.allowing("fine", json!({}));
    let inputs = place.config("fine", json!({}), json!("[]"));
    let flow = flow(&server, inputs.clone());
    server.read(&format!("/chatflows/{flow}"));
    server.read(&format!("/validation/{flow}"));
    let listed =
        server.post("/node-load-method/customMCP", &json!({"loadMethod": "listActions", "inputs": inputs}));
    let told = listed[0]["description"].as_str().unwrap();
    assert!(listed[0]["name"] == "error" && told.contains("only started to answer a question"), "{listed}");
    assert!(!place.notes().exists());
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("Available Actions: choose at least one of: look, end"), "{told}");
    place.is_left_clean();
}

#[test]
fn what_a_program_says_beside_is_no_answer_and_what_it_asks_is_answered() {
    let place = McpProgram::new();
    let server = place.allowing("talkative", json!({}));
    let inputs = place.config("talkative", json!({}), json!("look"));
    let (answer, _) = call_tool(&server, "customMCP", inputs, "look", json!({}));
    assert_eq!(answer["text"], "Done.");
    let said = lines(&place.notes(), 3);
    let message = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    assert_eq!(message(&said[1]), json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!((&message(&said[2])["id"], &message(&said[2])["error"]["code"]), (&json!(7), &json!(-32601)));
}

#[test]
fn a_program_that_does_no_good_is_ended_and_told_of() {
    for (kind, beside, wanted) in [
        ("gone", json!({}), "the program ended with code 3"),
        ("garbage", json!({}), "the program wrote what is no message"),
        ("endless", json!({}), "the program wrote what is no message"),
        ("flood", json!({}), "it says much and answers nothing"),
        ("greedy", json!({"memoryMb": 64}), "the program ended with code "),
    ] {
        let place = McpProgram::new();
        let server = place.allowing(kind, beside);
        let told = flow_error(&server, place.config(kind, json!({}), json!(["look"])));
        assert!(told.starts_with("Custom MCP: the tools of its server cannot be listed: "), "{kind}: {told}");
        assert!(told.contains(wanted), "{kind}: {told}");
        place.is_left_clean();
        assert_eq!(server.app.programs.running_count(), 0, "{kind}");
    }
}

#[test]
fn a_program_that_is_not_there_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let no_program = folder.path().join("text");
    fs::write(&no_program, "no program").unwrap();
    for path in ["/nowhere/at-all", folder.path().to_str().unwrap(), no_program.to_str().unwrap()] {
        let server = Server::with(&[("SERVICE_MCP_COMMANDS", &json!([[path]]).to_string())]);
        let told = flow_error(&server, config(&[path.to_owned()], json!({}), json!(["look"])));
        assert!(told.contains("is not on this machine") && !told.contains(path), "{told}");
    }
}

#[test]
fn a_program_that_ends_in_the_middle_fails_its_tool_and_not_the_answer() {
    let place = McpProgram::new();
    let server = place.allowing("fine", json!({}));
    let (answer, _) =
        call_tool(&server, "customMCP", place.config("fine", json!({}), json!(["end"])), "end", json!({}));
    assert_eq!(
        answer["usedTools"][0]["error"],
        "The tool failed: the program ended with code 0; the log says more."
    );
    assert_eq!(answer["text"], "Done.");
    place.is_left_clean();
}

#[test]
fn what_a_program_started_ends_with_it_also_outside_of_its_group() {
    let place = McpProgram::new();
    let server = place.allowing("parent", json!({}));
    call_tool(&server, "customMCP", place.config("parent", json!({}), json!(["look"])), "look", json!({}));
    let child: u32 = lines(&place.notes(), 2)[1].parse().unwrap();
    wait_until_gone(child);
    place.is_left_clean();
}

#[test]
fn what_a_killed_keeper_kept_ends_with_the_run() {
    let place = McpProgram::new();
    let server = place.allowing("deaf", json!({}));
    let flow = flow(&server, place.config("deaf", json!({}), json!(["look"])));
    let asking = server.call("POST", &format!("/prediction/{flow}")).json(&json!({"question": "Hi"}));
    let socket = asking.connect();
    let (process, _) = place.process_and_folder();
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let keeper = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim().parse().unwrap();
    let keeper = rustix::process::Pid::from_raw(keeper).unwrap();
    rustix::process::kill_process(keeper, rustix::process::Signal::KILL).unwrap();
    let answer = crate::support::client::read(socket);
    assert!(answer.is_error(500).contains("the program ended"), "{answer:?}");
    place.is_left_clean();
}

#[test]
fn a_program_that_hears_no_signal_ends_when_the_caller_leaves() {
    for kind in ["silent", "deaf"] {
        let place = McpProgram::new();
        let server = place.allowing(kind, json!({}));
        let flow = flow(&server, place.config(kind, json!({}), json!(["look"])));
        let asking = server.call("POST", &format!("/prediction/{flow}")).json(&json!({"question": "Hi"}));
        let socket = asking.connect();
        let (process, _) = place.process_and_folder();
        assert!(Path::new(&format!("/proc/{process}")).exists());
        drop(socket);
        place.is_left_clean();
    }
}

#[test]
fn a_program_ends_when_the_service_stops() {
    let place = McpProgram::new();
    let mut server = place.allowing("deaf", json!({}));
    let flow = flow(&server, place.config("deaf", json!({}), json!(["look"])));
    let asking = server.call("POST", &format!("/prediction/{flow}")).json(&json!({"question": "Hi"}));
    let _socket = asking.connect();
    place.process_and_folder();
    server.stop();
    let (process, folder) = place.process_and_folder();
    let end = Instant::now() + Duration::from_secs(40);
    while Path::new(&format!("/proc/{process}")).exists() || folder.exists() {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn an_answer_that_is_late_and_a_run_that_ends_are_told_apart() {
    let place = McpProgram::new();
    let list = AllowedProgram::parse_list(&json!([place.command("silent")]).to_string()).unwrap();
    let programs = Programs::new(env!("CARGO_BIN_EXE_flowkeep").into(), &list);
    let [program, args @ ..] = &place.command("silent")[..] else { unreachable!() };
    let line = CommandLine { program: program.clone(), args: args.to_vec(), env: Vec::new() };
    let cancel = CancelToken::new(None);
    let mut running = programs.start(&line, &cancel).ok().unwrap();
    assert_eq!(running.receive(Instant::now() + Duration::from_millis(200)).err(), Some(ProgramError::Late));
    let other = cancel.clone();
    let ender = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.cancel(CancelReason::Aborted);
    });
    let told = running.receive(Instant::now() + Duration::from_secs(60)).err();
    assert_eq!(told, Some(ProgramError::Cancelled(CancelReason::Aborted)));
    ender.join().unwrap();
    assert_eq!(programs.running_count(), 1);
    drop(running);
    assert_eq!(programs.running_count(), 0);
    place.is_left_clean();
}

#[test]
fn a_card_of_a_package_starts_npx_with_what_its_credential_holds() {
    let place = McpProgram::new();
    // Stands in for npx: it takes the package for the kind of server it is.
    let npx = place.folder.path().join("npx");
    let script =
        format!("#!/bin/sh\nexec /bin/sh {} \"$2\" {}\n", place.command("x")[1], place.notes().display());
    fs::write(&npx, script).unwrap();
    fs::set_permissions(&npx, fs::Permissions::from_mode(0o755)).unwrap();
    let package = "@modelcontextprotocol/server-slack";
    let names = ["SLACK_BOT_TOKEN", "SLACK_TEAM_ID"];
    let row = json!({"command": [npx, "-y", package], "flowEnv": names});
    let held = json!({"name": "s", "credentialName": "slackApi", "plainDataObj": {"botToken": "xoxb-1", "teamId": "T1"}});
    let drawn = |server: &Server| {
        let mut drawing = Drawing::default();
        let tool = drawing.card("slackMCP", json!({"mcpActions": "look"}));
        drawing.credential(&tool, &id(&server.post("/credentials", &held)));
        (drawing, tool)
    };
    let server = Server::with(&[("SERVICE_MCP_COMMANDS", &json!([row]).to_string())]);
    let (drawing, tool) = drawn(&server);
    let (_, read) = call_tool_in(&server, drawing, &tool, "look", json!({}));
    assert!(read.contains("SLACK_BOT_TOKEN=xoxb-1;SLACK_TEAM_ID=T1;"), "{read}");
    place.is_left_clean();

    let server = Server::start();
    let (mut drawing, tool) = drawn(&server);
    let model = drawing.card("chatScripted", json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&tool, &agent, "tools");
    let flow = server.flow(&drawing.text());
    let wanted = json!({"command": ["/absolute/path/of/npx", "-y", package], "flowEnv": names}).to_string();
    let told = server.read(&format!("/validation/{flow}"))[0]["issues"][0].as_str().unwrap().to_owned();
    assert!(told.ends_with(&wanted), "{told}");
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains(&wanted) && !told.contains("xoxb"), "{told}");
}

#[test]
fn a_model_reads_what_a_program_of_the_flow_found() {
    let place = McpProgram::new();
    let server = place.allowing("fine", json!({}));
    let (provider, mut drawing) = (Provider::start(), Drawing::default());
    let tool = drawing.card("customMCP", place.config("fine", json!({}), json!(["look"])));
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&tool, &agent, "tools");
    server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is(200);
    let tools = provider.last_request().body["tools"].clone();
    assert_eq!(tools[0]["function"]["name"], "look");
    assert_eq!(tools[0]["function"]["description"], "Looks around.");
}

//! Real MCP servers from npm: `.ci/programs` installs them and names their folder in `FLOWKEEP_MCP_SERVERS`.

use super::config;
use crate::support::Server;
use crate::tools::call_tool;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

/// Where the packages are; `None`, and says so, where they are not.
fn packages() -> Option<PathBuf> {
    let found = std::env::var_os("FLOWKEEP_MCP_SERVERS").map(PathBuf::from);
    if found.is_none() {
        // Not by the macro, whose words are only shown when a test fails.
        let _ = writeln!(std::io::stderr(), "skipped: FLOWKEEP_MCP_SERVERS names no folder of MCP servers");
    }
    found
}

/// `node`, the script of a package, and what comes after it.
fn command(packages: &std::path::Path, package: &str, args: &[&str]) -> Vec<String> {
    let node = std::env::var("FLOWKEEP_NODE").unwrap_or_else(|_| "/usr/bin/node".to_owned());
    let script = packages.join(format!("node_modules/@modelcontextprotocol/{package}/dist/index.js"));
    [node.as_str(), script.to_str().unwrap()].iter().chain(args).map(|word| (*word).to_owned()).collect()
}

/// What a tool of a server answers.
fn answer_text(row: &Value, command: &[String], tool: &str, arguments: Value) -> String {
    let server = Server::with(&[("SERVICE_MCP_COMMANDS", &json!([row]).to_string())]);
    let (answer, read) =
        call_tool(&server, "customMCP", config(command, json!({}), json!([tool])), tool, arguments);
    assert_eq!(answer["text"], "Done.", "{answer}");
    assert_eq!(answer["usedTools"][0].get("error"), None, "{answer}");
    assert_eq!(server.app.programs.running_count(), 0);
    read
}

#[test]
fn the_server_that_shows_everything_adds_and_echoes() {
    let Some(packages) = packages() else { return };
    let command = command(&packages, "server-everything", &["stdio"]);
    let read = answer_text(&json!(command), &command, "echo", json!({"message": "Grüße"}));
    assert!(read.contains("Echo: Grüße"), "{read}");
    let read = answer_text(&json!(command), &command, "get-sum", json!({"a": 2, "b": 3}));
    assert!(read.contains('5'), "{read}");
    let row = json!({"command": command, "env": {"REGION": "eu"}});
    let read = answer_text(&row, &command, "get-env", json!({}));
    assert!(read.contains("REGION") && !read.contains("CARGO"), "{read}");
}

#[test]
fn the_server_of_files_reads_below_its_folder_only() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("note.txt"), "Rain from noon.").unwrap();
    let command = command(&packages, "server-filesystem", &[folder.path().to_str().unwrap()]);
    let path = folder.path().join("note.txt");
    let read = answer_text(&json!(command), &command, "read_text_file", json!({ "path": path }));
    assert!(read.contains("Rain from noon."), "{read}");
}

#[test]
fn the_server_of_memories_keeps_them_where_the_operator_says() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().unwrap();
    let command = command(&packages, "server-memory", &[]);
    let row = json!({"command": command, "env": {"MEMORY_FILE_PATH": folder.path().join("memory.jsonl")}});
    let entities =
        json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes rain"]}]});
    answer_text(&row, &command, "create_entities", entities);
    let read = answer_text(&row, &command, "read_graph", json!({}));
    assert!(read.contains("likes rain"), "{read}");
}

#[test]
fn npx_starts_a_package_and_nothing_of_it_stays() {
    if packages().is_none() {
        return;
    }
    let found = std::env::var("FLOWKEEP_NPX").unwrap_or_else(|_| "/usr/bin/npx".to_owned());
    // How the registry is reached is the machine's own matter.
    let env: serde_json::Map<String, Value> = std::env::vars()
        .filter(|(name, _)| {
            let name = name.to_ascii_lowercase();
            name == "home"
                || name == "path"
                || name == "node_extra_ca_certs"
                || name.contains("proxy")
                || name.starts_with("npm_config")
        })
        .map(|(name, value)| (name, value.into()))
        .collect();
    let command = [found.as_str(), "-y", "@modelcontextprotocol/server-sequential-thinking"];
    let row = json!({ "command": command, "env": env });
    let server = Server::with(&[("SERVICE_MCP_COMMANDS", &json!([row]).to_string())]);
    let thought = json!({"thought": "One and one.", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1});
    let inputs = json!({"mcpActions": "sequentialthinking"});
    let (answer, read) = call_tool(&server, "sequentialThinkingMCP", inputs, "sequentialthinking", thought);
    assert_eq!(answer["text"], "Done.");
    assert!(read.contains("thoughtHistoryLength"), "{read}");
    assert_eq!(server.app.programs.running_count(), 0);
}

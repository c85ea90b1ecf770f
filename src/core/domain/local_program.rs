//! Programs of this machine that flows may start: only those whose whole command line the operator listed (manual 12.6).

use crate::domain::secrets;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Least memory that a process of a local program is given, in mebibytes (manual 14.7).
const PROGRAM_MEMORY_MIN_MB: u64 = 64;
/// Most memory that a process of a local program may be given, in mebibytes (manual 14.7).
const PROGRAM_MEMORY_MAX_MB: u64 = 65_536;
/// What a program may take where its row says nothing else.
const MEMORY_MB: u64 = 1024;
/// Longest command line that a message repeats.
const SHOWN_MAX_CHARS: usize = 2_000;

/// A program that flows may start, as the operator listed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedProgram {
    /// An absolute path, and every argument.
    pub command: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// Names of variables whose values a flow may give.
    pub flow_env: Vec<String>,
    /// Mebibytes of memory that each of its processes may take.
    pub memory_mb: u64,
}

/// A row of the operator's list: the command alone, or with what goes along.
#[derive(Deserialize)]
#[serde(untagged)]
enum ProgramRow {
    Command(Vec<String>),
    Whole(DetailedProgramRow),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DetailedProgramRow {
    command: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    flow_env: Vec<String>,
    memory_mb: Option<u64>,
}

/// What is wrong with a list, in words that go after the name of its variable.
pub type ProgramListError = &'static str;

impl AllowedProgram {
    /// Reads the operator's list: JSON, a row each.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, ProgramListError> {
        let rows: Vec<ProgramRow> = serde_json::from_str(text).map_err(|_| "is not a list of commands")?;
        rows.into_iter().map(Self::from_row).collect()
    }

    fn from_row(row: ProgramRow) -> Result<Self, ProgramListError> {
        let whole = match row {
            ProgramRow::Whole(whole) => whole,
            ProgramRow::Command(command) => {
                DetailedProgramRow { command, env: BTreeMap::new(), flow_env: Vec::new(), memory_mb: None }
            }
        };
        let DetailedProgramRow { command, env, flow_env, memory_mb } = whole;
        if !command.first().is_some_and(|program| Path::new(program).is_absolute()) {
            return Err("holds a command without an absolute path");
        }
        if command.iter().chain(env.values()).any(|word| word.contains('\0')) {
            return Err("holds a word with a NUL character");
        }
        if !env.keys().chain(&flow_env).all(|name| is_variable(name)) {
            return Err("holds a variable whose name is none");
        }
        let memory_mb = memory_mb.unwrap_or(MEMORY_MB);
        if !(PROGRAM_MEMORY_MIN_MB..=PROGRAM_MEMORY_MAX_MB).contains(&memory_mb) {
            return Err("holds a memoryMb outside of 64 to 65536");
        }
        Ok(Self { command, env, flow_env, memory_mb })
    }

    /// The program itself, by its path.
    #[must_use]
    pub fn path(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    /// By its path, or by its name alone, as canvases of other machines say it.
    fn is_named(&self, name: &str) -> bool {
        let file = Path::new(self.path()).file_name().and_then(|file| file.to_str());
        self.path() == name || file == Some(name)
    }

    fn has_command_line(&self, line: &CommandLine) -> bool {
        self.is_named(&line.program) && self.command.get(1..).unwrap_or_default() == line.args
    }

    /// The environment of the program for this flow: what its row says, and what the row leaves to flows.
    fn environment(&self, line: &CommandLine) -> Result<BTreeMap<String, String>, Vec<String>> {
        let (mut given, mut refused) = (self.env.clone(), Vec::new());
        for (name, value) in &line.env {
            if given.contains_key(name) && self.env.contains_key(name) {
                // What the operator says counts.
            } else if self.flow_env.contains(name) {
                given.insert(name.clone(), value.clone());
            } else {
                refused.push(name.clone());
            }
        }
        if refused.is_empty() { Ok(given) } else { Err(refused) }
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'=')
}

/// What a flow wants to start.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct CommandLine {
    /// A path, or a name alone.
    pub program: String,
    pub args: Vec<String>,
    /// Variables for its environment. Their values may be secrets.
    pub env: Vec<(String, String)>,
}

/// A program that may be started.
pub struct ProgramGrant<'a> {
    pub row: &'a AllowedProgram,
    /// All of its environment but what every program gets.
    pub env: BTreeMap<String, String>,
}

/// Why a program is not started: what the operator would have to list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this program may not be started here. Whoever runs this server would have to add to SERVICE_MCP_COMMANDS: {0}"
)]
pub struct ProgramNotListedError(String);

impl CommandLine {
    /// Looks for this command line in the operator's list.
    ///
    /// # Errors
    /// What would have to be in the list.
    pub fn find_in<'a>(
        &self,
        allowed: &'a [AllowedProgram],
    ) -> Result<ProgramGrant<'a>, ProgramNotListedError> {
        let mut refused: Vec<String> = self.env.iter().map(|(name, _)| name.clone()).collect();
        for row in allowed.iter().filter(|row| row.has_command_line(self)) {
            match row.environment(self) {
                Ok(env) => return Ok(ProgramGrant { row, env }),
                Err(names) => refused = names,
            }
        }
        Err(ProgramNotListedError(self.suggested_row(&refused)))
    }

    /// The row that would allow this, without what looks like a secret.
    fn suggested_row(&self, flow_env: &[String]) -> String {
        let program = match Path::new(&self.program).is_absolute() {
            true => self.program.clone(),
            false => format!("/absolute/path/of/{}", self.program),
        };
        let command: Vec<String> = std::iter::once(program).chain(self.args.iter().cloned()).collect();
        let command = serde_json::json!(command);
        let row = match flow_env {
            [] => command,
            names => serde_json::json!({ "command": command, "flowEnv": names }),
        };
        let text = secrets::redact(&row.to_string()).text;
        if text.chars().count() <= SHOWN_MAX_CHARS {
            return text;
        }
        text.chars().take(SHOWN_MAX_CHARS).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(program: &str, args: &[&str], env: &[(&str, &str)]) -> CommandLine {
        let text = |text: &&str| (*text).to_owned();
        CommandLine {
            program: program.to_owned(),
            args: args.iter().map(text).collect(),
            env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        }
    }

    const LIST: &str = r#"[
        ["/usr/bin/npx", "-y", "server-memory"],
        {"command": ["/opt/search"], "env": {"REGION": "eu", "KEY": "own"}, "flowEnv": ["TOKEN"], "memoryMb": 256}
    ]"#;

    #[test]
    fn a_program_is_allowed_by_its_whole_command_line() {
        let list = AllowedProgram::parse_list(LIST).unwrap();
        let is_allowed = |line: &CommandLine| line.find_in(&list).is_ok();
        assert!(is_allowed(&line("/usr/bin/npx", &["-y", "server-memory"], &[])));
        assert!(
            is_allowed(&line("npx", &["-y", "server-memory"], &[])),
            "as canvases of other machines say it"
        );
        for other in [
            line("npx", &["-y", "server-memory", "--all"], &[]),
            line("npx", &["-y"], &[]),
            line("npx", &["server-memory", "-y"], &[]),
            line("./npx", &["-y", "server-memory"], &[]),
            line("bin/npx", &["-y", "server-memory"], &[]),
            line("/tmp/npx", &["-y", "server-memory"], &[]),
            line("", &["-y", "server-memory"], &[]),
        ] {
            assert!(!is_allowed(&other), "{} {:?}", other.program, other.args);
        }
    }

    #[test]
    fn the_environment_is_what_the_list_gives_and_what_it_leaves_to_flows() {
        let list = AllowedProgram::parse_list(LIST).unwrap();
        let asked = line("search", &[], &[("TOKEN", "t"), ("KEY", "flow's")]);
        let admitted = asked.find_in(&list).ok().unwrap();
        let env: Vec<_> = admitted.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(env, [("KEY", "own"), ("REGION", "eu"), ("TOKEN", "t")]);
        assert_eq!(admitted.row.memory_mb, 256);
        let told =
            line("search", &[], &[("LD_PRELOAD", "/tmp/x.so")]).find_in(&list).err().unwrap().to_string();
        assert!(
            told.ends_with(r#"{"command":["/absolute/path/of/search"],"flowEnv":["LD_PRELOAD"]}"#),
            "{told}"
        );
    }

    #[test]
    fn what_would_have_to_be_allowed_is_named_without_secrets() {
        let wanted = line(
            "/usr/bin/uvx",
            &["mcp-server", "--token", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"],
            &[],
        );
        let told = wanted.find_in(&[]).err().unwrap().to_string();
        assert!(told.contains(r#"SERVICE_MCP_COMMANDS: ["/usr/bin/uvx","mcp-server","--token""#), "{told}");
        assert!(!told.contains("sk-proj-abc"), "{told}");
        let long = line("x", &["y".repeat(10_000).as_str()], &[]).find_in(&[]).err().unwrap().to_string();
        assert!(long.chars().count() < SHOWN_MAX_CHARS + 200);
    }

    #[test]
    fn a_list_that_cannot_be_used_says_why() {
        for (text, why) in [
            ("npx", "is not a list"),
            (r#"[["npx"]]"#, "without an absolute path"),
            ("[[]]", "without an absolute path"),
            (r#"[["/a", "b\u0000"]]"#, "NUL"),
            (r#"[{"command": ["/a"], "env": {"A=B": "x"}}]"#, "variable"),
            (r#"[{"command": ["/a"], "flowEnv": [""]}]"#, "variable"),
            (r#"[{"command": ["/a"], "memoryMb": 1}]"#, "memoryMb"),
            (r#"[{"command": ["/a"], "surprise": 1}]"#, "is not a list"),
        ] {
            assert!(AllowedProgram::parse_list(text).unwrap_err().contains(why), "{text}");
        }
    }
}

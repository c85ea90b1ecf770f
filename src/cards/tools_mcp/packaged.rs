//! MCP servers that come as npm packages. Flowise starts its own copies of them; here `npx` does, where the operator
//! lists that command line and the variables that a flow may set.

use super::McpServer;
use crate::domain::error::Result;
use crate::domain::local_program::CommandLine;
use crate::kit::Inputs;

/// A package, and what its server wants to know.
pub(super) struct Package {
    /// Its name in the registry.
    pub(super) name: &'static str,
    /// Variables of its environment, each with the field of the credential that holds it.
    pub(super) secrets: &'static [(&'static str, &'static str)],
}

impl Package {
    /// The server of a card of this package, with these further arguments.
    pub(super) fn server(&self, inputs: &Inputs<'_>, args: &str) -> Result<McpServer> {
        let mut line = self.line(args);
        for ((_, value), (_, field)) in line.env.iter_mut().zip(self.secrets) {
            *value = inputs.secret(field)?;
        }
        Ok(McpServer::Program(line))
    }

    /// What is started, without secrets.
    pub(super) fn line(&self, args: &str) -> CommandLine {
        let args = args.split_whitespace().map(str::to_owned);
        CommandLine {
            program: "npx".to_owned(),
            args: ["-y".to_owned(), self.name.to_owned()].into_iter().chain(args).collect(),
            env: self.secrets.iter().map(|(name, _)| ((*name).to_owned(), String::new())).collect(),
        }
    }
}

//! `import` of files of other products: n8n, Langflow and Dify.

use crate::program::standard_output;
use crate::{Home, one_line};
use serde_json::{Value, json};

const APP: &str = "app: {mode: chat, name: Sock adviser}
kind: app
version: 0.1.5
model_config:
  pre_prompt: You sell socks.
  model: {provider: openai, name: gpt-4o-mini, mode: chat}
";

#[test]
fn an_app_of_dify_comes_in_from_its_yaml_and_a_preview_says_so_before() {
    let home = Home::new();
    let _service = home.serve();
    let file = home.path().join("adviser.yml");
    std::fs::write(&file, APP).unwrap();
    let path = file.to_str().unwrap();
    let preview = home.good(&["import", path, "--preview"]);
    assert!(preview.starts_with("create   ChatFlow       Sock adviser\n"), "{preview}");
    assert!(preview.contains("It was drawn anew from an export of Dify."), "{preview}");
    assert!(preview.contains("Choose a credential for the model 'gpt-4o-mini'."), "{preview}");
    assert_eq!(home.good(&["import", path]), preview);
    let again: Value = serde_json::from_str(&home.good(&["import", path, "--json"])).unwrap();
    assert_eq!(again["items"][0]["action"], "skip", "{again}");
}

#[test]
fn a_workflow_that_does_not_come_in_is_reported_and_ends_the_command_with_1() {
    let home = Home::new();
    let _service = home.serve();
    let file = home.path().join("hook.json");
    let node = json!({"name": "In", "type": "n8n-nodes-base.webhook", "parameters": {}});
    std::fs::write(&file, json!({"name": "Hook", "nodes": [node], "connections": {}}).to_string()).unwrap();
    let refused = home.run(&["import", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    let told = standard_output(&refused);
    assert!(told.starts_with("refused  ChatFlow       Hook\n"), "{told}");
    assert!(
        told.contains("1 × webhook ('In'): here the Start card of an agentflow takes webhooks."),
        "{told}"
    );
    for text in ["a: [", "{", "just words"] {
        std::fs::write(&file, text).unwrap();
        one_line(&home.run(&["import", file.to_str().unwrap()]), 1);
    }
}

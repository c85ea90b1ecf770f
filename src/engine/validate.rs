//! What is wrong with a canvas, by card and input, before anybody runs it, and what of it this server cannot run at all.

mod agentflow;
pub(super) mod assistant;
mod harness;
mod members;
mod pipeline;
mod values;

use super::plan::{Plan, PlanError};
use super::renamed_cards::former_name;
use super::resources::{Resources, forbidden_program, missing_flows, missing_records, missing_variables};
use super::wiring::fits;
use super::{credential, source};
use crate::canvas::{Canvas, Node};
use crate::cards::kit::schema::input::parse_names;
use crate::cards::kit::{Card, Category, Input, InputKind, WireType};
use crate::cards::{registry, unsupported};
use crate::domain::flows::card_problems::{CardProblems, LostConnection};
use crate::domain::flows::flow::FlowKind;
use serde_json::Value;
use std::collections::HashSet;

/// Connections without an end that are told one by one (manual 14.4).
const LOST_TOLD_MAX: usize = 200;

/// The problems of a canvas as a whole: its lost connections, and these others.
fn problems_of_flow(
    lost: Vec<LostConnection>,
    others: impl IntoIterator<Item = String>,
    blocks: bool,
) -> Option<CardProblems> {
    let issues: Vec<String> = lost.iter().map(|one| one.issue.clone()).chain(others).collect();
    let (id, label, name) = (String::new(), "Flow".to_owned(), String::new());
    (!issues.is_empty()).then_some(CardProblems { id, label, name, issues, lost, blocks })
}

/// The problems of a card: these `issues`, which keep it from running where it `blocks`, and what is to be known beside them and
/// keeps nothing from running.
fn card_problems(
    node: &Node,
    mut issues: Vec<String>,
    blocks: bool,
    resources: &dyn Resources,
) -> Option<CardProblems> {
    issues.extend(missing_flows(node, resources));
    issues.extend(missing_variables(node, resources));
    issues.extend(former_name(node));
    let (id, label, name) = (node.id.clone(), node.label().to_owned(), node.name.clone());
    (!issues.is_empty()).then_some(CardProblems { id, label, name, issues, lost: Vec::new(), blocks })
}

/// What is wrong with the inputs of a card, the records that they name, and the program that it would start.
fn saved_issues(canvas: &Canvas, node: &Node, resources: &dyn Resources) -> Vec<String> {
    let mut issues = node_issues(canvas, node, resources);
    issues.extend(missing_records(node, resources));
    issues.extend(forbidden_program(node, resources));
    issues
}

/// What is wrong with a value of an input.
pub(super) fn value_issue(input: &Input, value: Option<&Value>) -> Option<String> {
    values::issue(input, value)
}

/// What is said of a text that is none of the choices of an input.
pub(super) fn no_choice(input: &Input, text: &str) -> String {
    values::no_choice(input, text)
}

/// Lists the problems of a canvas; empty when it is fine.
#[must_use]
pub fn validate(kind: FlowKind, canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    match kind {
        FlowKind::Agentflow => agentflow::problems(canvas, resources),
        FlowKind::Etl => pipeline::problems(canvas, resources),
        FlowKind::Multiagent => members::problems(canvas, resources),
        FlowKind::Harness => harness::problems(canvas, resources),
        FlowKind::Chatflow => chat_problems(canvas, resources),
        FlowKind::Assistant => assistant::problems(canvas, resources),
    }
}

fn chat_problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let is_alone = cards(canvas).count() == 1;
    let connected = connected_nodes(canvas);
    let mut found = Vec::new();
    let planned = Plan::compile(canvas);
    for node in cards(canvas) {
        let mut issues = saved_issues(canvas, node, resources);
        if registry::find(&node.name).is_some_and(|card| card.category == Category::Pipelines) {
            issues.push("This card belongs to a flow of type ETL.".to_owned());
        }
        if !is_alone && !connected.contains(node.id.as_str()) {
            issues.push("This card is connected to nothing.".to_owned());
        }
        match planned.as_ref().err().filter(|fault| fault.node() == Some(&node.id)) {
            Some(PlanError::Circle { cards: [first, _], nodes }) => {
                issues.push(format!("{} is connected in a circle with '{first}'.", closing(node, &nodes[0])));
            }
            Some(fault) => issues.push(fault.to_string()),
            None => {}
        }
        // A card that no answer needs keeps no answer from coming, nor does a flow that a model may ask or a variable, which
        // is empty then.
        let is_needed = planned.as_ref().map_or(true, |plan| plan.places.contains_key(&node.id));
        let blocks = is_needed && !issues.is_empty();
        found.extend(card_problems(node, issues, blocks, resources));
    }
    let blocks = planned.is_err();
    let of_flow = planned.err().filter(|fault| fault.node().is_none());
    found.extend(problems_of_flow(dangling(canvas), of_flow.map(|fault| fault.to_string()), blocks));
    found
}

fn cards(canvas: &Canvas) -> impl Iterator<Item = &Node> {
    canvas.nodes().iter().filter(|node| !node.is_note())
}

/// Connections with an end that is not there, the first ones of very many: a canvas holds them by the hundred thousand where its
/// cards do not, and once these are gone the next ones are told.
fn dangling(canvas: &Canvas) -> Vec<LostConnection> {
    let edges = canvas.edges().iter();
    let dangling =
        edges.filter(|edge| canvas.node(&edge.source).is_none() || canvas.node(&edge.target).is_none());
    dangling
        .take(LOST_TOLD_MAX)
        .map(|edge| LostConnection {
            edge: edge.id.clone(),
            issue: format!(
                "A connection leads from '{}' to '{}', and one of them is missing.",
                edge.source, edge.target
            ),
        })
        .collect()
}

pub(super) fn unknown_card(node: &Node) -> String {
    unsupported::reason(&node.name)
        .map_or_else(|| format!("This server does not know the card '{}'.", node.name), str::to_owned)
}

/// The names of the cards of a canvas that this server does not have, once for each card.
pub fn unknown_cards(canvas: &Canvas) -> impl Iterator<Item = &str> {
    cards(canvas).map(|node| node.name.as_str()).filter(|name| registry::find(name).is_none())
}

/// The nodes that a connection starts from or leads to.
fn connected_nodes(canvas: &Canvas) -> HashSet<&str> {
    let mut found: HashSet<&str> =
        canvas.edges().iter().flat_map(|edge| [edge.source.as_str(), edge.target.as_str()]).collect();
    for node in canvas.nodes() {
        for value in node.inputs.values() {
            source::for_each_reference(value, &mut |id| {
                found.extend(canvas.node(id).map(|source| source.id.as_str()));
                found.insert(&node.id);
            });
        }
    }
    found
}

/// The input by which `node` needs the node `needed`, by its label.
fn closing<'a>(node: &'a Node, needed: &str) -> &'a str {
    let mut by = "This card";
    for (name, value) in &node.inputs {
        source::for_each_reference(value, &mut |id| {
            if id == needed {
                let declared = registry::find(&node.name).and_then(|card| card.input(name));
                by = declared.map_or(name.as_str(), |input| input.label);
            }
        });
    }
    by
}

fn node_issues(canvas: &Canvas, node: &Node, resources: &dyn Resources) -> Vec<String> {
    let Some(card) = registry::find(&node.name) else {
        return vec![unknown_card(node)];
    };
    let shown = |input: &&Input| {
        input.shown_if.is_none_or(|(other, wanted)| shows(node, card, other, wanted))
            && input.shown_for.is_none_or(|(other, wanted)| holds(node, other, wanted))
    };
    card.inputs.iter().filter(shown).filter_map(|input| issue(canvas, node, card, input, resources)).collect()
}

fn issue(
    canvas: &Canvas,
    node: &Node,
    card: &Card,
    input: &Input,
    resources: &dyn Resources,
) -> Option<String> {
    let value = node.inputs.get(input.name);
    if let InputKind::Wire(wanted) | InputKind::Wires(wanted) = input.kind
        && let Some(wrong) = value.and_then(|value| wire_issue(canvas, input, wanted, value))
    {
        return Some(wrong);
    }
    if let (InputKind::Credential(_), Some(id)) = (input.kind, &node.credential) {
        let why = match resources.credential_type(id) {
            None => Some(credential::CREDENTIAL_MISSING.to_owned()),
            Some(given) => credential::type_mismatch(card, &given),
        };
        return why.map(|why| format!("{}: {why}.", input.label));
    }
    let is_replaced = !input.unless.is_empty()
        && input.unless.iter().all(|other| node.inputs.get(*other).is_some_and(|value| !is_empty(value)));
    if input.optional || input.default.is_some() || is_replaced {
        return values::issue(input, value);
    }
    let empty = match input.kind {
        InputKind::Credential(_) => true,
        _ => value.is_none_or(is_empty),
    };
    match (empty, input.is_wire()) {
        (true, true) => Some(needs_connection(input)),
        (true, false) => Some(format!("{} is required.", input.label)),
        (false, _) => values::issue(input, value),
    }
}

fn needs_connection(input: &Input) -> String {
    format!("{} needs a connection.", input.label)
}

/// What is wrong with the cards that are wired into an input.
fn wire_issue(canvas: &Canvas, input: &Input, wanted: WireType, value: &Value) -> Option<String> {
    let mut wrong = None;
    source::for_each_reference(value, &mut |id| {
        let Some(from) = canvas.node(id) else {
            wrong = Some(format!("{} is connected to '{id}', which is not on the canvas.", input.label));
            return;
        };
        // A card that is not known here is reported where it stands.
        if registry::find(&from.name).is_some_and(|card| !fits(wanted, card, from)) {
            wrong = Some(format!(
                "{} cannot take '{}': connect a card of the kind {}.",
                input.label,
                from.label(),
                wanted.class()
            ));
        }
    });
    wrong
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn shows(node: &Node, card: &Card, other: &str, wanted: &str) -> bool {
    let default = card.input(other).and_then(|input| input.default).unwrap_or_default();
    match node.inputs.get(other) {
        Some(Value::Bool(on)) => on.to_string() == wanted,
        Some(Value::String(text)) if !text.is_empty() => text == wanted,
        _ => default == wanted,
    }
}

/// True when the choice, or one of the choices, of another input is one of these.
fn holds(node: &Node, other: &str, wanted: &[&str]) -> bool {
    let names = node.inputs.get(other).and_then(parse_names).unwrap_or_default();
    names.iter().any(|name| wanted.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::kit::Picker;
    use crate::domain::flows::card_problems::can_run;
    use serde_json::json;

    fn node(id: &str, name: &str, credential: Option<&str>, inputs: Value) -> Value {
        json!({"id": id, "data": {"id": id, "name": name, "label": id, "inputs": inputs, "credential": credential}})
    }

    /// A workspace with two credentials, and nothing else but variables.
    struct Two;

    impl Resources for Two {
        fn credential_type(&self, id: &str) -> Option<String> {
            match id {
                "ours" => Some("openAIApi".to_owned()),
                "other" => Some("anthropicApi".to_owned()),
                _ => None,
            }
        }

        fn has(&self, _: Picker, _: &str) -> bool {
            false
        }

        fn has_variable(&self, name: &str) -> bool {
            name != "lost"
        }
    }

    fn found(nodes: Value, edges: Value) -> Vec<CardProblems> {
        let canvas = json!({"nodes": nodes, "edges": edges}).to_string();
        validate(FlowKind::Chatflow, &Canvas::parse(&canvas).unwrap(), &Two)
    }

    /// A chain in front of a model, with these inputs of both and these further cards.
    fn chained(credential: Option<&str>, model: Value, chain: Value, further: &[Value]) -> Vec<CardProblems> {
        let mut inputs = json!({"model": "{{m.data.instance}}", "prompt": "{{p.data.instance}}"});
        inputs.as_object_mut().unwrap().extend(chain.as_object().unwrap().clone());
        let mut nodes = vec![
            node("m", "chatOpenAI", credential, model),
            node("p", "promptTemplate", None, json!({"template": "{question}"})),
            node("c", "llmChain", None, inputs),
        ];
        nodes.extend_from_slice(further);
        found(json!(nodes), json!([{"source": "m", "target": "c"}, {"source": "p", "target": "c"}]))
    }

    /// The one problem that there is: its card and its text.
    fn only(found: Vec<CardProblems>) -> (String, String) {
        let [problem] = found.as_slice() else { panic!("{found:?}") };
        let [issue] = problem.issues.as_slice() else { panic!("{found:?}") };
        (problem.id.clone(), issue.clone())
    }

    #[test]
    fn a_canvas_that_runs_has_no_problems() {
        assert_eq!(chained(Some("ours"), json!({"temperature": "{{$vars.heat}}"}), json!({}), &[]), []);
    }

    #[test]
    fn of_very_many_connections_without_an_end_the_first_are_told() {
        let lost = |number: usize| json!({"id": number.to_string(), "source": "gone", "target": "away"});
        let told = found(json!([]), (0..1_000).map(lost).collect());
        let edges: Vec<&LostConnection> = told.iter().flat_map(|problem| &problem.lost).collect();
        assert_eq!((edges.len(), edges[0].edge.as_str()), (LOST_TOLD_MAX, "0"));
    }

    #[test]
    fn an_input_takes_only_cards_of_its_kind() {
        let memory = node("b", "bufferMemory", None, json!({}));
        let wrong = chained(Some("ours"), json!({}), json!({"model": "{{b.data.instance}}"}), &[memory]);
        let of_chain: Vec<_> = wrong.iter().filter(|problem| problem.id == "c").collect();
        assert!(of_chain[0].issues[0].contains("cannot take 'b'"), "{wrong:?}");
        assert!(of_chain[0].issues[0].contains("BaseLanguageModel"), "{wrong:?}");
    }

    #[test]
    fn a_credential_must_be_there_and_of_a_type_that_the_card_takes() {
        let (card, text) = only(chained(Some("gone"), json!({}), json!({}), &[]));
        assert!(card == "m" && text.contains("no longer exists"), "{text}");
        let (card, text) = only(chained(Some("other"), json!({}), json!({}), &[]));
        assert!(card == "m" && text.contains("OpenAI API"), "{text}");
        assert!(only(chained(None, json!({}), json!({}), &[])).1.contains("is required"));
    }

    #[test]
    fn a_card_that_nothing_connects_is_named() {
        let (card, text) =
            only(chained(Some("ours"), json!({}), json!({}), &[node("x", "calculator", None, json!({}))]));
        assert!(card == "x" && text.contains("connected to nothing"), "{text}");
        let alone = found(json!([node("x", "calculator", None, json!({}))]), json!([]));
        assert!(!format!("{alone:?}").contains("connected to nothing"), "{alone:?}");
    }

    #[test]
    fn a_connection_that_leads_nowhere_is_named_beside_what_is_said_of_it() {
        let edge = json!([{"id": "e", "source": "x", "target": "ghost"}]);
        let told = found(json!([node("x", "calculator", None, json!({}))]), edge);
        let of_flow = told.iter().find(|problem| problem.id.is_empty()).unwrap();
        assert_eq!(of_flow.lost[0].edge, "e");
        assert!(of_flow.issues.contains(&of_flow.lost[0].issue), "{told:?}");
    }

    #[test]
    fn a_circle_names_card_and_input() {
        let further = [
            node("a", "promptTemplate", None, json!({"template": "{{b.data.instance}}"})),
            node("b", "promptTemplate", None, json!({"template": "{{a.data.instance}}"})),
        ];
        let circle = chained(Some("ours"), json!({}), json!({"prompt": "{{a.data.instance}}"}), &further);
        let told = circle.iter().find(|problem| format!("{:?}", problem.issues).contains("circle")).unwrap();
        assert!(["a", "b"].contains(&told.id.as_str()), "{circle:?}");
        assert!(
            told.issues.iter().any(|issue| issue.starts_with("Template is connected in a circle")),
            "{circle:?}"
        );
    }

    #[test]
    fn a_secret_that_history_hid_must_be_entered_again() {
        for value in [json!("Bearer [secret hidden]"), json!([{"value": "[secret hidden]"}])] {
            let (card, text) = only(chained(Some("ours"), json!({"baseOptions": value}), json!({}), &[]));
            assert!(card == "m" && text.contains("hidden secret: enter it again"), "{text}");
        }
    }

    #[test]
    fn values_are_of_the_choices_and_within_the_bounds() {
        let image = |value: Value| json!({"allowImageUploads": true, "imageResolution": value});
        for wrong in [json!("huge"), json!(5)] {
            let (card, text) = only(chained(Some("ours"), image(wrong), json!({}), &[]));
            assert!(card == "m" && text.contains("none of its choices"), "{text}");
        }
        for right in [json!("low"), json!(""), json!(null), json!("{{$vars.size}}")] {
            assert_eq!(chained(Some("ours"), image(right), json!({}), &[]), []);
        }
        let hidden = json!({"allowImageUploads": false, "imageResolution": "huge"});
        assert_eq!(chained(Some("ours"), hidden, json!({}), &[]), [], "what is not shown is not read");
        assert!(
            only(chained(Some("ours"), json!({"temperature": "hot"}), json!({}), &[])).1.contains("a number")
        );
    }

    #[test]
    fn only_what_the_answer_needs_blocks_it() {
        let beside = chained(Some("ours"), json!({}), json!({}), &[node("x", "calculator", None, json!({}))]);
        assert!(!beside.is_empty() && can_run(&beside), "{beside:?}");
        let needed = chained(None, json!({}), json!({}), &[]);
        assert!(!can_run(&needed), "{needed:?}");
        assert!(!can_run(&found(json!([]), json!([]))), "nothing at all answers nothing");
    }

    #[test]
    fn a_lost_tool_blocks_the_answer_and_a_lost_variable_does_not() {
        let lost = chained(Some("ours"), json!({"temperature": "{{$vars.lost}}"}), json!({}), &[]);
        assert!(can_run(&lost) && only(lost).1.contains("no variable 'lost'"));
        let tool =
            node("t", "customTool", None, json!({"selectedTool": "7c0f5a3e-0c57-4d0e-8f37-6f3f1a1f6c11"}));
        let agent = node(
            "a",
            "toolAgent",
            None,
            json!({"model": "{{m.data.instance}}", "tools": ["{{t.data.instance}}"], "memory": "{{b.data.instance}}"}),
        );
        let (model, memory) =
            (node("m", "chatOpenAI", Some("ours"), json!({})), node("b", "bufferMemory", None, json!({})));
        let edges = json!([
            {"source": "m", "target": "a"}, {"source": "t", "target": "a"}, {"source": "b", "target": "a"},
        ]);
        let told = found(json!([model, memory, tool, agent]), edges);
        assert!(!can_run(&told) && only(told).1.contains("no longer exists"));
    }

    #[test]
    fn a_lost_flow_keeps_no_agent_from_answering() {
        let tool = json!({"selectedChatflow": "7c0f5a3e-0c57-4d0e-8f37-6f3f1a1f6c11", "name": "ask", "description": "d"});
        let agent = json!({"model": "{{m.data.instance}}", "tools": ["{{t.data.instance}}"]});
        let nodes = [
            node("m", "chatOpenAI", Some("ours"), json!({})),
            node("t", "ChatflowTool", None, tool),
            node("a", "toolAgent", None, agent),
        ];
        let told =
            found(json!(nodes), json!([{"source": "m", "target": "a"}, {"source": "t", "target": "a"}]));
        assert!(can_run(&told) && only(told).1.contains("no longer exists"));
    }

    #[test]
    fn a_tool_that_stands_in_the_canvas_needs_none_to_be_selected() {
        let told =
            |inputs: Value| format!("{:?}", found(json!([node("t", "customTool", None, inputs)]), json!([])));
        let missing = "Select Tool is required";
        assert!(
            told(json!({})).contains(missing) && told(json!({"customToolName": "add"})).contains(missing)
        );
        assert!(!told(json!({"customToolName": "add", "customToolFunc": "return 1"})).contains(missing));
    }
}

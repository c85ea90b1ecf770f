//! What is wrong with the canvas of an agentflow: its drawing, the inputs of its steps, the cards that are picked in them, and
//! references to what cannot have come before.

use super::{card_problems, cards, node_issues, problems_of_flow, unknown_card};
use crate::canvas::{Canvas, Node};
use crate::cards::kit::steps::conditions::pattern_faults;
use crate::cards::kit::steps::structured_output::key_faults;
use crate::cards::kit::{Card, Factory, Input, InputKind};
use crate::cards::registry;
use crate::domain::flows::card_problems::{CardProblems, LostConnection};
use crate::engine::agentflow::graph::{Graph, GraphProblem, NodeIndex, Output};

use crate::engine::agentflow::values::ValueSource;
use crate::engine::agentflow::{HUMAN_INPUT, SCENARIOS};
use crate::engine::placed::CONFIG;
use crate::engine::resources::{Resources, forbidden_program, missing_records};
use crate::engine::schedule::schedule_issue;
use serde_json::{Map, Value};

/// The rows of a Condition.
const CONDITIONS: &str = "conditions";

pub(super) fn problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let (graph, drawn) = match Graph::compile(canvas) {
        Ok(graph) => {
            let warnings = graph.warnings().to_vec();
            (Some(graph), warnings)
        }
        Err(problems) => (None, problems),
    };
    let mut found = Vec::new();
    for node in cards(canvas) {
        let here: Vec<&GraphProblem> = drawn.iter().filter(|problem| problem.node == node.id).collect();
        let mut issues = step_issues(canvas, node, resources);
        let blocks = !issues.is_empty() || here.iter().any(|problem| !problem.is_warning());
        issues.extend(here.iter().map(|problem| problem.message.clone()));
        issues.extend(graph.as_ref().map(|graph| lost_references(graph, node)).unwrap_or_default());
        issues.extend(unknown_references(canvas, node));
        let by_outputs = lost_outputs(canvas, node);
        issues.extend(by_outputs.iter().map(|one| one.issue.clone()));
        let lost = here.iter().filter_map(|problem| problem.lost_connection()).chain(by_outputs).collect();
        let told = card_problems(node, issues, blocks, resources);
        found.extend(told.map(|told| CardProblems { lost, ..told }));
    }
    let of_flow: Vec<&GraphProblem> =
        drawn.iter().filter(|problem| canvas.node(&problem.node).is_none()).collect();
    let lost = of_flow.iter().filter_map(|problem| problem.lost_connection()).collect();
    let others = of_flow.iter().filter(|problem| problem.edge.is_none());
    found.extend(problems_of_flow(lost, others.map(|problem| problem.message.clone()), true));
    found
}

fn step_issues(canvas: &Canvas, node: &Node, resources: &dyn Resources) -> Vec<String> {
    let Some(card) = registry::find(&node.name) else { return vec![unknown_card(node)] };
    if !matches!(card.make, Factory::Step(_)) {
        return vec![format!("'{}' is no step of an agentflow.", card.label)];
    }
    let mut issues = node_issues(canvas, node, resources);
    issues.extend(missing_records(node, resources));
    issues.extend(picked_issues(canvas, node, card.inputs, &node.inputs, resources));
    issues.extend(
        key_faults(card, &node.inputs).map(|(input, fault)| format!("{}, {}.", input.label, fault.phrase())),
    );
    let faults = pattern_faults(rows(node, CONDITIONS));
    issues.extend(faults.map(|(row, fault)| format!("Conditions, row {row}: {fault}")));
    issues.extend(schedule_issue(node, resources.schedule_seconds_min()));
    issues
}

/// Connections that leave a card where it has no output any more: nothing ever goes that way.
fn lost_outputs(canvas: &Canvas, node: &Node) -> Vec<LostConnection> {
    let count = match node.name.as_str() {
        "conditionAgentflow" => rows(node, CONDITIONS).len() + 1,
        "conditionAgentAgentflow" => rows(node, SCENARIOS).len(),
        HUMAN_INPUT => 2,
        _ => return Vec::new(),
    };
    let leaving = canvas.edges().iter().filter(|edge| edge.source == node.id);
    let lost = leaving.filter_map(|edge| match Output::parse(&edge.source, &edge.source_handle) {
        Output::Choice(at) if at >= count => Some(LostConnection {
            edge: edge.id.clone(),
            issue: format!(
                "A connection leaves it by output {at}, which it does not have: nothing goes that way."
            ),
        }),
        _ => None,
    });
    lost.collect()
}

fn rows<'a>(node: &'a Node, input: &str) -> &'a [Value] {
    node.inputs.get(input).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What is wrong with the cards that are picked in these inputs, and in their rows.
pub(super) fn picked_issues(
    canvas: &Canvas,
    node: &Node,
    fields: &'static [Input],
    values: &Map<String, Value>,
    resources: &dyn Resources,
) -> Vec<String> {
    let mut issues = Vec::new();
    for input in fields {
        let Some(value) = values.get(input.name) else { continue };
        match (input.kind, value) {
            (InputKind::CardPick(kind), Value::String(name)) if !name.is_empty() => {
                let config = values.get(&format!("{}{CONFIG}", input.name)).and_then(Value::as_object);
                let picked = node.picked(name, config);
                let told = |issue: String| format!("{}: {issue}", input.label);
                match registry::find(&picked.name) {
                    None => issues.push(told(unknown_card(&picked))),
                    Some(card) if !registry::is_of_kind(card, kind) => {
                        issues.push(told(format!("'{}' cannot be picked here.", card.label)));
                    }
                    Some(card) => issues
                        .extend(issues_of_picked(canvas, &picked, card, resources).into_iter().map(told)),
                }
            }
            (InputKind::Rows(fields), Value::Array(rows)) => {
                for (at, row) in rows.iter().enumerate() {
                    let wrong =
                        row.as_object().map(|row| picked_issues(canvas, node, fields, row, resources));
                    let told = |issue| format!("{}, row {}: {issue}", input.label, at + 1);
                    issues.extend(wrong.unwrap_or_default().into_iter().map(told));
                }
            }
            _ => {}
        }
    }
    issues
}

/// A card that is picked stands beside what it is wired to, so wires of its own are not asked for.
fn issues_of_picked(canvas: &Canvas, picked: &Node, card: &Card, resources: &dyn Resources) -> Vec<String> {
    let wires: Vec<&str> =
        card.inputs.iter().filter(|input| input.is_wire()).map(|input| input.label).collect();
    let is_wire =
        |issue: &String| wires.iter().any(|label| issue.starts_with(&format!("{label} needs a connection")));
    let mut issues: Vec<String> =
        node_issues(canvas, picked, resources).into_iter().filter(|issue| !is_wire(issue)).collect();
    issues.extend(missing_records(picked, resources));
    issues.extend(forbidden_program(picked, resources));
    issues
}

/// References to steps that a run cannot have been through when it comes to this one: they stay as they are written.
fn lost_references(graph: &Graph, node: &Node) -> Vec<String> {
    let Some(here) = graph.find(&node.id) else { return Vec::new() };
    let mut issues = Vec::new();
    for (name, value) in &node.inputs {
        for id in ValueSource::from_saved(value).node_ids() {
            let lost = graph.find(id).filter(|&other: &NodeIndex| !graph.may_precede(other, here));
            issues.extend(lost.map(|other| {
                let other = &graph.node(other).label;
                format!("{}: It refers to '{other}', which does not come before it.", input_label(node, name))
            }));
        }
    }
    issues
}

fn input_label<'a>(node: &Node, name: &'a str) -> &'a str {
    registry::find(&node.name).and_then(|card| card.input(name)).map_or(name, |input| input.label)
}

/// References to cards that the canvas has not. Texts hold other things in double braces too, so only what is named as the
/// editor names cards counts.
fn unknown_references(canvas: &Canvas, node: &Node) -> Vec<String> {
    let mut issues = Vec::new();
    for (name, value) in &node.inputs {
        let source = ValueSource::from_saved(value);
        let label = input_label(node, name);
        for id in source.node_ids() {
            if is_card_id(id) && canvas.node(id).is_none() {
                issues.push(format!("{label}: It refers to the card '{id}', which is not there."));
            }
        }
    }
    issues
}

/// True for a name and a number.
fn is_card_id(id: &str) -> bool {
    let parts = id.rsplit_once('_');
    parts.is_some_and(|(name, number)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
            && !number.is_empty()
            && number.chars().all(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::card_problems::can_run;
    use crate::engine::resources::NoResources;
    use serde_json::json;

    fn node(id: &str, name: &str, inputs: Value) -> Value {
        json!({"id": id, "data": {"id": id, "name": name, "label": id.to_uppercase(), "inputs": inputs}})
    }

    fn edge(source: &str, target: &str) -> Value {
        json!({"source": source, "sourceHandle": format!("{source}-output-x"), "target": target})
    }

    fn told(nodes: &[Value], edges: &[Value]) -> (Vec<String>, bool) {
        let canvas = Canvas::parse(&json!({"nodes": nodes, "edges": edges}).to_string()).unwrap();
        let found = problems(&canvas, &NoResources);
        let can = can_run(&found);
        (found.into_iter().flat_map(|problem| problem.issues).collect(), can)
    }

    fn start() -> Value {
        node("s", "startAgentflow", json!({"startInputType": "chatInput"}))
    }

    fn reply(text: &str) -> Value {
        node("r", "directReplyAgentflow", json!({"directReplyMessage": text}))
    }

    #[test]
    fn a_whole_agentflow_has_no_problems() {
        assert_eq!(told(&[start(), reply("Hi")], &[edge("s", "r")]), (Vec::new(), true));
    }

    #[test]
    fn what_the_drawing_lacks_is_told_at_its_card_and_blocks() {
        let (issues, can) = told(&[start(), reply("Hi")], &[]);
        assert_eq!(issues, ["Nothing leads to 'R': connect it or remove it."]);
        assert!(!can);
    }

    #[test]
    fn a_schedule_that_cannot_be_kept_is_told_by_its_input_and_blocks() {
        let inputs = json!({
            "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": "@daily",
        });
        let (issues, can) = told(&[node("s", "startAgentflow", inputs), reply("Hi")], &[edge("s", "r")]);
        assert_eq!(
            issues,
            ["Cron Expression: names such as @daily are not known: write five fields, such as '0 9 * * *'."]
        );
        assert!(!can);
    }

    #[test]
    fn a_card_of_chatflows_is_no_step() {
        let chain = node("c", "llmChain", json!({}));
        let (issues, can) = told(&[start(), chain], &[edge("s", "c")]);
        assert_eq!(issues, ["'LLM Chain' is no step of an agentflow."]);
        assert!(!can);
    }

    #[test]
    fn what_is_wrong_with_a_card_that_is_picked_names_its_input() {
        let llm = |model: &str, config: Value| {
            node("l", "llmAgentflow", json!({"llmModel": model, "llmModelConfig": config}))
        };
        let issues = |llm: Value| told(&[start(), llm], &[edge("s", "l")]).0;
        assert_eq!(issues(llm("chatScripted", json!({}))), Vec::<String>::new());
        assert_eq!(issues(llm("calculator", json!({}))), ["Model: 'Calculator' cannot be picked here."]);
        let unknown = issues(llm("noSuchModel", json!({})));
        assert_eq!(unknown, ["Model: This server does not know the card 'noSuchModel'."]);
    }

    #[test]
    fn what_is_wrong_in_a_row_names_list_and_row() {
        let store = "7c0f5a3e-0c57-4d0e-8f37-6f3f1a1f6c11:Handbook";
        let agent = json!({
            "agentModel": "chatScripted", "agentModelConfig": {},
            "agentTools": [{"agentSelectedTool": "calculator"}, {"agentSelectedTool": "noSuchTool"}],
            "agentKnowledgeDocumentStores": [{"documentStore": store}],
        });
        let (issues, can) = told(&[start(), node("a", "agentAgentflow", agent)], &[edge("s", "a")]);
        let lost = "Knowledge (Document Stores), row 1: Document Store: what was chosen ('Handbook') no longer exists; \
                    choose another one.";
        let unknown = "Tools, row 2: Tool: This server does not know the card 'noSuchTool'.";
        assert_eq!(issues, [lost, unknown]);
        assert!(!can);
    }

    #[test]
    fn a_connection_from_an_output_that_is_not_there_is_told_and_blocks_nothing() {
        let row = json!({"type": "string", "value1": "a", "operation": "equal", "value2": "a"});
        let condition = node("c", "conditionAgentflow", json!({"conditions": [row]}));
        let by = |output: usize| json!({"source": "c", "sourceHandle": format!("c-output-{output}"), "target": "r"});
        let told_of =
            |output| told(&[start(), condition.clone(), reply("Hi")], &[edge("s", "c"), by(output)]);
        assert_eq!(told_of(1), (Vec::new(), true));
        let (issues, can) = told_of(7);
        assert_eq!(
            issues,
            ["A connection leaves it by output 7, which it does not have: nothing goes that way."]
        );
        assert!(can);
    }

    #[test]
    fn connections_that_lead_nowhere_are_named_beside_what_is_said_of_them() {
        let row = json!({"type": "string", "value1": "a", "operation": "equal", "value2": "a"});
        let condition = node("c", "conditionAgentflow", json!({"conditions": [row]}));
        let named = |id: &str, source: &str, handle: &str, target: &str| json!({"id": id, "source": source, "sourceHandle": handle, "target": target});
        let edges = [
            edge("s", "c"),
            named("a", "c", "c-output-7", "r"),
            named("b", "r", "r-output-x", "ghost"),
            named("d", "ghost", "ghost-output-x", "other"),
        ];
        let nodes = [start(), condition, reply("Hi")];
        let canvas = Canvas::parse(&json!({"nodes": nodes, "edges": edges}).to_string()).unwrap();
        let found = problems(&canvas, &NoResources);
        let lost: Vec<_> = found
            .iter()
            .flat_map(|card| card.lost.iter().map(|one| (card.id.as_str(), one.edge.as_str(), card.blocks)))
            .collect();
        assert_eq!(lost, [("c", "a", false), ("r", "b", true), ("", "d", true)]);
        assert!(found.iter().all(|card| card.lost.iter().all(|one| card.issues.contains(&one.issue))));
    }

    #[test]
    fn inputs_of_another_shape_and_rows_with_unknown_choices_are_told() {
        let issues = |name: &str, inputs: Value| {
            told(&[start(), node("x", name, inputs)], &[edge("s", "x")]).0.join(" ")
        };
        let llm = |inputs: Value| {
            let mut all = json!({"llmModel": "chatScripted", "llmModelConfig": {}});
            all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
            issues("llmAgentflow", all)
        };
        assert_eq!(llm(json!({"llmModel": 5})), "Model must name a card.");
        assert_eq!(llm(json!({"llmMessages": "boss"})), "Messages must be a list of rows.");
        assert_eq!(
            llm(json!({"llmMessages": [{"role": "user", "content": "a"}, {"role": "boss", "content": "b"}]})),
            "Messages, row 2: Role has the value 'boss', which is none of its choices."
        );
        let condition = |row: Value| issues("conditionAgentflow", json!({"conditions": [row]}));
        assert_eq!(
            condition(json!({"type": "wow", "value1": "a", "operation": "equal"})),
            "Conditions, row 1: Type has the value 'wow', which is none of its choices."
        );
        assert_eq!(
            condition(json!({"type": "string", "value1": "a", "operation": "regex", "value2": "("})),
            "Conditions, row 1: '(' is not a valid regular expression."
        );
    }

    #[test]
    fn a_reference_to_what_does_not_come_before_is_told_and_blocks_nothing() {
        let (issues, can) = told(&[start(), reply("{{ r }} {{ s }} {{ word }}")], &[edge("s", "r")]);
        assert_eq!(issues, ["Message: It refers to 'R', which does not come before it."]);
        assert!(can);
    }

    #[test]
    fn a_reference_to_a_card_that_is_not_there_is_told_with_its_input() {
        let text = "{{ llmAgentflow_7.output.x }} {{ other_thing }} {{ 7_7 }} {{ $flow.state.a_1 }}";
        let (issues, can) = told(&[start(), reply(text)], &[edge("s", "r")]);
        assert_eq!(issues, ["Message: It refers to the card 'llmAgentflow_7', which is not there."]);
        assert!(can);
    }
}

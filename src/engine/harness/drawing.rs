//! What the canvas of a harness must hold: one team, and the specialists that are connected to it (manual 22.1).

use crate::canvas::{Canvas, Node};
use crate::cards::harness::{specialist, team};
use crate::cards::kit::InputKind;
use crate::cards::registry;
use crate::domain::flows::harness_name::HarnessName;
use crate::engine::source::for_each_reference;
use crate::engine::validate::value_issue;
use serde_json::Value;

/// Most specialists of a team (manual 14.4).
const SPECIALISTS_MAX: usize = 16;

const NAME_RULE: &str =
    "write a name of small letters, digits and dashes, with no dash first, of 64 characters at most";

/// Something that keeps a canvas from being a harness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TeamProblem {
    /// The card; empty for the canvas as a whole.
    pub(crate) node: String,
    /// Names the input, where it is one of an input.
    pub(crate) message: String,
}

/// The canvas of a harness.
#[derive(Debug)]
pub(crate) struct TeamDrawing<'c> {
    pub(crate) name: HarnessName,
    pub(crate) team: &'c Node,
    /// In the order of the team, which is that of the canvas.
    pub(crate) specialists: Vec<(HarnessName, &'c Node)>,
}

impl<'c> TeamDrawing<'c> {
    /// `None` for a canvas without cards, which nobody has drawn yet.
    ///
    /// # Errors
    /// Everything that is wrong with it, card by card.
    pub(crate) fn read(canvas: &'c Canvas) -> Result<Option<Self>, Vec<TeamProblem>> {
        let cards: Vec<&Node> = canvas.nodes().iter().filter(|node| !node.is_note()).collect();
        if cards.is_empty() {
            return Ok(None);
        }
        let mut problems = Vec::new();
        let of = |name: &str| cards.iter().copied().filter(|node| node.name == name).collect::<Vec<_>>();
        let (teams, specialists) = (of(team::CARD.name), of(specialist::CARD.name));
        let strangers =
            cards.iter().filter(|node| ![team::CARD.name, specialist::CARD.name].contains(&&*node.name));
        problems.extend(strangers.map(|node| {
            problem(
                node,
                "This card has no place in a harness, which holds a Team and its Specialists.".to_owned(),
            )
        }));
        problems.extend(
            teams
                .iter()
                .skip(1)
                .map(|node| problem(node, "A harness has one Team: remove this one.".to_owned())),
        );
        let Some(&team) = teams.first() else {
            let message = "A harness needs a Team card, to which its Specialists are connected.".to_owned();
            problems.push(TeamProblem { node: String::new(), message });
            return Err(problems);
        };
        problems.extend(values(team));
        let name = name(team, team::NAME).map_err(|fault| problems.push(fault)).ok();
        let members = members(canvas, team, &specialists, &mut problems);
        match name {
            Some(name) if problems.is_empty() => Ok(Some(Self { name, team, specialists: members })),
            _ => Err(problems),
        }
    }
}

/// The specialists of a team; what is wrong with them is added to `problems`.
fn members<'c>(
    canvas: &Canvas,
    team: &Node,
    specialists: &[&'c Node],
    problems: &mut Vec<TeamProblem>,
) -> Vec<(HarnessName, &'c Node)> {
    let label = input_label(team, team::SPECIALISTS);
    if specialists.is_empty() {
        problems.push(problem(team, format!("{label}: connect at least one Specialist.")));
    }
    if specialists.len() > SPECIALISTS_MAX {
        problems.push(problem(team, format!("{label}: there can be at most {SPECIALISTS_MAX}.")));
    }
    let mut found: Vec<(HarnessName, &Node)> = Vec::new();
    for &node in specialists {
        problems.extend(values(node));
        if !is_connected(canvas, node, team) {
            problems.push(problem(node, "This Specialist is not connected to the Team.".to_owned()));
        }
        match name(node, specialist::NAME) {
            Ok(name) if found.iter().any(|(known, _)| *known == name) => {
                let label = input_label(node, specialist::NAME);
                problems.push(problem(node, format!("{label}: '{name}' is there twice.")));
            }
            Ok(name) => found.push((name, node)),
            Err(fault) => problems.push(fault),
        }
    }
    found
}

fn problem(node: &Node, message: String) -> TeamProblem {
    TeamProblem { node: node.id.clone(), message }
}

fn input_label(node: &Node, input: &str) -> &'static str {
    registry::find(&node.name).and_then(|card| card.input(input)).map_or("", |input| input.label)
}

fn name(node: &Node, input: &str) -> Result<HarnessName, TeamProblem> {
    let written = node.inputs.get(input).and_then(Value::as_str).unwrap_or_default();
    HarnessName::parse(written.trim())
        .ok_or_else(|| problem(node, format!("{}: {NAME_RULE}.", input_label(node, input))))
}

/// Numbers out of their range, and what is none of the choices.
fn values(node: &Node) -> Vec<TeamProblem> {
    let inputs = registry::find(&node.name).map_or(&[][..], |card| card.inputs);
    let judged =
        inputs.iter().filter(|input| matches!(input.kind, InputKind::Number { .. } | InputKind::Choice(_)));
    judged
        .filter_map(|input| value_issue(input, node.inputs.get(input.name)))
        .map(|message| problem(node, message))
        .collect()
}

/// By its connection, as the editor draws it and as canvases name it.
fn is_connected(canvas: &Canvas, node: &Node, team: &Node) -> bool {
    let mut is_named = false;
    if let Some(value) = team.inputs.get(team::SPECIALISTS) {
        for_each_reference(value, &mut |id| is_named |= id == node.id);
    }
    is_named || canvas.edges().iter().any(|edge| edge.source == node.id && edge.target == team.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn card(id: &str, name: &str, inputs: Value) -> Value {
        json!({"id": id, "data": {"id": id, "name": name, "label": id, "inputs": inputs}})
    }

    fn team(inputs: Value) -> Value {
        let mut all = json!({"harnessName": "desk"});
        all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
        card("team", "harnessTeam", all)
    }

    fn specialist(id: &str, name: &str) -> Value {
        card(id, "harnessSpecialist", json!({"specialistName": name}))
    }

    fn read(nodes: &[Value], connected: &[&str]) -> Result<Option<Vec<String>>, Vec<String>> {
        let edges: Vec<Value> = connected
            .iter()
            .map(|id| json!({"source": id, "target": "team", "sourceHandle": format!("{id}-output-harnessSpecialist-HarnessSpecialist"), "targetHandle": "team-input-specialists-HarnessSpecialist"}))
            .collect();
        let canvas = Canvas::parse(&json!({"nodes": nodes, "edges": edges}).to_string()).unwrap();
        match TeamDrawing::read(&canvas) {
            Ok(drawing) => {
                Ok(drawing
                    .map(|drawing| drawing.specialists.iter().map(|(name, _)| name.to_string()).collect()))
            }
            Err(problems) => {
                Err(problems.into_iter().map(|one| format!("{}: {}", one.node, one.message)).collect())
            }
        }
    }

    fn fault(nodes: &[Value], connected: &[&str]) -> String {
        let mut told = read(nodes, connected).unwrap_err();
        assert_eq!(told.len(), 1, "{told:?}");
        told.remove(0)
    }

    #[test]
    fn a_team_has_its_specialists_in_the_order_of_the_canvas() {
        let nodes = [
            specialist("b", "tax"),
            card("note", "stickyNote", json!({})),
            team(json!({})),
            specialist("a", "law"),
        ];
        assert_eq!(read(&nodes, &["a", "b"]), Ok(Some(vec!["tax".to_owned(), "law".to_owned()])));
        assert_eq!(read(&[card("note", "stickyNote", json!({}))], &[]), Ok(None));
    }

    #[test]
    fn a_reference_connects_too() {
        let nodes = [team(json!({"specialists": ["{{a.data.instance}}"]})), specialist("a", "law")];
        assert_eq!(read(&nodes, &[]), Ok(Some(vec!["law".to_owned()])));
    }

    #[test]
    fn what_is_wrong_is_told_at_its_card_and_input() {
        let law = || specialist("a", "law");
        assert!(fault(&[law()], &["a"]).starts_with(": A harness needs a Team card"));
        assert_eq!(fault(&[team(json!({}))], &[]), "team: Specialists: connect at least one Specialist.");
        assert_eq!(fault(&[team(json!({})), law()], &[]), "a: This Specialist is not connected to the Team.");
        let two = [team(json!({})), law(), specialist("b", "law")];
        assert_eq!(fault(&two, &["a", "b"]), "b: Specialist Name: 'law' is there twice.");
        for bad in ["", "Desk", "-desk", "a b"] {
            let told = fault(&[team(json!({"harnessName": bad})), law()], &["a"]);
            assert!(told.starts_with("team: Harness Name: write a name"), "{told}");
        }
        let told = fault(&[team(json!({})), law(), card("x", "chatOpenAI", json!({}))], &["a"]);
        assert!(told.starts_with("x: This card has no place"), "{told}");
        let mut second = team(json!({}));
        second["id"] = "other".into();
        assert!(
            fault(&[team(json!({})), second, law()], &["a"]).starts_with("other: A harness has one Team")
        );
        let told = fault(&[team(json!({"harnessMaxSpecialists": 9})), law()], &["a"]);
        assert_eq!(told, "team: Max Specialists must be between 1 and 8.");
        let told = fault(&[team(json!({"harnessRouting": "some"})), law()], &["a"]);
        assert!(told.starts_with("team: Routing"), "{told}");
    }

    #[test]
    fn a_team_has_sixteen_specialists_at_most() {
        let ids: Vec<String> = (0..17).map(|at| format!("s{at}")).collect();
        let of = |count: usize| {
            let mut nodes = vec![team(json!({}))];
            nodes.extend(ids[..count].iter().map(|id| specialist(id, id)));
            read(&nodes, &ids.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert_eq!(of(16).unwrap().unwrap().len(), 16);
        assert_eq!(of(17).unwrap_err(), ["team: Specialists: there can be at most 16."]);
    }
}

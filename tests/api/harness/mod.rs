//! Harnesses: teams of specialists that are asked as one (manual 22).

mod answers;
mod cards;
mod drawings;
mod ends;
mod events;
mod random_teams;
mod routes;

use crate::support::provider::{Behaviour, Provider, RecordedRequest, Reply};
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// What a stream tells of a team and its answer, in this order.
const EVENTS: [&str; 8] = [
    "harness.route",
    "harness.specialist",
    "harness.handoff",
    "start",
    "token",
    "harness.final",
    "metadata",
    "end",
];

/// The canvas of a team in the making. Every model is one of the provider's, called as its specialist, or `lead`.
pub struct Team {
    base: String,
    inputs: Value,
    specialists: Vec<Value>,
}

impl Team {
    /// A team of these specialists, called `desk`.
    pub fn of(provider: &Provider, specialists: &[&str]) -> Self {
        let base = provider.base_url();
        let inputs = json!({
            "harnessName": "desk", "harnessModel": "chatOpenAICustom",
            "harnessModelConfig": {"modelName": "lead", "basepath": format!("{base}/v1")},
        });
        let team = Self { base, inputs, specialists: Vec::new() };
        specialists.iter().fold(team, |team, name| team.specialist(name, json!({})))
    }

    /// With these inputs of the Team card.
    pub fn with(mut self, inputs: Value) -> Self {
        self.inputs.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
        self
    }

    /// One more specialist, with these inputs over the usual ones.
    pub fn specialist(mut self, name: &str, inputs: Value) -> Self {
        let mut all = json!({
            "specialistName": name, "specialistDescription": format!("Knows {name}."),
            "specialistModel": "chatOpenAICustom",
            "specialistModelConfig": {"modelName": name, "basepath": format!("{}/v1", self.base)},
        });
        all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
        self.specialists.push(all);
        self
    }

    /// `flowData`.
    pub fn text(&self) -> String {
        let card = |id: &str, name: &str, label: &str, inputs: &Value| {
            json!({"id": id, "type": "customNode", "position": {"x": 0, "y": 0},
                "data": {"id": id, "name": name, "label": label, "category": "Harness", "inputs": inputs, "outputs": {}}})
        };
        let mut nodes = vec![card("harnessTeam_0", "harnessTeam", "Team", &self.inputs)];
        let mut edges = Vec::new();
        for (at, inputs) in self.specialists.iter().enumerate() {
            let id = format!("harnessSpecialist_{at}");
            let label = inputs["specialistName"].as_str().unwrap();
            nodes.push(card(&id, "harnessSpecialist", label, inputs));
            edges.push(json!({
                "id": format!("{id}-team"), "type": "buttonedge", "source": id, "target": "harnessTeam_0",
                "sourceHandle": format!("{id}-output-harnessSpecialist-HarnessSpecialist"),
                "targetHandle": "harnessTeam_0-input-specialists-HarnessSpecialist",
            }));
        }
        json!({"nodes": nodes, "edges": edges, "viewport": {"x": 0, "y": 0, "zoom": 1}}).to_string()
    }

    /// As one team of several in a workspace, each with a name of its own.
    pub fn called(self, name: &str) -> Self {
        self.with(json!({ "harnessName": name }))
    }

    /// Makes it a flow of the workspace; its id.
    pub fn flow(&self, server: &Server) -> String {
        server.flow_with(&self.text(), &json!({"type": "HARNESS", "name": "The desk"}))
    }
}

/// What a request to the provider is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Route,
    Report,
    /// Whatever is answered with a text.
    Text,
}

pub fn stage_of(request: &RecordedRequest) -> Stage {
    let parameters = &request.body["tools"][0]["function"]["parameters"]["properties"];
    match (parameters.get("assignments").is_some(), parameters.is_object()) {
        (true, _) => Stage::Route,
        (false, true) if request.body["tools"][0]["function"]["name"] == "give_answer" => Stage::Report,
        _ => Stage::Text,
    }
}

/// Routes the question to these specialists, each with a task named after it.
pub fn route(names: &[&str]) -> Behaviour {
    let rows: Vec<Value> =
        names.iter().map(|name| json!({"specialist": name, "task": format!("Do {name}")})).collect();
    Behaviour::call("give_answer", json!({ "assignments": rows }))
}

/// The provider routes to these, hands off as `Together: done.`, and lets each specialist do as it is told here; others say
/// `<name> says so.`
pub fn script(provider: &Provider, routed: &[&str], others: &[(&str, Behaviour)]) {
    let route = route(routed);
    let others: HashMap<String, Behaviour> =
        others.iter().map(|(name, behaviour)| ((*name).to_owned(), behaviour.clone())).collect();
    provider.set_decision(move |request| {
        let model = request.body["model"].as_str().unwrap_or_default();
        match (model, stage_of(request)) {
            ("lead", Stage::Route) => route.clone(),
            ("lead", Stage::Report) => Behaviour::call("give_answer", json!({"mood": "good"})),
            ("lead", Stage::Text) => Behaviour::text("Together: done."),
            (name, _) => {
                others.get(name).cloned().unwrap_or_else(|| Behaviour::text(&format!("{name} says so.")))
            }
        }
    });
}

/// An answer in words that come one by one.
pub fn slowly(text: &str, milliseconds: u64) -> Behaviour {
    Behaviour::Reply(Reply { token_delay: Duration::from_millis(milliseconds), ..Reply::text(text) })
}

pub fn ask(server: &Server, flow: &str) -> Answer {
    server.ask(flow, &json!({"question": "What now?"}))
}

/// The requests for one model.
pub fn asked_of(provider: &Provider, model: &str) -> Vec<RecordedRequest> {
    provider.requests().into_iter().filter(|request| request.body["model"] == model).collect()
}

/// The texts of the messages of a request, as one.
pub fn told(request: &RecordedRequest) -> String {
    request.body["messages"].to_string()
}

/// The status of each specialist that ran.
pub fn statuses(team: &Value) -> Vec<(String, String)> {
    let text = |agent: &Value, name: &str| agent[name].as_str().unwrap().to_owned();
    team["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| (text(agent, "name"), text(agent, "status")))
        .collect()
}

/// A team called `desk` that needs no provider.
pub fn scripted_team() -> String {
    let card = |id: &str, name: &str, inputs: Value| json!({"id": id, "type": "customNode", "data": {"id": id, "name": name, "label": id, "inputs": inputs}});
    let team = json!({"harnessName": "desk", "harnessModel": "chatScripted", "harnessModelConfig": {}, "harnessRouting": "all"});
    let nodes = [
        card("team", "harnessTeam", team),
        card("one", "harnessSpecialist", json!({"specialistName": "one"})),
    ];
    json!({"nodes": nodes, "edges": [{"source": "one", "target": "team"}]}).to_string()
}

//! Sequential Agent flows: state, conditions, loops, tools and branches.

use super::stage::{Stage, behind, end, llm, start, turns};
use crate::support::canvases::Drawing;
use crate::support::id;
use crate::support::provider::Behaviour;
use serde_json::{Value, json};

/// A State wired to Start.
fn state(drawing: &mut Drawing, start: &str, inputs: Value) {
    let state = drawing.card("seqState", inputs);
    drawing.wire(&state, start, "state");
}

fn rows(rows: Value) -> Value {
    Value::String(rows.to_string())
}

#[test]
fn state_is_replaced_and_grows_by_table_and_by_code() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let keys = rows(json!([
            {"key": "newest", "type": "Replace", "defaultValue": "none"},
            {"key": "all", "type": "Append", "defaultValue": ""},
        ]));
        state(drawing, &begin, json!({"stateMemoryUI": keys}));
        let table = rows(json!([
            {"key": "newest", "value": "$flow.output.content"}, {"key": "all", "value": "$flow.output.content"},
        ]));
        let first = llm(drawing, &begin, "First", json!({"updateStateMemoryUI": table}));
        let code = "return {newest: $flow.state.newest + '!', all: [$flow.output.content]}";
        let by_code = json!({
            "updateStateMemory": "updateStateMemoryCode", "updateStateMemoryCode": code,
            "humanMessagePrompt": "You had {newest}.", "promptValues": "{\"newest\": \"$flow.state.newest\"}",
        });
        let second = llm(drawing, &first, "Second", by_code);
        end(drawing, &second);
    });
    stage.script([Behaviour::text("a"), Behaviour::text("b")]);
    let answer = stage.ask("Go").is(200).json();
    assert_eq!(answer["text"], "b");
    let states: Vec<&Value> =
        answer["agentReasoning"].as_array().unwrap().iter().map(|turn| &turn["state"]).collect();
    assert_eq!(states, [&json!({"newest": "a", "all": ["a"]}), &json!({"newest": "a!", "all": ["a", "b"]})]);
    let heard = stage.heard();
    assert_eq!(heard[1], ["user: Go", "user: First: a", "user: You had a."]);
    stage.script([Behaviour::text("c"), Behaviour::text("d")]);
    let next = stage.go_on(&answer, json!({"question": "Again"})).is(200).json();
    assert_eq!(
        next["agentReasoning"][1]["state"]["all"],
        json!(["a", "b", "c", "d"]),
        "a session keeps its state"
    );
}

/// A member whose every reply is added to a list of the state, which this agent memory keeps.
fn remembering(memory: &str, inputs: &Value) -> Stage {
    Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let saver = drawing.card(memory, inputs.clone());
        drawing.wire(&saver, &begin, "agentMemory");
        let keys = rows(json!([{"key": "all", "type": "Append", "defaultValue": ""}]));
        state(drawing, &begin, json!({ "stateMemoryUI": keys }));
        let table = rows(json!([{"key": "all", "value": "$flow.output.content"}]));
        let only = llm(drawing, &begin, "Only", json!({ "updateStateMemoryUI": table }));
        end(drawing, &only);
    })
}

#[test]
fn an_agent_memory_of_sqlite_keeps_the_state_in_the_database_of_the_service() {
    let unused = json!({"databaseFilePath": "/srv/agents.sqlite", "additionalConfig": {"busyTimeout": 5}});
    for (memory, inputs) in [
        ("agentMemory", json!({})),
        ("agentMemory", json!({"databaseType": "sqlite", "databaseFilePath": unused["databaseFilePath"]})),
        ("sqliteAgentMemory", json!({"additionalConfig": unused["additionalConfig"]})),
    ] {
        let stage = remembering(memory, &inputs);
        assert_eq!(stage.server.read(&format!("/validation/{}", stage.flow)), json!([]), "{memory}");
        stage.script([Behaviour::text("a"), Behaviour::text("b")]);
        let first = stage.ask("Go").is(200).json();
        let second = stage.go_on(&first, json!({"question": "Again"})).is(200).json();
        assert_eq!(second["agentReasoning"][0]["state"]["all"], json!(["a", "b"]), "{memory}");
    }
}

#[test]
fn an_agent_memory_on_a_server_that_is_down_fails_the_question_before_any_model_is_asked() {
    let secret = "a password that nobody is told";
    let place = json!({"host": "127.0.0.1", "port": "1", "database": "agents"});
    let within = |kind: &str| {
        let mut inputs = place.clone();
        inputs["databaseType"] = kind.into();
        inputs
    };
    for (memory, inputs, kind, label) in [
        ("postgresAgentMemory", place.clone(), "PostgresApi", "Postgres Agent Memory"),
        ("mySQLAgentMemory", place.clone(), "MySQLApi", "MySQL Agent Memory"),
        ("agentMemory", within("postgres"), "PostgresApi", "Agent Memory"),
        ("agentMemory", within("mysql"), "MySQLApi", "Agent Memory"),
    ] {
        let stage = remembering(memory, &inputs);
        let problems = stage.server.read(&format!("/validation/{}", stage.flow)).to_string();
        assert!(problems.contains("Connect Credential is required."), "{memory}: {problems}");
        let fields = json!({"user": "ada", "password": secret});
        let body = json!({"name": "States", "credentialName": kind, "plainDataObj": fields});
        let credential = id(&stage.server.post("/credentials", &body));
        let drawn = stage.server.read(&format!("/chatflows/{}", stage.flow));
        let mut canvas: Value = serde_json::from_str(drawn["flowData"].as_str().unwrap()).unwrap();
        let nodes = canvas["nodes"].as_array_mut().unwrap();
        let saver = nodes.iter_mut().find(|node| node["data"]["name"] == memory).unwrap();
        saver["data"]["credential"] = credential.into();
        stage.server.put(&format!("/chatflows/{}", stage.flow), &json!({"flowData": canvas.to_string()}));
        assert_eq!(stage.server.read(&format!("/validation/{}", stage.flow)), json!([]), "{memory}");
        let error = stage.ask("Go").is_error(500);
        assert!(error.starts_with(&format!("{label}: ")) && !error.contains(secret), "{memory}: {error}");
        assert!(stage.provider.requests().is_empty(), "{memory}");
        assert!(stage.server.messages(&stage.flow).is_empty(), "{memory}");
    }
}

#[test]
fn state_that_code_declares_begins_with_its_defaults() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let code = "return {list: {value: (x, y) => x.concat(y), default: () => ['0']}, mood: 'good'}";
        state(drawing, &begin, json!({"stateMemory": "stateMemoryCode", "stateMemoryCode": code}));
        let update = rows(json!([{"key": "list", "value": "1"}]));
        let node = llm(drawing, &begin, "One", json!({"updateStateMemoryUI": update}));
        end(drawing, &node);
    });
    stage.script([Behaviour::text("a")]);
    let answer = stage.ask("Go").is(200).json();
    assert_eq!(answer["agentReasoning"][0]["state"], json!({"list": ["0", "1"], "mood": "good"}));
}

/// A model, and two ways behind what decides.
fn deciding(condition: Value) -> Stage {
    Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let keys = json!({"llmStructuredOutput": rows(json!([{"key": "mood", "type": "Enum", "enumValues": "good, bad"}]))});
        let keys = json!({
            "llmStructuredOutput": keys["llmStructuredOutput"],
            "updateStateMemoryUI": rows(json!([{"key": "mood", "value": "$flow.output.mood"}])),
        });
        let node = llm(drawing, &begin, "Feel", keys);
        let decide = drawing.card("seqCondition", condition);
        behind(drawing, &node, &decide);
        for (name, output) in [("Smile", "veryGood"), ("Sigh", "end")] {
            let way = drawing.card(
                "seqLLMNode",
                json!({"llmNodeName": name, "sequentialNode": [format!("{{{{{decide}.data.instance}}}}")]}),
            );
            drawing.connect_output(&decide, output, &way);
            end(drawing, &way);
        }
    })
}

#[test]
fn a_condition_goes_on_from_the_output_that_is_met() {
    let table = rows(
        json!([{"variable": "$flow.state.mood", "operation": "Is", "value": "good", "output": "Very Good"}]),
    );
    let code = "return $flow.state.mood === 'good' ? 'Very Good' : 'End'";
    for condition in [
        json!({"conditionUI": table}),
        json!({"condition": "conditionFunction", "conditionFunction": code}),
        json!({"selectedConditionFunctionTab_seqCondition_0": "conditionFunction_seqCondition_0", "conditionFunction": code}),
    ] {
        let stage = deciding(condition);
        for (mood, name) in [("good", "Smile"), ("bad", "Sigh")] {
            stage.script([Behaviour::call("give_answer", json!({ "mood": mood })), Behaviour::text("So.")]);
            let answer = stage.ask("How?").is(200).json();
            assert_eq!(turns(&answer), ["Feel", name]);
        }
    }
}

#[test]
fn a_condition_agent_asks_a_model_and_decides_by_its_reply() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let row = json!([{"variable": "$flow.output.content", "operation": "Contains", "value": "yes", "output": "Go"}]);
        let decide = drawing
            .card("seqConditionAgent", json!({"conditionAgentName": "Judge", "conditionUI": rows(row)}));
        behind(drawing, &begin, &decide);
        let way = drawing.card(
            "seqLLMNode",
            json!({"llmNodeName": "Work", "sequentialNode": [format!("{{{{{decide}.data.instance}}}}")]}),
        );
        drawing.connect_output(&decide, "go", &way);
        end(drawing, &way);
    });
    stage.script([Behaviour::text("yes, do"), Behaviour::text("Done.")]);
    let answer = stage.ask("May I?").is(200).json();
    assert_eq!((turns(&answer), &answer["text"]), (vec!["Judge", "Work"], &json!("Done.")));
    assert_eq!(stage.heard()[1], ["user: May I?"], "what a judge says is no part of the conversation");
    stage.script([Behaviour::text("no")]);
    assert_eq!(stage.ask("May I?").is(200).json()["text"], "no");
}

#[test]
fn a_loop_goes_back_until_the_limit_of_turns() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let node = llm(drawing, &begin, "Again and again", json!({}));
        let back = drawing.card("seqLoop", json!({"loopToName": "again_and_again"}));
        behind(drawing, &node, &back);
    });
    stage.provider.set_decision(|_| Behaviour::text("More."));
    let told = stage.ask("Go").is_error(500);
    assert!(told.contains("25 turns"), "{told}");
    assert_eq!(stage.provider.requests().len(), 25);
}

#[test]
fn an_llm_node_has_its_tool_node_run_what_it_asks_for() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let node = llm(drawing, &begin, "Thinker", json!({}));
        let calculator = drawing.card("calculator", json!({}));
        let tools = drawing.card("seqToolNode", json!({"toolNodeName": "Hands"}));
        drawing.wire(&calculator, &tools, "tools");
        drawing.wire(&node, &tools, "llmNode");
        let back = drawing.card("seqLoop", json!({"loopToName": "Thinker"}));
        behind(drawing, &tools, &back);
        end(drawing, &node);
    });
    stage.script([Behaviour::call("calculator", json!({"input": "2+2"})), Behaviour::text("Four.")]);
    let answer = stage.ask("2+2?").is(200).json();
    assert_eq!((turns(&answer), &answer["text"]), (vec!["Thinker", "Hands", "Thinker"], &json!("Four.")));
    assert_eq!(answer["agentReasoning"][1]["usedTools"][0]["toolOutput"], "4");
    assert!(stage.heard()[1].contains(&"tool: 4".to_owned()), "{:?}", stage.heard());
}

#[test]
fn code_and_other_flows_become_messages_or_state() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let object = json!({
            "functionName": "Mark", "javascriptFunction": "return {mood: $flow.input + '!'}", "returnValueAs": "stateObj",
        });
        let mark = drawing.card("seqCustomFunction", object);
        behind(drawing, &begin, &mark);
        let person = json!({
            "functionName": "Ask", "javascriptFunction": "return `I feel ${$mood}`", "returnValueAs": "humanMessage",
            "functionInputVariables": "{\"mood\": \"$flow.state.mood\"}",
        });
        let asks = drawing.card("seqCustomFunction", person);
        behind(drawing, &mark, &asks);
        let node = llm(drawing, &asks, "Friend", json!({}));
        end(drawing, &node);
    });
    stage.script([Behaviour::text("Good.")]);
    let answer = stage.ask("well").is(200).json();
    assert_eq!(answer["text"], "Good.");
    assert_eq!(stage.heard()[0], ["user: well", "user: I feel well!"]);
    assert_eq!(turns(&answer), ["Mark", "Ask", "Friend"]);
}

#[test]
fn another_flow_answers_a_step() {
    let (server, provider) = (crate::support::Server::start(), crate::support::provider::Provider::start());
    let other = server.flow(&crate::support::canvases::scripted_flow());
    let mut drawing = Drawing::default();
    let model = crate::support::canvases::ProviderFormat::OpenAi.model(
        &mut drawing,
        &server,
        &provider.base_url(),
        json!({}),
    );
    let begin = start(&mut drawing, &model);
    let asks = drawing.card("seqExecuteFlow", json!({"seqExecuteFlowName": "Other", "selectedFlow": other}));
    behind(&mut drawing, &begin, &asks);
    end(&mut drawing, &asks);
    let flow = server.flow_with(&drawing.text(), &json!({"type": "MULTIAGENT"}));
    let whole = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let direct = server.ask(&other, &json!({"question": "Hi"})).is(200).json();
    assert_eq!(whole["text"], direct["text"]);
    assert_eq!(turns(&whole), ["Other"]);
    assert!(!id(&json!({"id": other})).is_empty());
}

#[test]
fn what_is_wrong_with_a_sequence_is_told_at_its_card() {
    let told = |draw: &dyn Fn(&mut Drawing, &str)| {
        Stage::new(|drawing, model| draw(drawing, model)).ask("Go").is_error(400)
    };
    let endless = |drawing: &mut Drawing, model: &str| {
        let begin = start(drawing, model);
        llm(drawing, &begin, "One", json!({}));
    };
    assert!(told(&endless).contains("no End and no Loop"));
    let loose = |drawing: &mut Drawing, model: &str| {
        let begin = start(drawing, model);
        let one = llm(drawing, &begin, "One", json!({}));
        end(drawing, &one);
        drawing.card("seqLLMNode", json!({"llmNodeName": "Loose"}));
    };
    assert!(told(&loose).contains("Nothing leads to"));
    let astray = |drawing: &mut Drawing, model: &str| {
        let begin = start(drawing, model);
        let one = llm(drawing, &begin, "One", json!({}));
        let back = drawing.card("seqLoop", json!({"loopToName": "Two"}));
        behind(drawing, &one, &back);
    };
    assert!(told(&astray).contains("no card has this name"));
    let equal = |drawing: &mut Drawing, model: &str| {
        let begin = start(drawing, model);
        let one = llm(drawing, &begin, "One", json!({}));
        let other = llm(drawing, &one, "one", json!({}));
        end(drawing, &other);
    };
    assert!(told(&equal).contains("are both named 'one'"));
}

#[test]
fn a_member_without_the_name_that_it_needs_is_refused_as_validation_says() {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let one = llm(drawing, &begin, "", json!({}));
        end(drawing, &one);
    });
    let told = stage.server.read(&format!("/validation/{}", stage.flow));
    assert_eq!(told[0]["issues"], json!(["Name is required."]), "{told}");
    assert!(stage.ask("Go").is_error(500).ends_with("Name: fill this in"));
    assert!(stage.heard().is_empty());
}

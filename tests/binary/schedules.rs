//! Schedules of the running program (manual 16.7).

use crate::Home;
use crate::program::{OWNER, Program};
use flowkeep::app::App;
use flowkeep::settings::{Environment, Flags, Settings};
use flowkeep::store::tables::{SCHEDULES, WORKSPACES};
use jiff::SignedDuration;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The log has its end within this time.
const PATIENCE: Duration = Duration::from_secs(20);

struct Page<'a> {
    program: &'a Program,
    cookie: String,
}

impl<'a> Page<'a> {
    fn of(program: &'a Program) -> Self {
        Self { program, cookie: program.sign_in(OWNER.0, OWNER.1).unwrap() }
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.program.call(method, &format!("/api/v1{path}"), &[("cookie", &self.cookie)], body);
        assert_eq!(answer.status(), 200, "{method} {path}: {}", answer.text());
        answer.json()
    }

    fn log(&self, flow: &str) -> Vec<Value> {
        let page = self.call("GET", &format!("/chatflows/{flow}/schedule/trigger-logs"), &Value::Null);
        page["data"].as_array().unwrap().clone()
    }
}

/// A flow that starts every minute.
fn canvas() -> String {
    let start = json!({
        "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": "* * * * *",
    });
    let node = |id: &str, name: &str, inputs: Value| {
        json!({"id": id, "type": "agentFlow", "position": {"x": 0, "y": 0},
            "data": {"id": id, "name": name, "label": name, "inputs": inputs, "outputs": {}}})
    };
    let edge = json!({"id": "e", "source": "s", "sourceHandle": "s-output-startAgentflow", "target": "r", "targetHandle": "r"});
    let reply = node("r", "directReplyAgentflow", json!({"directReplyMessage": "Done."}));
    json!({"nodes": [node("s", "startAgentflow", start), reply], "edges": [edge]}).to_string()
}

/// What the data looks like when the service was down for a while.
fn set_back(home: &Home, minutes: i64) {
    let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", Some(home.data()));
    let settings = Settings::from_vars(|_| None, flags).unwrap();
    let app = App::open(settings, Environment::new(|_| None)).unwrap();
    app.store
        .write(|tx| {
            for workspace in WORKSPACES.list(tx)? {
                for mut schedule in SCHEDULES.list(tx, &workspace.id)? {
                    schedule.done_until = app.clock.now() - SignedDuration::from_mins(minutes);
                    SCHEDULES.put(tx, &workspace.id, &schedule.flow, &schedule)?;
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_start_makes_up_for_the_newest_missed_run_and_a_kill_starts_none_twice() {
    let home = Home::new();
    let program = home.serve();
    let page = Page::of(&program);
    let body = json!({"name": "Clock", "type": "AGENTFLOW", "flowData": canvas()});
    let flow = page.call("POST", "/chatflows", &body)["id"].as_str().unwrap().to_owned();
    page.call("POST", &format!("/flow-drafts/{flow}/publish"), &json!({}));
    program.signal(Signal::TERM);
    let mut program = program;
    program.wait();
    drop(program);
    set_back(&home, 5);

    let program = home.serve();
    let page = Page::of(&program);
    let end = Instant::now() + PATIENCE;
    let rows = loop {
        let rows = page.log(&flow);
        if rows.iter().any(|row| row["status"] == "SUCCEEDED") {
            break rows;
        }
        assert!(Instant::now() < end, "{rows:?}, {}", program.log());
        std::thread::sleep(Duration::from_millis(50));
    };
    let missed = rows.iter().find(|row| row["status"] == "SKIPPED").unwrap();
    assert!(missed["count"].as_u64().unwrap() >= 4, "{rows:?}");
    program.kill();

    let program = home.serve();
    let rows = Page::of(&program).log(&flow);
    let mut times: Vec<&str> = rows.iter().map(|row| row["scheduledAt"].as_str().unwrap()).collect();
    let all = times.len();
    times.sort_unstable();
    times.dedup();
    assert_eq!(times.len(), all, "{rows:?}");
}

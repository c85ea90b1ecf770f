//! The process ends between the end of a run and what is left to do of it then.

use super::provider::{Behaviour, Provider};
use super::{PATIENCE, Program, Running, of_folder, stop};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn what_is_left_of_a_finished_run_is_done_by_the_next_start() {
    let (model, hangs) = (Provider::start(), Arc::new(AtomicBool::new(true)));
    let is_silent = hangs.clone();
    model.set_decision(
        move |_| if is_silent.load(Ordering::SeqCst) { Behaviour::Hang } else { Behaviour::Echo },
    );
    let running = Running::start(|ground| {
        let config = json!({
            "storeId": ground.store, "embeddingName": "ollamaEmbedding",
            "embeddingConfig": {"baseUrl": model.base_url(), "modelName": "small"},
        });
        let bearer = format!("Bearer {}", ground.key);
        let headers = [("authorization", bearer.as_str())];
        let saved = ground.service.call("POST", "/api/v1/document-store/vectorstore/save", &headers, &config);
        assert_eq!(saved.status(), 200, "{}", saved.text());
        of_folder(ground)
    });
    // Its end is stored before the vectors of the store that it filled are made.
    assert!(model.wait_until(PATIENCE, |model| model.served_count() > 0));
    let running = running.again(Program::kill);
    let (done, _) = running.end();
    running.check_targets(&done);
    hangs.store(false, Ordering::SeqCst);
    let running = running.again(Program::kill);
    let begin = Instant::now();
    let store = format!("/api/v1/document-store/store/{}", running.store);
    while running.get(&store).json()["status"] != "UPSERTED" {
        assert!(begin.elapsed() < PATIENCE, "{}", running.get(&store).text());
        std::thread::sleep(Duration::from_millis(20));
    }
    // Nothing holds the place of the next run.
    let headers = [("authorization", running.bearer.as_str())];
    let runs = running.run.rsplit_once('/').unwrap().0;
    loop {
        let started = running.service.call("POST", runs, &headers, &json!({}));
        if started.status() == 202 {
            break;
        }
        assert!(started.status() == 409 && begin.elapsed() < PATIENCE, "{}", started.text());
        std::thread::sleep(Duration::from_millis(20));
    }
    stop(running.service);
}

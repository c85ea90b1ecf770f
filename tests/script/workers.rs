//! The workers themselves: what they are made of, and that one in trouble troubles no other.

use super::*;
use flowkeep::base::cancel::CancelReason;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::thread;
use std::time::Instant;

fn run(scripts: &ScriptRunner, source: &str) -> Result<Value, ScriptError> {
    scripts.run(source, &ScriptScope::default(), &CancelToken::new(None)).result
}

fn wait_for(mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < end, "waited in vain");
        thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_has_two_pipes_and_nothing_else() {
    let alone = scripts(1);
    run(&alone, "return 1").unwrap();
    let id = alone.idle_workers()[0];
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].trim().to_owned()
    };
    assert_eq!(field("NoNewPrivs:"), "1");
    assert_eq!(field("Seccomp:"), "2");
    assert_eq!(field("Threads:"), "1");
    let limits = fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
    for (name, most) in
        [("Max open files", "3"), ("Max processes", "0"), ("Max file size", "0"), ("Max core file size", "0")]
    {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        assert_eq!(line[26..].split_whitespace().next(), Some(most), "{line}");
    }
    let space = limits.lines().find(|line| line.starts_with("Max address space")).unwrap();
    assert!(!space.contains("unlimited"), "{space}");
    // Readable only to those who may look into any process, since the worker cannot be looked into.
    if let Ok(environment) = fs::read(format!("/proc/{id}/environ")) {
        assert!(environment.is_empty() || environment.starts_with(b"TZ=UTC0"), "{environment:?}");
    }
    if let Ok(files) = fs::read_dir(format!("/proc/{id}/fd")) {
        assert!(files.count() <= 3);
        assert_eq!(fs::read_link(format!("/proc/{id}/cwd")).unwrap(), PathBuf::from("/"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_closes_what_whoever_started_the_service_left_open() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let careless = folder.path().join("careless");
    let text =
        format!("#!/bin/sh\nexec 7</etc/hostname 8</etc/hostname\nexec {} \"$@\"\n", program().display());
    fs::write(&careless, text).unwrap();
    fs::set_permissions(&careless, fs::Permissions::from_mode(0o755)).unwrap();
    let alone = ScriptRunner::new(careless, ScriptLimits::default()).unwrap();
    run(&alone, "return 1").unwrap();
    let id = alone.idle_workers()[0];
    // Readable only to those who may look into any process.
    if let Ok(open) = fs::read_dir(format!("/proc/{id}/fd")) {
        let open: Vec<_> = open.map(|entry| entry.unwrap().file_name()).collect();
        assert!(open.iter().all(|name| ["0", "1", "2"].iter().any(|own| name == own)), "{open:?}");
    }
}

#[test]
fn a_worker_that_is_killed_is_replaced() {
    let alone = scripts(1);
    run(&alone, "return 1").unwrap();
    let id = Pid::from_raw(alone.idle_workers()[0].cast_signed()).unwrap();
    kill_process(id, Signal::KILL).unwrap();
    assert_eq!(run(&alone, "return 2"), Ok(json!(2)));
}

#[test]
fn a_worker_that_dies_in_the_middle_fails_its_own_run_only() {
    let alone = scripts(1);
    run(&alone, "return 1").unwrap();
    let id = Pid::from_raw(alone.idle_workers()[0].cast_signed()).unwrap();
    let other = alone.clone();
    let running = thread::spawn(move || run(&other, "await new Promise(done => setTimeout(done, 1500))"));
    wait_for(|| alone.idle_workers().is_empty());
    kill_process(id, Signal::KILL).unwrap();
    assert_eq!(running.join().unwrap(), Err(ScriptError::Crashed));
    assert_eq!(run(&alone, "return 2"), Ok(json!(2)));
}

#[test]
fn a_worker_that_no_longer_looks_at_its_clock_is_killed() {
    let alone = scripts(1);
    run(&alone, "return 1").unwrap();
    let id = Pid::from_raw(alone.idle_workers()[0].cast_signed()).unwrap();
    let other = alone.clone();
    let start = Instant::now();
    let running = thread::spawn(move || run(&other, "await new Promise(done => setTimeout(done, 1000))"));
    wait_for(|| alone.idle_workers().is_empty());
    kill_process(id, Signal::STOP).unwrap();
    assert_eq!(running.join().unwrap(), Err(ScriptError::Timeout));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_eq!(run(&alone, "return 2"), Ok(json!(2)));
}

#[test]
fn others_answer_while_runaways_run() {
    let pool = scripts(4);
    pool.warm();
    run(&pool, "return 1").unwrap();
    let runaways: Vec<_> = (0..3)
        .map(|_| {
            let pool = pool.clone();
            thread::spawn(move || run(&pool, "for (;;) {}"))
        })
        .collect();
    thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    let mut answered = 0;
    while runaways.iter().any(|runaway| !runaway.is_finished()) {
        assert_eq!(run(&pool, "return 1"), Ok(json!(1)));
        answered += 1;
    }
    assert!(answered >= 5, "{answered} answers in {:?}", start.elapsed());
    for runaway in runaways {
        assert_eq!(runaway.join().unwrap(), Err(ScriptError::Timeout));
    }
}

#[test]
fn many_runs_at_once_share_few_workers_and_mix_nothing() {
    let pool = scripts(2);
    thread::scope(|threads| {
        for number in 0..16 {
            let pool = &pool;
            threads.spawn(move || {
                let scope = ScriptScope { inputs: map(json!({"number": number})), ..ScriptScope::default() };
                for round in 0..5 {
                    let source = format!(
                        "globalThis.mine ??= $number; console.log(mine); await null; return [mine, {round}]"
                    );
                    let ran = pool.run(&source, &scope, &CancelToken::new(None));
                    assert_eq!(ran.result, Ok(json!([number, round])));
                    assert_eq!(ran.console.lines[0].text, number.to_string());
                }
            });
        }
    });
    assert!(pool.idle_workers().len() <= 2);
}

fn run_of(scripts: &ScriptRunner, tenant: u8) -> Result<Value, ScriptError> {
    let scope = ScriptScope { tenant: Tenant([tenant; 16]), ..ScriptScope::default() };
    scripts.run("return 1", &scope, &CancelToken::new(None)).result
}

#[test]
fn a_worker_serves_one_tenant_only() {
    let alone = scripts(1);
    let mut workers = Vec::new();
    for tenant in [1, 1, 2, 2, 1] {
        assert_eq!(run_of(&alone, tenant), Ok(json!(1)));
        workers.push(alone.idle_workers());
    }
    assert_eq!((&workers[0], &workers[2]), (&workers[1], &workers[3]), "its own worker is lent again");
    assert!(workers[0] != workers[2] && workers[2] != workers[4] && workers[0] != workers[4], "{workers:?}");
}

#[test]
fn more_tenants_than_workers_all_get_their_turn() {
    let pool = scripts(2);
    thread::scope(|threads| {
        for tenant in 0..6 {
            let pool = &pool;
            threads.spawn(move || (0..4).for_each(|_| assert_eq!(run_of(pool, tenant), Ok(json!(1)))));
        }
    });
    assert!(pool.idle_workers().len() <= 2);
}

#[test]
fn who_waits_too_long_for_a_worker_is_told_so() {
    let limits = ScriptLimits {
        wall: Duration::from_secs(2),
        workers_max: 1,
        queue: Duration::from_millis(200),
        ..ScriptLimits::default()
    };
    let alone = ScriptRunner::new(program(), limits).unwrap();
    run_slow_start(&alone);
    let other = alone.clone();
    let running =
        thread::spawn(move || run(&other, "await new Promise(done => setTimeout(done, 1500)); return 1"));
    wait_for(|| alone.idle_workers().is_empty());
    assert_eq!(run(&alone, "return 2"), Err(ScriptError::Busy));
    assert_eq!(running.join().unwrap(), Ok(json!(1)));
}

/// A short queue may be shorter than a first start on a busy machine.
fn run_slow_start(scripts: &ScriptRunner) {
    scripts.warm();
    wait_for(|| !scripts.idle_workers().is_empty());
}

#[test]
fn a_run_ends_at_once_when_it_is_cancelled() {
    let cancel = CancelToken::new(None);
    let token = cancel.clone();
    let start = Instant::now();
    let running = thread::spawn(move || {
        SCRIPTS
            .run("await new Promise(done => setTimeout(done, 1900))", &ScriptScope::default(), &token)
            .result
    });
    thread::sleep(Duration::from_millis(300));
    cancel.cancel(CancelReason::CallerLeft);
    assert_eq!(running.join().unwrap(), Err(ScriptError::Cancelled(CancelReason::CallerLeft)));
    assert!(start.elapsed() < Duration::from_millis(1_500));
}

#[test]
fn a_run_has_no_more_time_than_is_left_of_the_whole() {
    let start = Instant::now();
    let cancel = CancelToken::new(Some(Duration::from_millis(300)));
    let result = SCRIPTS.run("for (;;) {}", &ScriptScope::default(), &cancel).result;
    assert_eq!(result, Err(ScriptError::Cancelled(CancelReason::TimedOut)));
    assert!(start.elapsed() < Duration::from_millis(1_300));
}

#[test]
fn a_program_that_is_no_worker_is_an_error_and_not_a_wait() {
    let wrong = ScriptRunner::new("/bin/true".into(), ScriptLimits::default()).unwrap();
    assert_eq!(run(&wrong, "return 1"), Err(ScriptError::Unavailable));
    let missing = ScriptRunner::new("/no/such/program".into(), ScriptLimits::default()).unwrap();
    assert_eq!(run(&missing, "return 1"), Err(ScriptError::Unavailable));
}

#[test]
fn workers_end_with_their_owner() {
    let alone = scripts(1);
    run(&alone, "return 1").unwrap();
    let id = Pid::from_raw(alone.idle_workers()[0].cast_signed()).unwrap();
    drop(alone);
    wait_for(|| rustix::process::test_kill_process(id).is_err());
}

//! A backup of a large folder while the service answers, and the way back: time, memory of both processes, and what answers take
//! meanwhile (manual 13.13).

use crate::canvases;
use crate::figures::{Latencies, figure, heading};
use crate::home::Home;
use crate::memory::Watch;
use crate::program::{Program, command};
use crate::wire::request;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Each file of the folder, of noise, which is the most work for what packs it.
const FILE_BYTES: usize = 100 << 20;
const FILES_A_GIGABYTE: usize = 10;
/// Between two questions, so that answers are timed and not a queue of them.
const PAUSE: Duration = Duration::from_millis(20);

/// Backup, verification and restore of so many gigabytes, without and with a passphrase.
pub fn report(gigabytes: Option<usize>) {
    let gigabytes = gigabytes.unwrap_or(1);
    heading(&format!("Backups of {gigabytes} GB"));
    let home = Home::new();
    let service = home.serve();
    let flow = service.make_flow(&home.key("bench"), "Echo", &canvases::scripted(&json!([]), "Yes."));
    fill(&home.data.join("databases"), gigabytes * FILES_A_GIGABYTE);
    let secret = home.path().join("passphrase");
    fs::write(&secret, "six words that nobody would guess\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let passphrase = ["--passphrase-file", secret.to_str().unwrap()];
    print_answers(
        "answers while nothing else is done, p50 / p99",
        &ask_until(&service, &flow, |asked| asked == 500),
    );
    let archive = home.path().join("all.tar.zst");
    let archive = archive.to_str().unwrap();
    for (kind, more) in [("plain", &[][..]), ("encrypted", &passphrase[..])] {
        let is_done = AtomicBool::new(false);
        let answers = std::thread::scope(|scope| {
            let asking = scope.spawn(|| ask_until(&service, &flow, |_| is_done.load(Ordering::Relaxed)));
            let watch = Watch::start(service.process_id());
            run(&home, &format!("backup, {kind}"), &[&["backup", archive], more].concat());
            figure(&format!("memory of the service, {kind}, at most"), &megabytes(watch.stop()), "");
            is_done.store(true, Ordering::Relaxed);
            asking.join().unwrap()
        });
        print_answers("answers meanwhile, p50 / p99", &answers);
        run(&home, &format!("verify, {kind}"), &[&["verify", archive], more].concat());
        let other = home.path().join("restored");
        let place = ["--data-dir", other.to_str().unwrap()];
        run(&home, &format!("restore, {kind}"), &[&["restore", archive], &place[..], more].concat());
        fs::remove_dir_all(other).unwrap();
        fs::remove_file(archive).unwrap();
    }
}

/// Files that are all different.
fn fill(folder: &Path, files: usize) {
    fs::create_dir_all(folder).unwrap();
    let mut noise = vec![0; FILE_BYTES];
    for number in 0..files {
        getrandom::fill(&mut noise).unwrap();
        fs::write(folder.join(number.to_string()), &noise).unwrap();
    }
}

/// Runs a command on the data, and prints how long it took and the most memory it held.
fn run(home: &Home, name: &str, arguments: &[&str]) {
    let begun = Instant::now();
    let mut command = command(arguments);
    command.env("SERVICE_DATA_DIR", home.data()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let watch = Watch::start(child.id());
    assert!(child.wait().unwrap().success(), "{arguments:?}");
    let took = begun.elapsed().as_secs_f64();
    figure(name, &format!("{took:.0} s, {}", megabytes(watch.stop())), "");
}

fn megabytes(kib: u64) -> String {
    format!("{} MB", kib / 1024)
}

/// Asks one question after the other until `is_enough` says so of their number.
fn ask_until(service: &Program, flow: &str, is_enough: impl Fn(usize) -> bool) -> Latencies {
    let body = json!({"question": "Will it rain?"}).to_string();
    let asked = request("POST", &format!("/api/v1/prediction/{flow}"), &[], body.as_bytes());
    let mut wire = service.wire();
    let mut times = Vec::new();
    while !is_enough(times.len()) {
        let begun = Instant::now();
        assert_eq!(wire.ask(&asked).unwrap().status(), 200);
        times.push(begun.elapsed());
        std::thread::sleep(PAUSE);
    }
    Latencies::new(times)
}

fn print_answers(name: &str, times: &Latencies) {
    figure(
        name,
        &format!("{:.1} / {:.1} ms", times.percentile(0.5), times.percentile(0.99)),
        "p99 < 2 x usual",
    );
}

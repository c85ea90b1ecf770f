//! Every command that the README and the manual print is run as it stands there, in a home where a service runs
//! (manual 13.1).

mod home;
mod printed;

use home::{FirstHome, ReaderHome};
use printed::PrintedCommand;

/// Beginnings of lines that are not run here, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo ", "builds the program that these tests drive"),
    ("docker ", "needs an engine for containers"),
    ("export SERVICE_MCP_COMMANDS=", "names programs that this machine lacks"),
    ("SERVICE_BASE_URL=", "is a service of its own behind a proxy, which the tests of proxies start"),
    ("flowkeep mail test", "needs a mail server, which the tests of mail have"),
    ("flowkeep serve", "runs until it is stopped: the homes of these tests begin with it"),
];

fn is_run(text: &str) -> bool {
    !NOT_RUN.iter().any(|(beginning, _)| text.starts_with(beginning))
}

/// The block of the manual that leads from an empty folder to flows that are Live.
fn first_steps(printed: &[PrintedCommand]) -> &PrintedCommand {
    let found =
        printed.iter().find(|one| one.text.starts_with("flowkeep serve ") && one.text.contains("curl "));
    found.expect("the manual has first steps")
}

#[test]
fn the_first_steps_of_the_manual_work_as_pasted() {
    let printed = printed::all();
    let steps = first_steps(&printed);
    let home = FirstHome::start();
    let (serve, rest) = steps.text.split_once('\n').unwrap();
    assert!(serve.starts_with("flowkeep serve "), "{serve}");
    home.run(&PrintedCommand { place: steps.place.clone(), text: rest.to_owned() });
}

#[test]
fn every_command_that_the_readme_and_the_manual_print_runs_as_it_stands() {
    let printed = printed::all();
    let first_steps = &first_steps(&printed).place;
    let home = ReaderHome::start();
    let run: Vec<_> = printed.iter().filter(|one| is_run(&one.text) && one.place != *first_steps).collect();
    assert!(run.len() > 30, "the pages are not read as they are written: {run:?}");
    for command in run {
        home.run(command);
    }
}

#[test]
fn what_is_not_run_is_still_printed() {
    let printed = printed::all();
    for (beginning, why) in NOT_RUN {
        let stands = printed.iter().any(|one| one.text.lines().any(|line| line.starts_with(beginning)));
        assert!(stands, "'{beginning}' ({why}) stands nowhere any more");
    }
}

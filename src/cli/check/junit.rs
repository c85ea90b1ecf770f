//! A check as JUnit's XML, for programs that show tests: one case for each question, and one for all of them together.

use super::outcome::{Ending, Outcome};
use serde_json::Value;
use std::fmt::Write as _;

/// What the case is called that stands for all questions.
const ALL: &str = "all questions together";

/// How a case ended.
enum Case<'a> {
    Passed,
    /// It did not run.
    Skipped(&'static str),
    Failure {
        kind: &'a str,
        message: String,
    },
    Error(String),
}

struct TestCase<'a> {
    name: &'a str,
    seconds: f64,
    case: Case<'a>,
    output: String,
}

/// The whole file. `flow` is what was checked.
#[must_use]
pub(super) fn render(outcome: &Outcome<'_>, flow: &str) -> String {
    let cases = cases(outcome);
    let count = |wanted: fn(&Case<'_>) -> bool| cases.iter().filter(|one| wanted(&one.case)).count();
    let failures = count(|case| matches!(case, Case::Failure { .. }));
    let errors = count(|case| matches!(case, Case::Error(_)));
    let skipped = count(|case| matches!(case, Case::Skipped(_)));
    let seconds: f64 = cases.iter().map(|one| one.seconds).sum();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\"",
        cases.len()
    );
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let flow = escape(flow);
    let _ = writeln!(xml, "<testsuites name=\"flowkeep check\" {counts}>");
    let _ = writeln!(xml, "  <testsuite name=\"{flow}\" {counts}>");
    for one in &cases {
        write_case(&mut xml, one, &flow);
    }
    xml + "  </testsuite>\n</testsuites>\n"
}

fn write_case(xml: &mut String, one: &TestCase<'_>, flow: &str) {
    let (name, seconds) = (escape(one.name), one.seconds);
    let _ = writeln!(xml, "    <testcase classname=\"{flow}\" name=\"{name}\" time=\"{seconds:.3}\">");
    let _ = match &one.case {
        Case::Passed => Ok(()),
        Case::Skipped(why) => writeln!(xml, "      <skipped message=\"{}\"/>", escape(why)),
        Case::Failure { kind, message } => {
            let message = escape(message);
            writeln!(
                xml,
                "      <failure type=\"{}\" message=\"{message}\">{message}</failure>",
                escape(kind)
            )
        }
        Case::Error(message) => {
            let message = escape(message);
            writeln!(xml, "      <error type=\"error\" message=\"{message}\">{message}</error>")
        }
    };
    if !one.output.is_empty() {
        let _ = writeln!(xml, "      <system-out>{}</system-out>", escape(&one.output));
    }
    xml.push_str("    </testcase>\n");
}

fn cases<'a>(outcome: &'a Outcome<'_>) -> Vec<TestCase<'a>> {
    let reports = outcome.ending == Ending::Reported;
    let mut cases: Vec<TestCase<'_>> = outcome.cases().map(|case| question(case, outcome, reports)).collect();
    let told = cases.iter().any(|one| matches!(one.case, Case::Failure { .. }));
    let message = outcome.headline();
    let all = match outcome.ending {
        Ending::Reported if !told => Case::Failure { kind: "changed", message },
        Ending::Unjudged => Case::Skipped("the check did not come to its end"),
        _ => Case::Passed,
    };
    cases.push(TestCase { name: ALL, seconds: 0.0, case: all, output: outcome.describe_test() });
    cases
}

fn question<'a>(case: &'a Value, outcome: &Outcome<'_>, reports: bool) -> TestCase<'a> {
    let whys = |separator: &str| {
        let messages = case["why"].as_array().into_iter().flatten().filter_map(|why| why["message"].as_str());
        messages.collect::<Vec<_>>().join(separator)
    };
    let kind = case["why"][0]["code"].as_str().unwrap_or("changed");
    let ended = if !outcome.has_run(case) {
        Case::Skipped("not all of its answers are there")
    } else if case["verdict"] == "error" {
        Case::Error(whys(" "))
    } else if reports && Outcome::reports(case) {
        Case::Failure { kind, message: whys(" ") }
    } else {
        Case::Passed
    };
    let runs =
        ["live", "draft"].into_iter().flat_map(|side| case["runs"][side].as_array().into_iter().flatten());
    let ms: f64 = runs.filter_map(|answer| answer["ms"].as_f64()).sum();
    let said = |side: &str| {
        let answer = &case[side];
        answer["text"].as_str().or_else(|| answer["error"].as_str()).unwrap_or_default().to_owned()
    };
    let output = match &ended {
        Case::Passed | Case::Skipped(_) => String::new(),
        _ => {
            let (left, right) = outcome.side_names();
            format!("{left}:\n{}\n\n{right}:\n{}\n", said("live"), said("draft"))
        }
    };
    TestCase {
        name: case["question"].as_str().unwrap_or_default(),
        seconds: ms / 1_000.0,
        case: ended,
        output,
    }
}

/// The text as XML 1.0 may hold it: what no file of that kind can say is left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A reader of attributes makes blanks of these otherwise.
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", u32::from(sign));
            }
            ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => out.push(sign),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::outcome::tests::{case, check};
    use super::*;
    use serde_json::json;

    fn rendered(check: &Value) -> String {
        render(&Outcome::new(check), "a flow")
    }

    #[test]
    fn a_case_that_reports_is_a_failure_and_the_others_pass() {
        let cases = vec![case("What?", "changed", true), case("Where?", "noise", false)];
        let xml = rendered(&check("done", cases, true));
        assert_eq!(xml.matches("<failure ").count(), 1, "{xml}");
        assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{xml}");
        assert!(xml.contains("message=\"Live says 30, the draft says 14.\""), "{xml}");
    }

    #[test]
    fn what_only_all_questions_report_fails_the_case_of_them_all() {
        let xml = rendered(&check("done", vec![case("What?", "noise", false)], true));
        let all = &xml[xml.find(ALL).unwrap()..];
        assert!(all.contains("<failure ") && xml.matches("<failure ").count() == 1, "{xml}");
    }

    #[test]
    fn an_error_that_reports_is_an_error_and_fails_all_questions_together() {
        let xml = rendered(&check("done", vec![case("What?", "error", true)], true));
        assert_eq!((xml.matches("<error ").count(), xml.matches("<failure ").count()), (1, 1), "{xml}");
    }

    #[test]
    fn what_did_not_run_is_skipped_and_fails_nothing() {
        let unrun = json!({"question": "Late?", "live": null, "draft": null, "same": null, "verdict": null});
        let xml = rendered(&check("stopped", vec![case("What?", "changed", true), unrun], true));
        assert_eq!((xml.matches("<skipped ").count(), xml.matches("<failure ").count()), (2, 0), "{xml}");
    }

    #[test]
    fn nothing_that_xml_cannot_hold_gets_in() {
        let strange = "a\u{0}b\u{1b}[2Jc\u{fffe}\u{ffff}<&>\"\n😀";
        assert_eq!(escape(strange), "ab[2Jc&lt;&amp;&gt;&quot;&#10;😀");
    }
}

//! What is said of answers, question by question and of all together.

use crate::domain::checks::answer::{Answer, StepTrace};
use crate::domain::checks::case::{CaseAnswers, Expectation};
use crate::domain::checks::sides::SideNames;
use crate::domain::checks::verdict::{
    CaseJudgement, JudgeOptions, Judgement, StepDifference, Verdict, WhyCode,
};
use crate::domain::checks::{Judge, asks_again, judge};
use proptest::prelude::*;

const PLAIN: JudgeOptions =
    JudgeOptions { control: false, live_empty: false, sides: SideNames::LIVE_AND_DRAFT };
const CONTROL: JudgeOptions =
    JudgeOptions { control: true, live_empty: false, sides: SideNames::LIVE_AND_DRAFT };

fn said(text: &str) -> Answer {
    Answer { text: text.to_owned(), ms: 10, ..Answer::default() }
}

fn failed() -> Answer {
    Answer { error: Some("The model is gone".to_owned()), ..Answer::default() }
}

fn again(answer: Answer) -> Answer {
    Answer { again: true, ..answer }
}

fn case(live: &[Answer], draft: &[Answer]) -> CaseAnswers {
    CaseAnswers {
        question: "How long do refunds take?".to_owned(),
        live: live.to_vec(),
        draft: draft.to_vec(),
        expect: Vec::new(),
    }
}

fn judged(cases: &[CaseAnswers], options: JudgeOptions) -> Judgement {
    judge(cases.to_vec(), options)
}

fn only(case: CaseAnswers, options: JudgeOptions) -> CaseJudgement {
    judged(&[case], options).cases.remove(0)
}

fn codes(judgement: &CaseJudgement) -> Vec<WhyCode> {
    judgement.why.iter().map(|why| why.code).collect()
}

#[test]
fn another_number_is_a_change_that_names_both() {
    let found = only(case(&[said("It takes 30 days.")], &[said("It takes 14 days.")]), PLAIN);
    assert_eq!((found.verdict, found.confirmed, found.reports), (Some(Verdict::Changed), Some(false), true));
    assert_eq!(found.why[0].message, "Live says 30, the draft says 14.");
}

#[test]
fn other_items_of_a_list_are_a_change_where_both_sides_repeat_themselves() {
    let (pear, plum) = (said("Buy:\n- apples\n- a pear"), said("Buy:\n- apples\n- a plum"));
    let live = [pear.clone(), pear.clone()];
    assert!(asks_again(case(&live, std::slice::from_ref(&plum))));
    let draft = [plum.clone(), again(plum.clone())];
    let found = only(case(&[&live[..], &[again(pear.clone())]].concat(), &draft), CONTROL);
    assert_eq!((found.verdict, found.confirmed), (Some(Verdict::Changed), Some(true)));
    assert_eq!(found.why[0].message, "Live says \"a pear\", the draft says \"a plum\".");
    let reworded = said("Please buy:\n- apples\n- a pear");
    let found = only(case(&[pear, reworded], &[plum]), CONTROL);
    assert!(!found.reports, "who says it in other words may list it in other words too");
}

#[test]
fn a_difference_that_comes_again_is_confirmed_and_one_that_does_not_is_noise() {
    let (thirty, fourteen) = (said("It takes 30 days."), said("It takes 14 days."));
    let live = [thirty.clone(), thirty.clone()];
    let first = case(&live, std::slice::from_ref(&fourteen));
    assert!(asks_again(first));
    let confirmed =
        case(&[&live[..], &[again(thirty.clone())]].concat(), &[fourteen.clone(), again(fourteen.clone())]);
    assert!(!asks_again(confirmed.clone()));
    let found = only(confirmed, CONTROL);
    assert_eq!((found.verdict, found.confirmed), (Some(Verdict::Changed), Some(true)));
    let accident = case(&[&live[..], &[again(thirty.clone())]].concat(), &[fourteen.clone(), again(thirty)]);
    let found = only(accident, CONTROL);
    assert_eq!((found.verdict, found.confirmed, found.reports), (Some(Verdict::Noise), None, false));
    let both = case(&[&live[..], &[again(fourteen.clone())]].concat(), &[fourteen.clone(), again(fourteen)]);
    assert!(!only(both, CONTROL).reports);
}

#[test]
fn noise_says_of_live_what_is_true_and_names_what_was_found() {
    let live = [said("Of course."), said("Of course.")];
    let found = only(case(&live, &[said("Certainly.")]), CONTROL);
    assert_eq!(found.verdict, Some(Verdict::Noise));
    assert!(found.why[0].message.contains("Live said the same each time"), "{:?}", found.why);
    let live = [said("Returns take 30 days."), said("You have 30 days.")];
    let found = only(case(&live, &[said("Returns take a while.")]), CONTROL);
    assert!(found.why[0].message.contains("Live's own answers differ"), "{:?}", found.why);
    assert!(codes(&found).contains(&WhyCode::Number), "{:?}", found.why);
}

#[test]
fn a_number_that_live_says_only_sometimes_is_not_missed() {
    let live = [said("We refund within 30 days."), said("We are glad to refund you within 30 days.")];
    let draft = [said("We are happy to give your money back soon.")];
    assert!(!asks_again(case(&live, &draft)), "one short answer may leave it out");
    assert!(asks_again(case(&live[..1], &draft)), "nobody knows how often Live leaves it out");
    let three = |text: &str| [said(&format!("{text} Yes.")), said(text), said(&format!("{text} No."))];
    let live = [&three("It takes 30 days.")[..], &live[..1]].concat();
    assert!(asks_again(case(&live, &three("Soon."))), "seven answers cannot be an accident");
}

#[test]
fn answers_that_differ_in_case_and_spacing_alone_are_the_same() {
    let found = only(case(&[said("It takes  30 Days.")], &[said("it takes 30 days. ")]), PLAIN);
    assert_eq!((found.same, found.verdict, found.similarity), (Some(true), Some(Verdict::Same), Some(1.0)));
    assert!(found.why.is_empty());
}

#[test]
fn without_a_control_noise_is_not_measured() {
    let found = judged(&[case(&[said("Soon, we hope.")], &[said("We hope it is soon.")])], PLAIN);
    assert_eq!(found.cases[0].verdict, Some(Verdict::Noise));
    assert!(found.cases[0].why[0].message.starts_with("Not measured"));
    assert_eq!((found.p_value, found.test, found.reports_change, found.note), (None, None, false, None));
}

#[test]
fn refusals_languages_tools_dates_and_shapes_are_facts() {
    let english = "You can send the item back to us and we will refund you as soon as it is here.";
    let german = "Sie können den Artikel an uns zurückschicken und wir erstatten Ihnen dann das Geld.";
    let with_tool = |name: &str| Answer { tools: vec![name.to_owned()], ..said("Done.") };
    let shaped = |fits: bool| Answer { structured: Some(fits), ..said("{}") };
    let cases = [
        (said(english), said("I'm sorry, I can't help with that."), WhyCode::Refusal, "the draft refuses"),
        (said(english), said(german), WhyCode::Language, "Live answers in English, the draft in German."),
        (
            with_tool("search"),
            said("Done."),
            WhyCode::ToolCalls,
            "Live calls \"search\", the draft does not.",
        ),
        (said("On 3 May."), said("On 4 May."), WhyCode::Date, "Live says 3 May, the draft says 4 May."),
        (shaped(true), shaped(false), WhyCode::Structure, "the draft does not"),
    ];
    for (live, draft, code, message) in cases {
        let found = only(case(&[live], &[draft]), PLAIN);
        let why = found.why.iter().find(|why| why.code == code).unwrap();
        assert!(found.reports && why.message.contains(message), "{why:?}");
    }
}

#[test]
fn an_error_of_the_draft_alone_reports_and_one_of_live_does_not() {
    let found = only(case(&[said("Yes."), said("Yes!")], &[failed()]), CONTROL);
    assert_eq!((found.verdict, found.reports, found.similarity), (Some(Verdict::Error), true, None));
    assert!(found.why[0].message.contains("The model is gone"));
    assert!(asks_again(case(&[said("Yes.")], &[failed()])) && !asks_again(case(&[failed()], &[failed()])));
    let found = only(case(&[failed(), said("Yes.")], &[said("Yes.")]), CONTROL);
    assert_eq!((found.verdict, found.reports), (Some(Verdict::Error), false));
    assert_eq!(found.why[0].message, "Live failed: \"The model is gone\".");
    let passed = case(&[said("Yes."), again(said("Yes."))], &[failed(), again(said("Yes."))]);
    let found = only(passed, CONTROL);
    assert_eq!((found.verdict, found.reports, found.confirmed), (Some(Verdict::Error), false, None));
}

#[test]
fn an_expectation_counts_where_live_met_it() {
    let expecting = |live: &str, draft: &str| CaseAnswers {
        expect: vec![Expectation::Contains("receipt".to_owned())],
        ..case(&[said(live)], &[said(draft)])
    };
    let one = expecting("With the receipt.", "With the parcel.");
    assert!(asks_again(one.clone()));
    let found = only(one, PLAIN);
    assert_eq!((found.verdict, codes(&found)[0]), (Some(Verdict::Changed), WhyCode::Expectation));
    let other = expecting("With a box.", "With the parcel.");
    assert!(!asks_again(other.clone()));
    let found = only(other, PLAIN);
    assert!(!found.reports && found.why[0].message.contains("Live fails it too"), "{found:?}");
}

#[test]
fn a_draft_without_live_reports_failed_expectations_alone() {
    let options = JudgeOptions { control: true, live_empty: true, sides: SideNames::LIVE_AND_DRAFT };
    let mut alone = case(&[], &[said("With the parcel.")]);
    let found = judged(std::slice::from_ref(&alone), options);
    assert_eq!((found.cases[0].verdict, found.cases[0].same, found.reports_change), (None, None, false));
    alone.expect = vec![Expectation::Contains("receipt".to_owned())];
    let found = judged(&[alone], options);
    assert!(found.reports_change && found.cases[0].similarity.is_none());
}

#[test]
fn a_question_that_one_side_has_not_answered_has_no_verdict() {
    let found = only(case(&[said("Yes.")], &[]), PLAIN);
    assert_eq!((found.same, found.verdict, found.reports), (None, None, false));
}

fn noisy(at: usize) -> (String, [Answer; 2]) {
    let topics = ["refunds", "parcels", "invoices", "accounts", "vouchers", "returns"];
    let topic = topics[at % topics.len()];
    let live = [
        said(&format!("All {topic} are handled by our team.")),
        said(&format!("Our team handles {topic} for you.")),
    ];
    (topic.to_owned(), live)
}

#[test]
fn a_change_in_every_answer_is_reported_by_the_test_and_the_cases_say_what_it_is() {
    let cases: Vec<CaseAnswers> = (0..6)
        .map(|at| {
            let (topic, live) = noisy(at);
            case(&live, &[said(&format!("Arr, them {topic} be plundered, matey!"))])
        })
        .collect();
    let found = judged(&cases, CONTROL);
    assert!(found.reports_change && found.test_can_report && found.p_value.unwrap() <= 0.04, "{found:?}");
    assert!(
        found.cases.iter().all(|case| case.verdict == Some(Verdict::Changed) && case.confirmed.is_none())
    );
    assert!(found.cases[0].why[0].message.contains("matey"), "{:?}", found.cases[0].why);
    assert!(found.test.unwrap().contains("729"));
}

#[test]
fn few_questions_cannot_report_by_the_test_and_the_note_says_so() {
    let (topic, live) = noisy(0);
    let found = judged(&[case(&live, &[said(&format!("No {topic} at all."))])], CONTROL);
    assert!(!found.test_can_report && !found.reports_change);
    assert!(found.note.unwrap().contains("0.33"));
}

#[test]
fn steps_that_differ_are_told() {
    let step = |node: &str| StepTrace {
        node_id: node.to_owned(),
        node_label: node.to_owned(),
        ..StepTrace::default()
    };
    let with = |node: &str, text: &str| Answer { steps: vec![step("start"), step(node)], ..said(text) };
    let found = only(case(&[with("billing", "It is 3.")], &[with("sales", "It is 4.")]), PLAIN);
    let differences: Vec<StepDifference> = found.steps.iter().map(|step| step.difference).collect();
    assert_eq!(differences, [StepDifference::OnlyLive, StepDifference::OnlyDraft]);
    assert!(codes(&found).contains(&WhyCode::Steps));
}

#[test]
fn live_that_refuses_as_often_makes_a_refusal_no_news() {
    let refusal = || said("I'm sorry, I can't help with that.");
    let answer = || said("Send it back with the receipt.");
    let unsteady = case(&[answer(), refusal()], &[answer()]);
    let refused = case(&[answer(), answer(), again(answer())], &[refusal(), again(refusal())]);
    assert!(only(refused.clone(), CONTROL).reports);
    assert!(!judged(&[unsteady, refused], CONTROL).reports_change);
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "It takes 30 days.",
        "It takes 14 days.",
        "Soon.",
        "I don't know.",
        "On 3 May 2026.",
        "it  TAKES 30 days.",
        "",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_sides_are_judged_alike(one in text(), other in text()) {
        let there = only(case(&[said(&one)], &[said(&other)]), PLAIN);
        let back = only(case(&[said(&other)], &[said(&one)]), PLAIN);
        prop_assert_eq!((there.verdict, there.same, there.reports), (back.verdict, back.same, back.reports));
        prop_assert_eq!(codes(&there), codes(&back));
    }

    #[test]
    fn case_and_spacing_change_no_verdict(one in text(), other in text()) {
        let there = only(case(&[said(&one)], &[said(&other)]), PLAIN);
        let loud = format!(" {}", other.to_uppercase().replace(' ', "  "));
        let shouted = only(case(&[said(&one)], &[said(&loud)]), PLAIN);
        prop_assert_eq!((there.verdict, there.same), (shouted.verdict, shouted.same));
    }

    #[test]
    fn the_order_of_questions_changes_nothing(texts in prop::collection::vec((text(), text(), text()), 1..5)) {
        let cases: Vec<CaseAnswers> =
            texts.iter().map(|(one, two, three)| case(&[said(one), said(two)], &[said(three)])).collect();
        let turned: Vec<CaseAnswers> = cases.iter().rev().cloned().collect();
        let (there, mut back) = (judged(&cases, CONTROL), judged(&turned, CONTROL));
        back.cases.reverse();
        prop_assert_eq!(there.cases, back.cases);
        prop_assert_eq!((there.reports_change, there.note), (back.reports_change, back.note));
        prop_assert!((there.p_value.unwrap() - back.p_value.unwrap()).abs() < 1e-12);
    }

    #[test]
    fn the_same_answers_report_nothing(texts in prop::collection::vec(text(), 1..5)) {
        let cases: Vec<CaseAnswers> =
            texts.iter().map(|one| case(&[said(one), said(one)], &[said(one)])).collect();
        let found = judged(&cases, CONTROL);
        prop_assert!(!found.reports_change && found.p_value.unwrap() > 0.99);
    }
}

#[test]
fn the_test_over_all_questions_is_made_at_the_end() {
    let mut judge = Judge::new(CONTROL);
    for number in 0..3 {
        let topic = ["Parcels", "Returns", "Invoices"][number];
        let live = [said(&format!("{topic} are fine.")), said(&format!("{topic} are fine!"))];
        judge.hear(case(&live, &[said("Nobody has an idea, really, and never had one.")]));
        let found = judge.judge_so_far();
        assert_eq!((found.cases.len(), found.p_value, found.reports_change), (number + 1, None, false));
        assert!(found.cases.iter().all(|case| case.verdict == Some(Verdict::Noise)));
    }
    assert!(judge.judge().p_value.is_some());
    assert_eq!(judge.judge(), judge.judge(), "looking changes nothing");
}

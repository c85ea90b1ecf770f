//! What a Start card says of a schedule, and what is due of one.

use super::inputs::InputFault;
use super::*;
use serde_json::{Value, json};

fn at(text: &str) -> Timestamp {
    format!("2026-05-04T{text}Z").parse().unwrap()
}

fn read_with(inputs: Value, seconds_min: u64) -> Result<Option<ScheduleDefinition>, InputFault> {
    let mut all = json!({"startInputType": "scheduleInput"});
    all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
    ScheduleDefinition::read("start_0", all.as_object().unwrap(), seconds_min)
}

fn read(inputs: Value) -> Result<ScheduleDefinition, InputFault> {
    read_with(inputs, 60).map(Option::unwrap)
}

fn cron(text: &str) -> Value {
    json!({"scheduleType": "cronExpression", "scheduleCronExpression": text})
}

/// With these inputs beside an expression.
fn with(inputs: Value) -> Value {
    let mut all = cron("0 9 * * *");
    all.as_object_mut().unwrap().extend(inputs.as_object().unwrap().clone());
    all
}

fn fault(inputs: Value) -> (&'static str, String) {
    let fault = read(inputs).unwrap_err();
    (fault.input, fault.why)
}

/// Switched on at midnight.
fn schedule(inputs: Value) -> Schedule {
    let mut schedule = Schedule::new(WorkspaceId::random(), FlowId::random(), true, at("00:00:00"));
    schedule.redefine(Some(read(inputs).unwrap()), at("00:00:00"));
    schedule
}

#[test]
fn what_was_picked_becomes_the_same_text_as_what_is_written() {
    let picked = |inputs: Value| read(inputs).unwrap().cron;
    assert_eq!(picked(json!({"scheduleFrequency": "hourly", "scheduleOnMinute": 5})), "5 * * * *");
    assert_eq!(picked(json!({"scheduleFrequency": "hourly"})), "0 * * * *");
    assert_eq!(
        picked(
            json!({"scheduleType": "visualPicker", "scheduleFrequency": "daily", "scheduleOnTime": "09:30"})
        ),
        "30 9 * * *"
    );
    let weekly = |days: Value| {
        picked(json!({"scheduleFrequency": "weekly", "scheduleOnTime": "18:05", "scheduleOnDayOfWeek": days}))
    };
    for days in [json!("[\"5\",\"1\"]"), json!(["1", "5"]), json!("1,5"), json!([1, 5, 5])] {
        assert_eq!(weekly(days), "5 18 * * 1,5");
    }
    let monthly =
        json!({"scheduleFrequency": "monthly", "scheduleOnTime": "0:00", "scheduleOnDayOfMonth": "15, 1"});
    assert_eq!(picked(monthly), "0 0 1,15 * *");
}

#[test]
fn what_is_missing_or_wrong_names_its_input() {
    assert_eq!(fault(json!({})).0, "scheduleFrequency");
    assert_eq!(fault(json!({"scheduleFrequency": "daily"})).0, "scheduleOnTime");
    assert_eq!(fault(json!({"scheduleFrequency": "daily", "scheduleOnTime": "25:00"})).0, "scheduleOnTime");
    assert_eq!(
        fault(json!({"scheduleFrequency": "weekly", "scheduleOnTime": "9:00"})).0,
        "scheduleOnDayOfWeek"
    );
    assert_eq!(
        fault(
            json!({"scheduleFrequency": "monthly", "scheduleOnTime": "9:00", "scheduleOnDayOfMonth": "32"})
        )
        .0,
        "scheduleOnDayOfMonth"
    );
    assert_eq!(fault(json!({"scheduleFrequency": "hourly", "scheduleOnMinute": 60})).0, "scheduleOnMinute");
    assert_eq!(fault(cron("@daily")).0, "scheduleCronExpression");
    assert_eq!(fault(with(json!({"scheduleTimezone": "Mars/Crater"}))).0, "scheduleTimezone");
    assert_eq!(fault(with(json!({"scheduleEndDate": "soon"}))).0, "scheduleEndDate");
    assert_eq!(fault(with(json!({"scheduleCatchUpMinutes": "-1"}))).0, "scheduleCatchUpMinutes");
    let form = json!({"scheduleInputMode": "form", "scheduleFormDefaults": "[1]"});
    assert_eq!(fault(with(form)).0, "scheduleFormDefaults");
}

#[test]
fn another_start_has_no_schedule() {
    let inputs = json!({"startInputType": "chatInput", "scheduleCronExpression": "?"});
    assert_eq!(ScheduleDefinition::read("start_0", inputs.as_object().unwrap(), 60), Ok(None));
}

#[test]
fn an_end_without_a_time_is_the_end_of_its_day_in_the_zone() {
    let end = |text: &str| {
        let inputs = json!({"scheduleTimezone": "America/New_York", "scheduleEndDate": text});
        read(with(inputs)).unwrap().end.map(|end| end.to_string())
    };
    assert_eq!(end("2026-05-04").as_deref(), Some("2026-05-05T03:59:59.999Z"));
    assert_eq!(end("2026-05-04T10:00:00").as_deref(), Some("2026-05-04T14:00:00Z"));
    assert_eq!(end("2026-05-04T10:00:00.000Z").as_deref(), Some("2026-05-04T10:00:00Z"));
    assert_eq!(end(""), None);
}

#[test]
fn what_a_run_begins_with_is_a_text_a_form_or_nothing() {
    let input = |inputs: Value| read(with(inputs)).unwrap().input;
    assert_eq!(input(json!({"scheduleDefaultInput": "Report."})), ScheduleInput::Text("Report.".into()));
    assert_eq!(input(json!({})), ScheduleInput::Nothing);
    let none = json!({"scheduleInputMode": "none", "scheduleDefaultInput": "Report."});
    assert_eq!(input(none), ScheduleInput::Nothing);
    let form = json!({
        "scheduleInputMode": "form", "scheduleFormDefaults": "{\"size\": 4}",
        "scheduleFormInputTypes": [{"type": "number", "name": "size"}, {"type": "string", "name": "why"}],
    });
    let ScheduleInput::Form(values) = input(form) else { panic!("no form") };
    assert_eq!(Value::Object(values), json!({"size": 4, "why": ""}));
}

#[test]
fn the_operator_says_how_often_a_schedule_may_come() {
    let fault = read_with(cron("*/30 * * * *"), 3_600).unwrap_err();
    assert_eq!(fault.input, "scheduleCronExpression");
    assert!(fault.why.contains("more often than every 3600 seconds"));
    assert!(read_with(cron("0 * * * *"), 3_600).is_ok());
    let kept = read(cron("*/30 * * * *")).unwrap();
    assert!(kept.times(60).is_ok() && kept.times(3_600).is_err());
}

#[test]
fn what_is_due_runs_once_and_on_time_runs_are_not_late() {
    let mut schedule = schedule(cron("*/10 * * * *"));
    assert_eq!(schedule.due_times(60, at("00:09:59")), None);
    let due = schedule.due_times(60, at("00:10:00.4")).unwrap();
    assert_eq!((due.run, due.missed, due.late.as_secs()), (Some(at("00:10:00")), None, 0));
    schedule.done_until = due.newest;
    assert_eq!(schedule.due_times(60, at("00:10:01")), None);
    // A clock that is set back starts nothing a second time.
    assert_eq!(schedule.due_times(60, at("00:05:00")), None);
    assert_eq!(schedule.next_due(60), Some(at("00:20:00")));
}

#[test]
fn the_newest_of_missed_runs_is_made_up_for_when_it_is_not_too_late() {
    let schedule = schedule(cron("0 * * * *"));
    let due = schedule.due_times(60, at("03:09:59")).unwrap();
    assert_eq!((due.run, due.late.as_secs()), (Some(at("03:00:00")), 599));
    assert_eq!(due.missed, Some((2, at("02:00:00"))));
    let late = schedule.due_times(60, at("03:10:00")).unwrap();
    assert_eq!((late.run, late.missed), (None, Some((3, at("03:00:00")))));
    assert_eq!(late.newest, at("03:00:00"));
}

#[test]
fn a_card_that_wants_nothing_made_up_for_still_runs_on_time() {
    let schedule =
        schedule(with(json!({"scheduleCronExpression": "0 * * * *", "scheduleCatchUpMinutes": 0})));
    assert_eq!(schedule.due_times(60, at("01:00:02")).unwrap().run, Some(at("01:00:00")));
    assert_eq!(schedule.due_times(60, at("01:01:00")).unwrap().run, None);
}

#[test]
fn years_of_missed_minutes_are_counted_to_a_limit() {
    let schedule = schedule(cron("* * * * *"));
    let due = schedule.due_times(60, "2028-05-04T00:00:30Z".parse().unwrap()).unwrap();
    assert_eq!(due.run, Some("2028-05-04T00:00:00Z".parse().unwrap()));
    assert_eq!(due.missed.unwrap().0, MISSED_MAX_COUNT);
}

#[test]
fn times_that_change_count_from_then_on_and_others_stay() {
    let mut schedule = schedule(cron("0 * * * *"));
    schedule
        .redefine(Some(read(with(json!({"scheduleCronExpression": "0 * * * *"}))).unwrap()), at("01:05:00"));
    assert_eq!(schedule.next_due(60), Some(at("01:00:00")));
    schedule.redefine(Some(read(cron("*/30 * * * *")).unwrap()), at("01:05:00"));
    assert_eq!(schedule.next_due(60), Some(at("01:30:00")));
}

#[test]
fn a_schedule_that_is_off_or_gone_is_never_due() {
    let mut schedule = schedule(cron("0 * * * *"));
    schedule.switch(false, at("00:30:00"));
    assert_eq!((schedule.next_due(60), schedule.due_times(60, at("05:00:00"))), (None, None));
    schedule.switch(true, at("05:30:00"));
    assert_eq!(schedule.next_due(60), Some(at("06:00:00")));
    schedule.redefine(None, at("05:40:00"));
    assert_eq!((schedule.next_due(60), schedule.is_on), (None, true));
}

#[test]
fn a_schedule_whose_end_has_passed_says_so() {
    let schedule = schedule(with(json!({"scheduleEndDate": "2026-05-04T12:00:00Z"})));
    assert_eq!(schedule.obstacle(60, at("08:00:00")), None);
    assert!(schedule.obstacle(60, at("10:00:00")).unwrap().contains("end date"));
    assert!(
        schedule.obstacle(90_000, at("08:00:00")).unwrap().contains("more often than every 90000 seconds")
    );
}

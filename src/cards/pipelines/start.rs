//! Pipeline Start: what starts a pipeline, and how its runs behave.

use crate::agentflow::start::{KIND, SCHEDULE, WEBHOOK, schedule, webhook};
use crate::kit::knowledge::transform::{FAIL_FAST, PARAM_NAME, PARAM_VALUE, PARAMS, START};
use crate::kit::{Card, Category, Choice, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: START,
    label: "Pipeline Start",
    version: 1.0,
    category: Category::Pipelines,
    description: "What starts the pipeline, and how its runs behave. It stands alone and is connected to nothing.",
    base_classes: &["EtlStart"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::choice(
            KIND,
            "Started By",
            &[
                Choice::new("none", "People, keys and other flows"),
                Choice::new(WEBHOOK, "Calls of its webhook as well"),
                Choice::new(SCHEDULE, "A schedule as well"),
            ],
        )
        .or("none"),
        webhook::METHOD,
        webhook::CONTENT_TYPE,
        webhook::ENABLE_AUTH,
        webhook::SIGNATURE_TYPE,
        webhook::SIGNATURE_HEADER,
        webhook::TIMESTAMP_HEADER,
        webhook::ENABLE_VALIDATION,
        webhook::HEADER_PARAMS,
        webhook::BODY_PARAMS,
        webhook::QUERY_PARAMS,
        Input::choice(
            webhook::ANSWERS,
            "Response Mode",
            &[Choice::new("sync", "What the run came to"), Choice::new("async", "At once")],
        )
        .or("sync")
        .when(KIND, WEBHOOK),
        schedule::KIND,
        schedule::CRON,
        schedule::FREQUENCY,
        schedule::ON_MINUTE,
        schedule::ON_TIME,
        schedule::ON_DAY_OF_WEEK,
        schedule::ON_DAY_OF_MONTH,
        schedule::TIMEZONE,
        schedule::END_DATE,
        schedule::CATCH_UP_MINUTES,
        Input::switch(FAIL_FAST, "Fail Fast")
            .optional()
            .help("The first document that fails ends the run. Else it is counted, named and passed over."),
        Input::rows(
            PARAMS,
            "Params",
            &[
                Input::text(PARAM_NAME, "Name")
                    .help("{{ params.name }} stands for the value in texts of cards."),
                Input::text(PARAM_VALUE, "Value").optional().help("What it is where a start does not say."),
            ],
        )
        .optional()
        .help("Texts that a run can be started with."),
    ],
    outputs: &[],
    make: Factory::Nothing,
};

//! Pipeline Start: how the runs of a pipeline behave.

use crate::cards::kit::knowledge::transform::{FAIL_FAST, PARAM_NAME, PARAM_VALUE, PARAMS, START};
use crate::cards::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: START,
    label: "Pipeline Start",
    version: 1.0,
    category: Category::Pipelines,
    description: "How the runs of the pipeline behave. It stands alone and is connected to nothing.",
    base_classes: &["EtlStart"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
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

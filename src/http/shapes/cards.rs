//! Cards (manual 9.8).

use crate::http::openapi::shape::{COUNT, SETTINGS, Shape, TEXT, TEXTS, field, object, optional};

pub const CHOICES: Shape = Shape::List(&Shape::Named(&object(
    "Choice",
    "Something that can be chosen.",
    &[field("label", TEXT), field("name", TEXT), optional("description", TEXT)],
)));

const PARAM: Shape = Shape::Named(&object(
    "CardParam",
    "An input of a card.",
    &[
        field("label", TEXT),
        field("name", TEXT),
        field("type", TEXT).about("What it holds, or the class of what is wired into it."),
        optional("description", TEXT),
        optional("default", Shape::Anything),
        optional("show", SETTINGS).about("Shown when these inputs have these values."),
        optional("optional", Shape::Flag),
        optional("additionalParams", Shape::Flag).about("Shown among the additional ones."),
        optional("acceptVariable", Shape::Flag),
        optional("rows", COUNT),
        optional("step", Shape::Number),
        optional("options", CHOICES),
        optional("loadMethod", TEXT).about("What `POST /node-load-method` takes to list its choices."),
        optional("freeSolo", Shape::Flag).about("What is not in the list may be typed."),
        optional("credentialNames", TEXTS),
        optional("fileType", TEXT),
        optional("list", Shape::Flag).about("Takes several wires."),
    ],
));

pub const CARD: Shape = Shape::Named(&object(
    "Card",
    "A card's definition.",
    &[
        field("label", TEXT),
        field("name", TEXT),
        field("version", Shape::Number),
        field("type", TEXT),
        field("icon", TEXT),
        field("category", TEXT),
        field("description", TEXT),
        field("baseClasses", TEXTS),
        field("inputs", Shape::List(&PARAM)),
        optional("credential", PARAM),
        optional(
            "outputs",
            Shape::List(&Shape::Named(&object(
                "CardOutput",
                "An output of a card.",
                &[field("label", TEXT), field("name", TEXT), field("baseClasses", TEXTS)],
            ))),
        ),
    ],
));
pub const CARDS: Shape = Shape::List(&CARD);

pub const LOAD_METHOD: Shape = Shape::Named(&object(
    "LoadMethod",
    "Which choices of a card to list.",
    &[
        optional("loadMethod", TEXT),
        optional("inputs", SETTINGS).about("What the card is set to so far."),
        optional("credential", Shape::Maybe(&TEXT)),
    ],
));

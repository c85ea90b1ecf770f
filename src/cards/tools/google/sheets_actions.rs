//! What Google Sheets can be asked to do.

use crate::kit::web::actions::{ActionArgument, CallArguments, ServiceAction};
use serde_json::{Value, json};

const SHEET: ActionArgument =
    ActionArgument::line("spreadsheetId", "The id of the spreadsheet, as its address shows it.")
        .required()
        .set_by("spreadsheetId");
const RANGE: ActionArgument =
    ActionArgument::line("range", "Which cells, such as Sheet1!A1:C10.").required().set_by("range");
const RANGES: ActionArgument =
    ActionArgument::line("ranges", "Which cells, such as Sheet1!A1:C10; several are divided by commas.")
        .set_by("ranges");
const SEVERAL: ActionArgument =
    ActionArgument::lines("ranges", "Which cells, such as Sheet1!A1:C10.").in_query().set_by("ranges");
const VALUES: ActionArgument =
    ActionArgument::text("values", "Rows as JSON, such as [[\"A1\", \"B1\"], [\"A2\", \"B2\"]].")
        .required()
        .set_by("values");
const ENTERED: ActionArgument = ActionArgument::word(
    "valueInputOption",
    &["RAW", "USER_ENTERED"],
    "USER_ENTERED reads values as if somebody typed them, formulas and dates included; RAW takes them as they are.",
)
.or("USER_ENTERED")
.set_by("valueInputOption");
const RENDER: ActionArgument = ActionArgument::word(
    "valueRenderOption",
    &["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"],
    "How values are shown.",
)
.in_query()
.set_by("valueRenderOption");
const DATES: ActionArgument = ActionArgument::word(
    "dateTimeRenderOption",
    &["SERIAL_NUMBER", "FORMATTED_STRING"],
    "How dates are shown.",
)
.in_query()
.set_by("dateTimeRenderOption");
const INSERT: ActionArgument = ActionArgument::word(
    "insertDataOption",
    &["OVERWRITE", "INSERT_ROWS"],
    "Whether rows are inserted for it.",
)
.in_query()
.set_by("insertDataOption");
const DIMENSION: ActionArgument = ActionArgument::word(
    "majorDimension",
    &["ROWS", "COLUMNS"],
    "Whether a list in the values is a row or a column.",
)
.set_by("majorDimension");

const TITLE: ActionArgument =
    ActionArgument::line("title", "What the spreadsheet is called.").set_by("title");
const LOCALE: ActionArgument = ActionArgument::line("locale", "Its language and country, such as en_US.");
const ZONE: ActionArgument = ActionArgument::line("timeZone", "Its time zone, such as Europe/Oslo.");

const OF_RANGE: &str = "/spreadsheets/{spreadsheetId}/values/{range}";

pub(super) const ACTIONS: &[ServiceAction] = &[
    ServiceAction::post("createSpreadsheet", "Makes a spreadsheet.", "/spreadsheets")
        .takes(&[
            TITLE.required(),
            ActionArgument::whole("sheetCount", 1, 100, "How many sheets it has.").set_by("sheetCount"),
            LOCALE,
            ZONE,
        ])
        .sends(|given| {
            let mut made = json!({ "properties": properties(given) });
            let sheets = given.value("sheetCount").and_then(Value::as_i64).filter(|count| *count > 1);
            if let Some(count) = sheets {
                let sheet = |number| json!({"properties": {"title": format!("Sheet{number}")}});
                made["sheets"] = (1..=count).map(sheet).collect();
            }
            Ok(made)
        }),
    ServiceAction::get("getSpreadsheet", "Reads what a spreadsheet is and which sheets it has.", "/spreadsheets/{spreadsheetId}")
        .takes(&[
            SHEET,
            SEVERAL,
            ActionArgument::flag("includeGridData", "With all of its cells, which may be much.")
                .in_query()
                .set_by("includeGridData"),
        ]),
    ServiceAction::post(
        "updateSpreadsheet",
        "Changes title, language or time zone of a spreadsheet.",
        "/spreadsheets/{spreadsheetId}:batchUpdate",
    )
    .takes(&[SHEET, TITLE, LOCALE, ZONE])
    .sends(|given| {
        let properties = properties(given);
        let names: Vec<&str> =
            properties.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        if names.is_empty() {
            return Err("Nothing is to be changed: give title, locale or timeZone.".to_owned());
        }
        let change = json!({"properties": properties, "fields": names.join(",")});
        Ok(json!({ "requests": [{ "updateSpreadsheetProperties": change }] }))
    }),
    ServiceAction::get("getValues", "Reads cells.", OF_RANGE).takes(&[SHEET, RANGE, RENDER, DATES, DIMENSION.in_query()]),
    ServiceAction::put("updateValues", "Writes cells.", OF_RANGE)
        .takes(&[SHEET, RANGE, VALUES, ENTERED.in_query(), DIMENSION])
        .sends(rows),
    ServiceAction::post(
        "appendValues",
        "Writes rows below those that are there.",
        "/spreadsheets/{spreadsheetId}/values/{range}:append",
    )
    .takes(&[SHEET, RANGE, VALUES, ENTERED.in_query(), INSERT, DIMENSION])
    .sends(rows),
    ServiceAction::post("clearValues", "Empties cells.", "/spreadsheets/{spreadsheetId}/values/{range}:clear")
        .takes(&[SHEET, RANGE]),
    ServiceAction::get(
        "batchGetValues",
        "Reads cells of several places.",
        "/spreadsheets/{spreadsheetId}/values:batchGet",
    )
    .takes(&[SHEET, SEVERAL.required(), RENDER, DATES, DIMENSION.in_query()]),
    ServiceAction::post(
        "batchUpdateValues",
        "Writes cells of several places.",
        "/spreadsheets/{spreadsheetId}/values:batchUpdate",
    )
    .takes(&[
        SHEET,
        ENTERED,
        ActionArgument::text(
            "values",
            "Places with their rows as JSON, such as [{\"range\": \"A1:B1\", \"values\": [[\"A1\", \"B1\"]]}].",
        )
        .required()
        .set_by("values"),
        DIMENSION,
        ActionArgument::flag("includeValuesInResponse", "Answers with what stands there then."),
    ])
    .sends(places),
    ServiceAction::post(
        "batchClearValues",
        "Empties cells of several places.",
        "/spreadsheets/{spreadsheetId}/values:batchClear",
    )
    .takes(&[SHEET, RANGES.required()])
    .sends(|given| Ok(json!({ "ranges": given.parts("ranges") }))),
];

fn properties(given: &CallArguments) -> Value {
    given.object(&[("title", "title"), ("locale", "locale"), ("timeZone", "timeZone")]).into()
}

/// A list in JSON.
fn list(given: &CallArguments, what: &str) -> Result<Vec<Value>, String> {
    let read = serde_json::from_str::<Vec<Value>>(given.text_or_empty("values"));
    read.map_err(|_| format!("The argument 'values' must be {what} as JSON."))
}

fn rows(given: &CallArguments) -> Result<Value, String> {
    let rows = list(given, "a list of rows")?;
    if rows.iter().any(|row| !row.is_array()) {
        return Err("The argument 'values' must be a list of rows, each a list of its cells.".to_owned());
    }
    let mut sent = given.object(&[("majorDimension", "majorDimension")]);
    sent.insert("values".to_owned(), rows.into());
    Ok(sent.into())
}

fn places(given: &CallArguments) -> Result<Value, String> {
    let mut places = list(given, "a list of places with their rows")?;
    for place in &mut places {
        if !place["range"].is_string() || !place["values"].is_array() {
            return Err("Each place in 'values' needs its range and its values.".to_owned());
        }
        if let (Some(dimension), true) = (given.value("majorDimension"), place["majorDimension"].is_null()) {
            place["majorDimension"] = dimension.clone();
        }
    }
    let mut sent = given.object(&[
        ("valueInputOption", "valueInputOption"),
        ("includeValuesInResponse", "includeValuesInResponse"),
    ]);
    sent.insert("data".to_owned(), places.into());
    Ok(sent.into())
}

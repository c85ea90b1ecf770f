//! Google Sheets: reads and writes the spreadsheets of whoever signed in.

use super::sheets_actions::ACTIONS;
use crate::cards::kit::actions::{chosen_by, toolkit};
use crate::cards::kit::{Card, Category, Choice, Input, Make, Risk};

/// The card.
pub const CARD: Card = Card {
    name: "googleSheetsTool",
    label: "Google Sheets",
    version: 1.0,
    category: Category::Tools,
    description: "Lets a model read and write spreadsheets in Google Sheets.",
    base_classes: &["Tool"],
    risk: Risk::Risky,
    inputs: &[
        Input::credential(&["googleSheetsOAuth2"]),
        Input::choice("sheetsType", "Type", KINDS),
        Input::choices("spreadsheetActions", "Spreadsheet Actions", SPREADSHEET)
            .when("sheetsType", "spreadsheet"),
        Input::choices("valuesActions", "Values Actions", VALUES).when("sheetsType", "values"),
        Input::text("spreadsheetId", "Spreadsheet ID")
            .additional()
            .help("As the address of the spreadsheet shows it.")
            .when_any("sheetsType", &["spreadsheet", "values"]),
        Input::text("title", "Title")
            .additional()
            .when_any("spreadsheetActions", &["createSpreadsheet", "updateSpreadsheet"]),
        Input::whole("sheetCount", "Sheet Count", 1.0, 100.0)
            .starting("1")
            .additional()
            .when_any("spreadsheetActions", &["createSpreadsheet"]),
        Input::text("range", "Range")
            .additional()
            .help("Such as Sheet1!A1:C10.")
            .when_any("valuesActions", &["getValues", "updateValues", "clearValues"]),
        Input::text("ranges", "Ranges")
            .additional()
            .help("Divided by commas.")
            .when_any("valuesActions", &["batchGetValues", "batchClearValues"]),
        Input::lines("values", "Values")
            .additional()
            .help("Rows as JSON, such as [[\"A1\", \"B1\"], [\"A2\", \"B2\"]].")
            .when_any("valuesActions", WRITTEN),
        Input::choice("valueInputOption", "Value Input Option", INPUT_OPTIONS)
            .starting("USER_ENTERED")
            .additional()
            .when_any("valuesActions", WRITTEN),
        Input::choice("valueRenderOption", "Value Render Option", RENDER_OPTIONS)
            .starting("FORMATTED_VALUE")
            .additional()
            .when_any("valuesActions", READ),
        Input::choice("dateTimeRenderOption", "Date Time Render Option", DATE_OPTIONS)
            .starting("FORMATTED_STRING")
            .additional()
            .when_any("valuesActions", READ),
        Input::choice("insertDataOption", "Insert Data Option", INSERT_OPTIONS)
            .starting("OVERWRITE")
            .additional()
            .when_any("valuesActions", &["appendValues"]),
        Input::switch("includeGridData", "Include Grid Data")
            .additional()
            .when_any("spreadsheetActions", &["getSpreadsheet"]),
        Input::choice("majorDimension", "Major Dimension", DIMENSIONS)
            .starting("ROWS")
            .additional()
            .when_any(
                "valuesActions",
                &["getValues", "updateValues", "appendValues", "batchGetValues", "batchUpdateValues"],
            ),
    ],
    outputs: &[],
    make: Make::Tools(|inputs| {
        let kinds = [("spreadsheet", "spreadsheetActions"), ("values", "valuesActions")];
        let chosen = chosen_by(inputs, "sheetsType", &kinds)?;
        toolkit(inputs, chosen, ACTIONS, super::service("Google Sheets", "https://sheets.googleapis.com/v4"))
    }),
};

const WRITTEN: &[&str] = &["updateValues", "appendValues", "batchUpdateValues"];
const READ: &[&str] = &["getValues", "batchGetValues"];

const KINDS: &[Choice] = &[Choice::of("spreadsheet", "Spreadsheet"), Choice::of("values", "Values")];
const SPREADSHEET: &[Choice] = &[
    Choice::of("createSpreadsheet", "Create Spreadsheet"),
    Choice::of("getSpreadsheet", "Get Spreadsheet"),
    Choice::of("updateSpreadsheet", "Update Spreadsheet"),
];
const VALUES: &[Choice] = &[
    Choice::of("getValues", "Get Values"),
    Choice::of("updateValues", "Update Values"),
    Choice::of("appendValues", "Append Values"),
    Choice::of("clearValues", "Clear Values"),
    Choice::of("batchGetValues", "Batch Get Values"),
    Choice::of("batchUpdateValues", "Batch Update Values"),
    Choice::of("batchClearValues", "Batch Clear Values"),
];
const INPUT_OPTIONS: &[Choice] = &[Choice::of("RAW", "Raw"), Choice::of("USER_ENTERED", "User Entered")];
const RENDER_OPTIONS: &[Choice] = &[
    Choice::of("FORMATTED_VALUE", "Formatted Value"),
    Choice::of("UNFORMATTED_VALUE", "Unformatted Value"),
    Choice::of("FORMULA", "Formula"),
];
const DATE_OPTIONS: &[Choice] =
    &[Choice::of("SERIAL_NUMBER", "Serial Number"), Choice::of("FORMATTED_STRING", "Formatted String")];
const INSERT_OPTIONS: &[Choice] =
    &[Choice::of("OVERWRITE", "Overwrite"), Choice::of("INSERT_ROWS", "Insert Rows")];
const DIMENSIONS: &[Choice] = &[Choice::of("ROWS", "Rows"), Choice::of("COLUMNS", "Columns")];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_fits_the_card() {
        crate::cards::kit::actions::hold(&super::CARD, super::ACTIONS);
    }
}

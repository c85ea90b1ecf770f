//! Google Sheets: reads and writes the spreadsheets of whoever signed in.

use super::sheets_actions::ACTIONS;
use crate::kit::web::actions::{chosen_by, toolkit};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "googleSheetsTool",
    label: "Google Sheets",
    version: 1.0,
    category: Category::Tools,
    description: "Lets a model read and write spreadsheets in Google Sheets.",
    base_classes: &["Tool"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::SignIns)],
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
    make: Factory::Tools(|inputs| {
        let kinds = [("spreadsheet", "spreadsheetActions"), ("values", "valuesActions")];
        let chosen = chosen_by(inputs, "sheetsType", &kinds)?;
        toolkit(inputs, chosen, ACTIONS, super::service("Google Sheets", "https://sheets.googleapis.com/v4"))
    }),
};

const WRITTEN: &[&str] = &["updateValues", "appendValues", "batchUpdateValues"];
const READ: &[&str] = &["getValues", "batchGetValues"];

const KINDS: &[Choice] = &[Choice::new("spreadsheet", "Spreadsheet"), Choice::new("values", "Values")];
const SPREADSHEET: &[Choice] = &[
    Choice::new("createSpreadsheet", "Create Spreadsheet"),
    Choice::new("getSpreadsheet", "Get Spreadsheet"),
    Choice::new("updateSpreadsheet", "Update Spreadsheet"),
];
const VALUES: &[Choice] = &[
    Choice::new("getValues", "Get Values"),
    Choice::new("updateValues", "Update Values"),
    Choice::new("appendValues", "Append Values"),
    Choice::new("clearValues", "Clear Values"),
    Choice::new("batchGetValues", "Batch Get Values"),
    Choice::new("batchUpdateValues", "Batch Update Values"),
    Choice::new("batchClearValues", "Batch Clear Values"),
];
const INPUT_OPTIONS: &[Choice] = &[Choice::new("RAW", "Raw"), Choice::new("USER_ENTERED", "User Entered")];
const RENDER_OPTIONS: &[Choice] = &[
    Choice::new("FORMATTED_VALUE", "Formatted Value"),
    Choice::new("UNFORMATTED_VALUE", "Unformatted Value"),
    Choice::new("FORMULA", "Formula"),
];
const DATE_OPTIONS: &[Choice] =
    &[Choice::new("SERIAL_NUMBER", "Serial Number"), Choice::new("FORMATTED_STRING", "Formatted String")];
const INSERT_OPTIONS: &[Choice] =
    &[Choice::new("OVERWRITE", "Overwrite"), Choice::new("INSERT_ROWS", "Insert Rows")];
const DIMENSIONS: &[Choice] = &[Choice::new("ROWS", "Rows"), Choice::new("COLUMNS", "Columns")];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_fits_the_card() {
        crate::kit::web::actions::check_actions(&super::CARD, super::ACTIONS);
    }
}

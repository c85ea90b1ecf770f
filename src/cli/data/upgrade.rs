//! `flowkeep upgrade`: brings the data of an older program to what this one writes, without starting it.

use super::folder::{Audience, folder_problem};
use crate::cli::operator::require_data;
use crate::cli::{CliError, Context, print};
use crate::ops::service::data_folder;
use crate::ops::service::upgrade::{self, UpgradePlan};
use crate::settings::Settings;

/// Brings the data of an older program to the format of this one, as its next start would
///
/// The database is copied to the folder before-upgrade beside it first. To go back, stop the service, move the files of that
/// folder back over those of the data folder, and start the older program; what was stored since is given up.
#[derive(clap::Args)]
pub(in crate::cli) struct UpgradeArgs {
    /// Say what would be done, and do nothing [env: SERVICE_UPGRADE_CHECK]
    #[arg(long)]
    check: bool,
}

pub(in crate::cli) fn run(args: &UpgradeArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    if let Some(why) = folder_problem(&settings.data_dir, Audience::Operator) {
        return Err(CliError::Failed(why));
    }
    require_data(&settings)?;
    match upgrade::plan(&settings).map_err(CliError::other)? {
        UpgradePlan::None { format } => print(&format!(
            "The data is in format {format}, which this program writes: there is nothing to do.\n"
        )),
        UpgradePlan::Due { found, known, copy_bytes }
            if context.is_switched_on(args.check, "SERVICE_UPGRADE_CHECK") =>
        {
            print(&render_plan(&settings, found, known, copy_bytes))
        }
        UpgradePlan::Due { found, known, .. } => {
            upgrade::run(&settings).map_err(CliError::other)?;
            print(&format!(
                "The data was brought from format {found} to format {known}. The database as it was is kept in {}; remove that \
                 folder when you do not want to go back.\n",
                upgrade::copy_folder(&settings).display()
            ))
        }
    }
}

fn render_plan(settings: &Settings, found: u32, known: u32, copy_bytes: u64) -> String {
    let needed = copy_bytes.div_ceil(MB);
    let free = match data_folder::free_bytes(&settings.data_dir) {
        Ok(Some(free)) => format!(", where {} MB are free", free / MB),
        Ok(None) | Err(_) => String::new(),
    };
    format!(
        "The data is in format {found}; the next start or 'flowkeep upgrade' brings it to format {known}. The database is \
         copied to {} first, which needs {needed} MB{free}.\n",
        upgrade::copy_folder(settings).display()
    )
}

const MB: u64 = 1024 * 1024;

//! The data folder itself.

use std::io;
use std::path::Path;

/// Makes the folder, readable by its owner only.
///
/// # Errors
/// When it cannot be made or is no folder.
pub fn prepare(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

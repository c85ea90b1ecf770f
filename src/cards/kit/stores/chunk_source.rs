//! The chunks that fill a store, gone through twice: first to learn which are new, then to embed those.

use crate::domain::error::{Error, Result};
use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::prediction::Document;
use crate::kit::capabilities::host::Host;
use crate::kit::knowledge::Loader;
use crate::kit::knowledge::pieces::DocumentPages;

/// Where they come from. Those without text are none of them.
pub(crate) enum ChunkSource<'l> {
    /// All of them, from loaders that are asked once.
    Loaded(Vec<Document>),
    /// Loaders that bring them again, a page at a time, so that nobody holds more than a page.
    Paged(Vec<&'l dyn DocumentPages>),
}

/// True for a chunk that says something.
pub(super) fn says_something(document: &Document) -> bool {
    !document.page_content.trim().is_empty()
}

impl<'l> ChunkSource<'l> {
    /// What one loader brings.
    ///
    /// # Errors
    /// What the loader fails with.
    pub(crate) fn of_loader(loader: &'l dyn Loader, host: &dyn Host) -> Result<Self> {
        if let Some(pages) = loader.pages() {
            return Ok(Self::Paged(vec![pages]));
        }
        Ok(Self::Loaded(loader.load(host)?.into_iter().filter(says_something).collect()))
    }

    /// Looks at each, and tells the host how many there were so far.
    ///
    /// # Errors
    /// When they cannot be read, and what `visit` returns; [`Error::Cancelled`] when the run ended.
    pub(crate) fn look(&self, host: &dyn Host, visit: &mut dyn FnMut(&Document) -> Result<()>) -> Result<()> {
        match self {
            Self::Loaded(documents) => documents.iter().try_for_each(visit),
            Self::Paged(loaders) => {
                let mut seen = 0;
                visit_pages(loaders, host, &mut |page| {
                    host.report_progress(UpsertProgress::loading(seen));
                    seen += page.len();
                    page.iter().filter(|document| says_something(document)).try_for_each(&mut *visit)
                })
            }
        }
    }

    /// Hands over each, in the same order.
    ///
    /// # Errors
    /// As [`Self::look`].
    pub(crate) fn take(self, host: &dyn Host, visit: &mut dyn FnMut(Document) -> Result<()>) -> Result<()> {
        match self {
            Self::Loaded(documents) => documents.into_iter().try_for_each(visit),
            Self::Paged(loaders) => visit_pages(&loaders, host, &mut |page| {
                page.into_iter().filter(says_something).try_for_each(&mut *visit)
            }),
        }
    }
}

fn visit_pages(
    loaders: &[&dyn DocumentPages],
    host: &dyn Host,
    visit: &mut dyn FnMut(Vec<Document>) -> Result<()>,
) -> Result<()> {
    for loader in loaders {
        loader.visit(host, &mut |page| match host.cancel().reason() {
            Some(_) => Err(Error::Cancelled),
            None => visit(page),
        })?;
    }
    Ok(())
}

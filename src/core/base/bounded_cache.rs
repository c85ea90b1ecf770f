//! A cache that holds so many values and forgets those that were not asked for.

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, UnitWeighter};
use std::hash::Hash;

pub type BoundedCache<K, V> = Cache<K, V>;

/// A cache of at most `values_max` values. It is one part under one lock: split among several, each part would be full
/// before the whole is.
///
/// # Panics
/// For a number that is no capacity: capacities are written in code.
#[must_use]
pub fn bounded_cache<K: Eq + Hash, V: Clone>(values_max: usize) -> BoundedCache<K, V> {
    let options = OptionsBuilder::new()
        .shards(1)
        .estimated_items_capacity(values_max)
        .weight_capacity(values_max as u64)
        .build()
        .expect("capacities are written in code");
    Cache::with_options(options, UnitWeighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

//! Lists of inputs that several cards have alike, as parts of the one list of each.

use super::input::Input;

/// The inputs of several lists, one list after the other, as the `inputs` of a card.
macro_rules! input_lists {
    ($($list:expr),+ $(,)?) => {{
        const LISTS: &[&[$crate::kit::Input]] = &[$($list),+];
        const ALL: [$crate::kit::Input; $crate::kit::schema::input_list::count(LISTS)] =
            $crate::kit::schema::input_list::join(LISTS);
        &ALL
    }};
}
pub(crate) use input_lists;

/// How many inputs the lists hold together.
pub(crate) const fn count(lists: &[&[Input]]) -> usize {
    let (mut all, mut at) = (0, 0);
    while at < lists.len() {
        all += lists[at].len();
        at += 1;
    }
    all
}

/// The inputs of the lists; `N` is their [`count`], and there is one at least.
pub(crate) const fn join<const N: usize>(lists: &[&[Input]]) -> [Input; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut end) = (0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            all[end] = lists[list][at];
            at += 1;
            end += 1;
        }
        list += 1;
    }
    all
}

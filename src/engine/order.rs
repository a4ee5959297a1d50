//! The order of lists.

/// The positions of items in order of their keys; items of the same key keep their order.
///
/// One sort for lists of every kind: the standard library's sort is compiled anew for each type, which costs the page
/// a few kilobytes a type.
pub fn positions_in_order(keys: impl Iterator<Item = (u64, u64)>) -> Vec<usize> {
    let mut order: Vec<((u64, u64), usize)> = keys.zip(0..).collect();
    sort(&mut order);
    order.into_iter().map(|(_, position)| position).collect()
}

#[inline(never)]
fn sort(order: &mut [((u64, u64), usize)]) {
    order.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_keep_their_order() {
        let keys = [(2, 0), (1, 1), (2, 0), (1, 0), (1, 1)];
        assert_eq!(positions_in_order(keys.into_iter()), [3, 1, 4, 0, 2]);
    }
}

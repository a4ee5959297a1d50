//! Values for some of many slots: what only some live messages have.

/// Slots of one page.
const PAGE: usize = 64;

/// A sparse table by slot number: pages are made when a slot of theirs is first filled, and given back when the last
/// is emptied. All calls take constant time.
#[derive(Clone, Debug)]
pub(super) struct BySlot<T> {
    pages: Vec<Page<T>>,
    len: usize,
}

#[derive(Clone, Debug)]
struct Page<T> {
    used: u32,
    /// Empty, or one entry a slot.
    entries: Vec<Option<T>>,
}

impl<T> Default for BySlot<T> {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> BySlot<T> {
    pub(super) fn get(&self, slot: u32) -> Option<&T> {
        let page = self.pages.get(slot as usize / PAGE)?;
        page.entries.get(slot as usize % PAGE)?.as_ref()
    }

    /// The entry of a slot, empty or not.
    pub(super) fn entry(&mut self, slot: u32) -> &mut Option<T> {
        let number = slot as usize / PAGE;
        while self.pages.len() <= number {
            self.pages.push(Page {
                used: 0,
                entries: Vec::new(),
            });
        }
        let page = &mut self.pages[number];
        if page.entries.is_empty() {
            page.entries.resize(PAGE, None);
        }
        &mut page.entries[slot as usize % PAGE]
    }

    pub(super) fn insert(&mut self, slot: u32, value: T) {
        let entry = self.entry(slot);
        let is_new = entry.is_none();
        *entry = Some(value);
        if is_new {
            self.pages[slot as usize / PAGE].used += 1;
            self.len += 1;
        }
    }

    /// The value of a slot, made if there is none.
    pub(super) fn get_or_insert(&mut self, slot: u32, value: T) -> &mut T {
        if self.get(slot).is_none() {
            self.insert(slot, value);
        }
        self.entry(slot).get_or_insert(value)
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<T> {
        let page = self.pages.get_mut(slot as usize / PAGE)?;
        let value = page.entries.get_mut(slot as usize % PAGE)?.take()?;
        page.used -= 1;
        if page.used == 0 {
            page.entries = Vec::new();
        }
        self.len -= 1;
        Some(value)
    }

    /// All values, by slot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let pages = self.pages.iter().enumerate();
        pages.flat_map(|(number, page)| {
            let entries = page.entries.iter().enumerate();
            entries.filter_map(move |(index, value)| {
                Some(((number * PAGE + index) as u32, value.as_ref()?))
            })
        })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_by_slot_and_an_emptied_page_is_given_back() {
        let mut table = BySlot::default();
        for slot in [200, 3, 64] {
            table.insert(slot, slot * 10);
        }
        *table.get_or_insert(3, 0) += 1;
        let all: Vec<(u32, u32)> = table.iter().map(|(slot, value)| (slot, *value)).collect();
        assert_eq!(all, [(3, 31), (64, 640), (200, 2_000)]);
        assert_eq!(
            (table.remove(64), table.remove(64), table.remove(9_999)),
            (Some(640), None, None)
        );
        assert!(table.pages[1].entries.is_empty());
        assert_eq!(table.len(), 2);
    }
}

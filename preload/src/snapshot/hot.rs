//! The hot set: pages that some execution has written, with their contents at the snapshot.

use super::PAGE;
use crate::checkpoint::Tape;
use crate::sys;
use core::arch::asm;

/// Most pages that can be hot: 8 GB.
const CAPACITY: usize = 1 << 21;
/// Bytes of the table of pages.
const TABLE: u64 = (CAPACITY * size_of::<Page>()) as u64;

/// The hot pages.
pub struct HotSet {
    /// Array of [`Page`] in a mapping of its own.
    pages: *mut Page,
    count: usize,
    /// Where saved contents go, in a mapping of its own.
    saved: u64,
    saved_end: u64,
}

/// One hot page.
#[derive(Clone, Copy)]
#[repr(C)]
struct Page {
    address: u64,
    /// Where its contents are saved; 0 if it was all zeroes.
    saved: u64,
}

impl HotSet {
    pub const fn new() -> HotSet {
        HotSet { pages: core::ptr::null_mut(), count: 0, saved: 0, saved_end: 0 }
    }

    /// Reserves room; gives its range back.
    pub fn map(&mut self) -> Option<(u64, u64)> {
        let length = TABLE + CAPACITY as u64 * PAGE;
        let start = sys::map(0, length, libc::PROT_READ | libc::PROT_WRITE)?;
        self.pages = start as *mut Page;
        self.saved = start + TABLE;
        self.saved_end = start + length;
        Some((start, start + length))
    }

    /// No page is hot any more.
    pub fn forget(&mut self) {
        self.count = 0;
        self.saved = self.pages as u64 + TABLE;
    }

    /// How many pages are hot.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Saves a page and makes it writable. False if it is hot already, or there is no room.
    pub fn add(&mut self, address: u64) -> bool {
        if self.count == CAPACITY || self.saved == self.saved_end {
            return false;
        }
        // SAFETY: the page is mapped, readable and covered by the snapshot.
        let is_zero = unsafe { is_zero(address) };
        if !is_zero {
            // SAFETY: the target lies in the save area, below its end.
            unsafe { copy_page(self.saved, address) };
        }
        // SAFETY: the page belongs to the program and was writable before the snapshot.
        if !unsafe { sys::mprotect(address, PAGE, libc::PROT_READ | libc::PROT_WRITE) } {
            return false;
        }
        let saved = if is_zero { 0 } else { self.saved };
        // SAFETY: `count` is below the capacity of the table.
        unsafe { self.pages.add(self.count).write(Page { address, saved }) };
        self.count += 1;
        self.saved += if is_zero { 0 } else { PAGE };
        true
    }

    /// The pages from a place on.
    fn pages_from(&self, first: usize) -> impl Iterator<Item = Page> + '_ {
        // SAFETY: entries below `count` are filled.
        (first..self.count).map(|index| unsafe { *self.pages.add(index) })
    }

    /// Copies every page back.
    pub fn copy_back(&self) {
        self.copy_back_from(0);
    }

    fn copy_back_from(&self, first: usize) {
        for page in self.pages_from(first) {
            // SAFETY: hot pages are writable.
            unsafe {
                if page.saved == 0 { clear_pages(page.address, PAGE) } else { copy_page(page.address, page.saved) }
            }
        }
    }

    /// Saves the pages as they are now.
    pub fn save(&self, tape: &mut Tape) {
        tape.put(self.count);
        self.pages_from(0).for_each(|page| tape.save_changes(page.address, page.saved));
    }

    /// Brings back the pages as they were saved. Those that were not hot yet had not changed since the snapshot.
    pub fn bring_back(&self, tape: &mut Tape) {
        let count: usize = tape.take();
        self.pages_from(0).take(count).for_each(|page| tape.bring_back_changes(page.address, page.saved));
        self.copy_back_from(count);
    }
}

/// # Safety
/// Both must be pages, the first writable, the second readable.
unsafe fn copy_page(to: u64, from: u64) {
    // SAFETY: as the caller promises. The instruction is the fastest way for whole pages, and calls nobody.
    unsafe {
        asm!("rep movsb", inout("rcx") PAGE => _, inout("rdi") to => _, inout("rsi") from => _,
             options(nostack, preserves_flags));
    }
}

/// # Safety
/// Must be writable memory.
pub unsafe fn clear_pages(start: u64, length: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!("rep stosb", inout("rcx") length => _, inout("rdi") start => _, in("al") 0u8, options(nostack, preserves_flags));
    }
}

/// # Safety
/// Must be a readable page.
unsafe fn is_zero(page: u64) -> bool {
    // SAFETY: a page is 512 aligned words.
    (0..PAGE / 8).all(|index| unsafe { *(page as *const u64).add(index as usize) } == 0)
}

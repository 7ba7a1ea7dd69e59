//! The shadow: two words for every eight bytes (a granule) of the program's memory.
//!
//! The first word is about the last write of the granule, the second about the last read: when it was ([clock]), which
//! thread it was, and which of the eight bytes. A word of an earlier execution is older than the [base] and means
//! nothing. Where one access per kind is not enough to tell, the first word refers to a [record](super::records)
//! instead, and the second one says what the running thread has done in this epoch: during an epoch nobody else runs,
//! so it need not be done twice. At communication variables both refer to the record: every access has to be looked at.
//!
//! ```text
//! 63       62 .......... 24  23 .. 17  16  15 .. 8  7 .. 0
//! special  clock             thread    0   0        bytes         an access
//! special  clock             0 record number                      a record
//! special  clock             1 thread                             freed: by whom and when
//! 0        clock             thread    0   written  read          what was done, beside a record
//! ```
//!
//! [clock]: super::clocks
//! [base]: super::clocks::base

use super::clocks::Own;
use super::records;
use crate::checkpoint::Tape;
use crate::snapshot::{PAGE, clear_pages};
use crate::sys;
use core::cell::Cell;
use rscale_protocol::{ThreadId, region};

/// Where the shadow begins. The program's addresses, cut to 44 bits, do not collide: executables lie at 0x4...,
/// 0x55..., the heap of the shim at 0x61..., stacks at 0x63..., libraries and the first stack at 0x7f....
pub const BASE: u64 = region::SHADOW_BASE;
const LENGTH: u64 = 2 << region::SHADOW_ADDRESS_BITS;
/// What is left of twice an address in that of its granule's words.
pub const MASK: u64 = LENGTH - 2 * GRANULE;
/// Marks a word that refers to a record.
pub const SPECIAL: u64 = 1 << 63;
/// Where the clock begins in a word.
pub const CLOCK_SHIFT: u32 = 24;
/// Where the thread begins in a word.
pub const THREAD_SHIFT: u32 = 17;
/// The clock of records that are valid in every execution.
pub const FOR_EVER: u64 = (1 << 39) - 1;
/// Marks a word of freed memory, beside [`SPECIAL`].
const FREED: u64 = 1 << (CLOCK_SHIFT - 1);
/// Most records: what a word can number.
pub const MOST_RECORDS: usize = FREED as usize;
/// Bytes of a granule.
pub const GRANULE: u64 = 8;

/// Reserves the address space.
pub fn reserve() -> bool {
    super::reserve(BASE, LENGTH).is_some()
}

/// Pages that can be saved.
const MOST_PAGES: usize = 256;
static PAGES: [Own<u64>; MOST_PAGES] = [const { Own(Cell::new(0)) }; MOST_PAGES];
static PAGE_COUNT: Own<usize> = Own(Cell::new(0));
/// Whether some pages have been written and nobody knows which.
static LOST_TRACK: Own<bool> = Own(Cell::new(false));

/// From here on, it is known which pages are written. What they hold means nothing any more.
pub fn track() {
    // SAFETY: memory of the shim; writes to it are handled from now on.
    LOST_TRACK.0.set(!unsafe { sys::mprotect(BASE, LENGTH, libc::PROT_READ) });
}

/// A write to this address faulted. True if it is in the shadow and is to be tried again.
pub fn make_writable(address: u64) -> bool {
    if address.wrapping_sub(BASE) >= LENGTH || LOST_TRACK.0.get() {
        return false;
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let page = address & !(PAGE - 1);
    match PAGES.get(PAGE_COUNT.0.get()) {
        Some(place) => {
            place.0.set(page);
            PAGE_COUNT.0.set(PAGE_COUNT.0.get() + 1);
            // SAFETY: memory of the shim.
            unsafe { sys::mprotect(page, PAGE, protection) }
        }
        None => {
            LOST_TRACK.0.set(true);
            records::expect_many();
            // SAFETY: as above. Of a program with much memory, small pages would not find room in the processor's tables.
            unsafe {
                sys::prefer_huge_pages(BASE, LENGTH);
                sys::mprotect(BASE, LENGTH, protection)
            }
        }
    }
}

fn pages() -> impl Iterator<Item = u64> {
    PAGES[..PAGE_COUNT.0.get()].iter().map(|page| page.0.get())
}

/// Saves the pages that have been written.
pub fn save(tape: &mut Tape) {
    if LOST_TRACK.0.get() {
        return tape.give_up();
    }
    tape.put(PAGE_COUNT.0.get());
    pages().for_each(|page| tape.save(page, PAGE));
}

/// Brings back what was saved. On pages that were not written then, there was nothing that meant something.
pub fn bring_back(tape: &mut Tape) {
    let count: usize = tape.take();
    pages().take(count).for_each(|page| tape.bring_back(page, PAGE));
    // SAFETY: pages of the shadow that are writable.
    pages().skip(count).for_each(|page| unsafe { clear_pages(page, PAGE) });
}

/// Whether what was saved can be brought back.
pub fn can_go_back() -> bool {
    !LOST_TRACK.0.get()
}

/// Where the shadow of an address is.
pub fn address(of: u64) -> u64 {
    BASE | (of << 1) & MASK
}

/// One word of the shadow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Word(pub u64);

impl Word {
    /// Nothing.
    pub const NONE: Word = Word(0);

    /// An access.
    pub fn new(epoch: u64, bytes: u8) -> Word {
        Word(epoch | u64::from(bytes))
    }

    /// A reference to a record.
    pub fn record(clock: u64, number: usize) -> Word {
        Word(SPECIAL | clock << CLOCK_SHIFT | number as u64)
    }

    pub fn clock(self) -> u64 {
        (self.0 & !SPECIAL) >> CLOCK_SHIFT
    }

    pub fn thread(self) -> ThreadId {
        ThreadId((self.0 >> THREAD_SHIFT) as u16 & 0x7f)
    }

    pub fn bytes(self) -> u8 {
        self.0 as u8
    }

    /// What a thread has done in its epoch, beside a record. Who writes need not remember that it reads.
    pub fn done(epoch: u64, read: u8, written: u8) -> Word {
        Word(epoch | u64::from(written) << 8 | u64::from(read | written))
    }

    /// The number of the record that it refers to.
    pub fn as_record(self) -> Option<usize> {
        (self.0 & (SPECIAL | FREED) == SPECIAL).then_some((self.0 & (FREED - 1)) as usize)
    }

    /// Memory that a thread has freed.
    pub fn freed(clock: u64, thread: ThreadId) -> Word {
        Word(SPECIAL | clock << CLOCK_SHIFT | FREED | u64::from(thread.0))
    }

    /// Who has freed the memory.
    pub fn as_freed(self) -> Option<ThreadId> {
        (self.0 & (SPECIAL | FREED) == SPECIAL | FREED).then_some(ThreadId(self.0 as u16 & 0x7f))
    }

    /// Whether it is neither a record nor freed memory.
    pub fn is_access(self) -> bool {
        self.0 & SPECIAL == 0
    }

    /// Whether it is about an execution that is over.
    pub fn is_stale(self, base: u64) -> bool {
        self.clock() < base
    }
}

/// The shadow of a granule.
#[derive(Clone, Copy)]
pub struct Granule {
    shadow: *mut Word,
}

impl Granule {
    /// Of the granule that contains the address.
    pub fn of(address: u64) -> Granule {
        Granule { shadow: self::address(address) as *mut Word }
    }

    pub fn written(self) -> Word {
        // SAFETY: the shadow of any address lies in the reserved range, aligned to two words.
        unsafe { *self.shadow }
    }

    pub fn read(self) -> Word {
        // SAFETY: as above.
        unsafe { *self.shadow.add(1) }
    }

    pub fn set_written(self, word: Word) {
        // SAFETY: as above.
        unsafe { *self.shadow = word };
    }

    pub fn set_read(self, word: Word) {
        // SAFETY: as above.
        unsafe { *self.shadow.add(1) = word };
    }

    /// What a thread has done in this epoch, where there is a record: the bytes that it has read and written.
    pub fn done(self, epoch: u64) -> (u8, u8) {
        let word = self.read().0 ^ epoch;
        if word < 1 << 16 { (word as u8, (word >> 8) as u8) } else { (0, 0) }
    }

    /// Sets both words.
    pub fn set_both(self, word: Word) {
        self.set_written(word);
        self.set_read(word);
    }
}

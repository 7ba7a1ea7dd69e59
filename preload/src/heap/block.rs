//! One block of the heap: a header, the data, and a marked end.

use crate::access::locations::Location;
use rscale_protocol::ThreadId;

/// What the data of every block is a multiple of.
pub const ALIGNMENT: u64 = 16;
/// Bytes before the data.
pub const HEADER: u64 = size_of::<Header>() as u64;
/// Fewest marked bytes behind the data.
const RED_ZONE: u64 = 8;

const LIVE: u64 = 0x4c49_5645_b10c_0001;
/// The highest byte of the state of a freed block; below it the thread, and where it freed the block.
const FREED: u64 = 0x46;
const SITE_BITS: u32 = 48;
const GAP: u64 = 0x4741_5042_b10c_0003;
/// Fills freed blocks: as a pointer, it leads nowhere.
const POISON: u8 = 0xdf;
/// Fills the end of a block.
const END_MARK: u8 = 0xfa;
/// Freed data is filled and checked up to here.
const POISONED: u64 = 64 << 10;

#[repr(C)]
struct Header {
    /// Bytes of the block, this header included.
    total: u64,
    /// Bytes that were asked for.
    size: u64,
    /// [`LIVE`], [`GAP`], or [`FREED`] with by whom and where.
    state: u64,
    /// Where it was allocated; next free block once it is in a bin.
    site: u64,
}

/// A block, by the address of its header.
#[derive(Clone, Copy)]
pub struct Block(u64);

/// Whether a faulting address comes from following a pointer that was read from freed memory.
pub fn is_poison(address: u64) -> bool {
    const WHOLE: u64 = u64::from_ne_bytes([POISON; 8]);
    address.wrapping_sub(WHOLE).wrapping_add(0x8000) < 0x1_0000
}

/// Whether the word at an address has the pattern of freed memory.
///
/// # Safety
/// The word must be readable.
pub unsafe fn is_poisoned(address: u64) -> bool {
    // SAFETY: as the caller promises.
    unsafe { (address as *const u32).read_unaligned() == u32::from_ne_bytes([POISON; 4]) }
}

/// Bytes that the data of a block needs, with its marked end.
pub fn room_for(size: u64) -> u64 {
    (size + RED_ZONE).next_multiple_of(ALIGNMENT)
}

impl Block {
    /// # Safety
    /// The address must lie in the mapped heap, with room for a header.
    pub unsafe fn at(address: u64) -> Block {
        Block(address)
    }

    fn header(&self) -> *mut Header {
        self.0 as *mut Header
    }

    fn read(&self) -> Header {
        // SAFETY: a block lies in the mapped heap.
        unsafe { self.header().read() }
    }

    /// Its data.
    pub fn location(&self) -> Location {
        Location { start: self.data(), length: self.size() }
    }

    /// The address of the data.
    pub fn data(&self) -> u64 {
        self.0 + HEADER
    }

    /// Bytes of the whole block.
    pub fn total(&self) -> u64 {
        self.read().total
    }

    /// Bytes that were asked for.
    pub fn size(&self) -> u64 {
        self.read().size
    }

    /// Where the block was allocated, or the next free block.
    pub fn site(&self) -> u64 {
        self.read().site
    }

    /// Whether it is in use.
    pub fn is_live(&self) -> bool {
        self.read().state == LIVE
    }

    /// Whether it was freed.
    pub fn is_freed(&self) -> bool {
        self.read().state >> (SITE_BITS + 8) == FREED
    }

    /// Who freed it, and where.
    pub fn freed_by(&self) -> Option<(ThreadId, u64)> {
        let state = self.read().state;
        let thread = ThreadId((state >> SITE_BITS) as u16 & 0xff);
        self.is_freed().then_some((thread, state & ((1 << SITE_BITS) - 1)))
    }

    /// Links the block to another.
    pub fn set_site(&self, site: u64) {
        // SAFETY: a block lies in the mapped heap.
        unsafe { (*self.header()).site = site };
    }

    /// Gives the block its size.
    pub fn set_total(&self, total: u64) {
        // SAFETY: a block lies in the mapped heap.
        unsafe { (*self.header()).total = total };
    }

    /// Makes it a gap that is never used.
    pub fn make_gap(&self, total: u64) {
        // SAFETY: a block lies in the mapped heap.
        unsafe { self.header().write(Header { total, size: 0, state: GAP, site: 0 }) };
    }

    /// Gives the block to the program.
    pub fn start_life(&self, size: u64, site: u64) -> *mut u8 {
        let total = self.total();
        let end = self.data() + size;
        // SAFETY: the block is at least as large as the data and its marked end.
        unsafe {
            self.header().write(Header { total, size, state: LIVE, site });
            core::ptr::write_bytes(end as *mut u8, END_MARK, self.marked_end() as usize);
        }
        self.data() as *mut u8
    }

    /// Bytes behind the data that are marked: at most two words, however large the block.
    fn marked_end(&self) -> u64 {
        let header = self.read();
        (header.total - HEADER - header.size).min(2 * RED_ZONE)
    }

    /// A thread gives the block back at a place in the program.
    pub fn end_life(&self, thread: ThreadId, site: u64) {
        let state = FREED << 8 | u64::from(thread.0);
        // SAFETY: a live block; its data belongs to nobody any more.
        unsafe {
            (*self.header()).state = state << SITE_BITS | site & ((1 << SITE_BITS) - 1);
            core::ptr::write_bytes(self.data() as *mut u8, POISON, self.size().min(POISONED) as usize);
        }
    }

    /// Whether the program wrote beyond the end of its data.
    pub fn is_overflown(&self) -> bool {
        let end = self.data() + self.size();
        // SAFETY: the marked end belongs to the block.
        (0..self.marked_end()).any(|offset| unsafe { *((end + offset) as *const u8) } != END_MARK)
    }

    /// Whether the program wrote to the block after it freed it.
    pub fn was_written_after_free(&self) -> bool {
        let length = self.size().min(POISONED);
        // SAFETY: the data belongs to the block.
        (0..length).any(|offset| unsafe { *((self.data() + offset) as *const u8) } != POISON)
    }
}

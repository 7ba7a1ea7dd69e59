//! The region: the instrumented copy of a module's code, as the scheduler process plans it and the shim maps it.
//!
//! A region lies near its module, so that relative addressing reaches from one to the other. It begins with a
//! [`Header`]; everything else is found through the offsets there. Unlike the arena it is private to the program once
//! it is mapped: only its slots are written, once, by the shim.

/// First word of a region.
pub const MAGIC: u64 = 0x6e6f_6967_6572_7372;
/// Executable areas that a module may have.
pub const MAX_AREAS: usize = 4;
/// Widths of an access that have a stub of their own: 1, 2, 4, 8, 16, 32 and 64 bytes.
pub const WIDTHS: usize = 7;
/// Entry points of the shim that clones call.
pub const SLOTS: usize = AGAIN_SLOT + 3 * WIDTHS;
/// The stub for accesses whose address or extent takes more than one operand to compute.
pub const GENERAL_SLOT: usize = 4 * WIDTHS;
/// The stub for fences.
pub const FENCE_SLOT: usize = 4 * WIDTHS + 1;
/// From here on, the stubs for reads, writes and updates that are not [counted](uncounted).
pub const AGAIN_SLOT: usize = 4 * WIDTHS + 2;
/// Where the shim's shadow of the program's memory begins: a multiple of twice what the bits below can say.
pub const SHADOW_BASE: u64 = 1 << SHADOW_BASE_BIT;
/// The one bit of that.
pub const SHADOW_BASE_BIT: u32 = 45;
/// Bits of an address that say where its shadow is, at twice that.
pub const SHADOW_ADDRESS_BITS: u32 = 44;

/// A part of the region, in bytes from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Span {
    /// Where it begins.
    pub offset: u32,
    /// Its bytes.
    pub length: u32,
}

/// An executable area of the module, and the table that leads from each of its bytes to the clone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Area {
    /// Address of its first byte in the process.
    pub start: u64,
    /// Its bytes; 0 for an unused entry.
    pub length: u64,
    /// For each byte the offset of the clone of the instruction that begins there, as `u32`; 0 where none does.
    pub table: Span,
}

/// The start of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// Where the region must be mapped.
    pub base: u64,
    /// What to add to an address of the file to get one of the process.
    pub bias: u64,
    /// Bytes of the region, a multiple of the page size.
    pub length: u64,
    /// The clones; starts and ends at a page.
    pub code: Span,
    /// Array of [`Site`], by return address.
    pub sites: Span,
    /// What to write over the original code: see [`Patches`].
    pub patches: Span,
    /// The original code.
    pub areas: [Area; MAX_AREAS],
    /// 1 if functions in these areas were left out on purpose: what has no clone is not watched.
    pub is_partial: u64,
    /// Addresses of the stubs, filled by the shim: those of [`slot`], then [`GENERAL_SLOT`] and [`FENCE_SLOT`],
    /// then those of [`uncounted`].
    pub slots: [u64; SLOTS],
}

/// How a site accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum SiteKind {
    /// Reads.
    Read = 0,
    /// Writes.
    Write = 1,
    /// Reads, then writes; another thread may come between.
    Update = 2,
    /// Reads and writes in one step.
    Atomic = 3,
    /// Orders other accesses.
    Fence = 4,
}

/// How the bytes of an access lie.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum SiteShape {
    /// `size` bytes at the address in RCX.
    Plain = 0,
    /// All of a string instruction, as `string` says. RCX has the address of its source, if it has one, else of its
    /// target; `size` is that of an element.
    String = 1,
    /// A bit that `register` counts from the address in RCX; `size` bytes is the operand.
    BitIndexed = 2,
    /// An area at the address in RCX whose extent the processor knows.
    Unbounded = 3,
    /// Elements, each for a lane of vector registers: [`Lanes`] says what `size`, `register` and `string` mean.
    Lanes = 4,
}

/// One hook in the clones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Site {
    /// Offset in the region of the instruction behind the call of the stub.
    pub returns_to: u32,
    /// Offset in the file's addresses of the end of the original instruction.
    pub original_end: u32,
    /// [`SiteKind`].
    pub kind: u8,
    /// [`SiteShape`].
    pub shape: u8,
    /// Bytes of the access, or of one element; of a fence, what it orders: [`Site::ORDERS_ALL`] and the others.
    pub size: u16,
    /// [`Site::RED_ZONE`] and the others.
    pub flags: u8,
    /// A register number as instructions encode it (0 RAX, 1 RCX, ... 15 R15), where the shape needs one.
    pub register: u8,
    /// Length of the original instruction.
    pub length: u8,
    /// What a string instruction does: [`Site::READS_SOURCE`] and the others. Also for lanes; 0 for all others.
    pub string: u8,
}

impl Site {
    /// A fence that orders everything: `mfence`, and locked instructions on memory that nobody shares.
    pub const ORDERS_ALL: u16 = 0;
    /// `lfence`: loads are in order without it.
    pub const ORDERS_LOADS: u16 = 1;
    /// `sfence`.
    pub const ORDERS_STORES: u16 = 2;
    /// The hook has moved the stack pointer down by 128 first.
    pub const RED_ZONE: u8 = 1;
    /// The hook has pushed the flags, as `lahf; seto al` gives them.
    pub const FLAGS_SAVED: u8 = 2;
    /// The hook calls the general stub.
    pub const GENERAL: u8 = 4;
    /// A string instruction that reads elements at RSI.
    pub const READS_SOURCE: u8 = 1;
    /// One that compares with the elements at RDI.
    pub const COMPARES: u8 = 2;
    /// One that writes elements at RDI.
    pub const WRITES_TARGET: u8 = 4;
    /// It is repeated as often as RCX says, at most.
    pub const REPEATED: u8 = 8;
    /// It goes on while what it compares is equal, not until it is.
    pub const WHILE_EQUAL: u8 = 16;
    /// Its registers have 32 bits.
    pub const NARROW: u8 = 32;

    /// Bytes from where the stub of any other access returns to the instruction: `pop`, `pop` and what restores the
    /// flags, and what undoes the red zone.
    #[must_use]
    pub fn rest(&self) -> u64 {
        let has = |flag: u8| u64::from(self.flags & flag != 0);
        2 - has(Self::GENERAL) + 4 * has(Self::FLAGS_SAVED) + 8 * has(Self::RED_ZONE)
    }

    /// Bytes from where the stub of a string instruction returns to where it returns to if it has carried out the
    /// instruction: behind a `pop`, what undoes the red zone, and a short jump.
    #[must_use]
    pub fn skip(&self) -> u64 {
        if self.flags & Self::RED_ZONE != 0 { 11 } else { 3 }
    }
}

/// An instruction that accesses memory lane by lane: those lanes of which the mask has its highest bit set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lanes {
    /// Bytes of an element.
    pub element: u8,
    /// How many lanes there are.
    pub count: u8,
    /// The number of the vector register that is loaded or stored.
    pub data: u8,
    /// The number of the one that chooses.
    pub mask: u8,
    /// Where the elements are, relative to the address in RCX; None where they lie one behind the other.
    pub gathered: Option<Gathered>,
}

/// A vector of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gathered {
    /// The number of the vector register.
    pub index: u8,
    /// By how many bits its elements are shifted.
    pub shift: u8,
    /// Whether they have eight bytes, not four.
    pub is_wide: bool,
}

impl Lanes {
    const WIDE_INDEX: u8 = 1 << 6;
    const GATHERED: u8 = 1 << 7;

    /// As `size`, `register` and `string` of a site.
    #[must_use]
    pub fn packed(&self) -> (u16, u8, u8) {
        let gathered = self.gathered.map_or(0, |gathered| {
            let wide = if gathered.is_wide { Lanes::WIDE_INDEX } else { 0 };
            Lanes::GATHERED | wide | gathered.shift << 4 | gathered.index
        });
        (u16::from_le_bytes([self.element, self.count]), self.data | self.mask << 4, gathered)
    }

    /// Of a site of this shape.
    #[must_use]
    pub fn of(site: &Site) -> Lanes {
        let [element, count] = site.size.to_le_bytes();
        let what = site.string;
        let gathered = (what & Lanes::GATHERED != 0).then_some(Gathered {
            index: what & 0xf,
            shift: what >> 4 & 3,
            is_wide: what & Lanes::WIDE_INDEX != 0,
        });
        Lanes { element, count, data: site.register & 0xf, mask: site.register >> 4, gathered }
    }
}

/// One patch of the original code: `length` bytes follow it, padded to a multiple of 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Patch {
    /// Where the bytes go.
    pub address: u64,
    /// How many they are.
    pub length: u64,
}

/// The slot of the stub for plain accesses of this kind and width.
#[must_use]
pub fn slot(kind: SiteKind, size: u16) -> Option<usize> {
    let width = size.trailing_zeros() as usize;
    (size.is_power_of_two() && width < WIDTHS && kind != SiteKind::Fence).then_some(kind as usize * WIDTHS + width)
}

/// The slot for the same access where it is not counted, if there is one. Counting finds threads that go on without a
/// step, so of accesses that follow each other whatever happens not all need be. Atomic ones are often what a thread
/// waits with.
#[must_use]
pub fn uncounted(slot: usize) -> Option<usize> {
    (slot < SiteKind::Atomic as usize * WIDTHS).then_some(AGAIN_SLOT + slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_width_has_its_slot() {
        let kinds = [SiteKind::Read, SiteKind::Write, SiteKind::Update, SiteKind::Atomic];
        let slots: std::vec::Vec<usize> =
            kinds.into_iter().flat_map(|kind| (0..WIDTHS).filter_map(move |width| slot(kind, 1 << width))).collect();
        assert_eq!(slots, (0..GENERAL_SLOT).collect::<std::vec::Vec<_>>());
        assert_eq!((slot(SiteKind::Read, 3), slot(SiteKind::Read, 128), slot(SiteKind::Fence, 8)), (None, None, None));
        assert_eq!(size_of::<Header>() % 8, 0);
        let again: std::vec::Vec<usize> = (0..AGAIN_SLOT).filter_map(uncounted).collect();
        assert_eq!(again, (AGAIN_SLOT..SLOTS).collect::<std::vec::Vec<_>>());
    }

    #[test]
    fn lanes_are_what_they_were_packed_from() {
        let gathered = Some(Gathered { index: 15, shift: 3, is_wide: true });
        for lanes in [
            Lanes { element: 8, count: 4, data: 1, mask: 14, gathered },
            Lanes { element: 1, count: 16, data: 15, mask: 0, gathered: None },
        ] {
            let (size, register, string) = lanes.packed();
            let kind = SiteKind::Read as u8;
            let shape = SiteShape::Lanes as u8;
            let site =
                Site { returns_to: 0, original_end: 0, kind, shape, size, flags: 0, register, length: 6, string };
            assert_eq!(Lanes::of(&site), lanes);
        }
    }
}

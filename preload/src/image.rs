//! Where the program itself lies: its code, and its static data, which last as long as the process.

use core::cell::Cell;
use core::ops::Range;

/// The program's segments, found before the first execution.
struct Image {
    code: Cell<(u64, u64)>,
    data: Cell<(u64, u64)>,
}

// SAFETY: written before the first execution, read by the kernel thread that runs program and shim.
unsafe impl Sync for Image {}

static IMAGE: Image = Image { code: Cell::new((0, 0)), data: Cell::new((0, 0)) };

/// Finds the program's segments.
pub fn prepare() {
    // SAFETY: reads the auxiliary vector.
    let (table, count) = unsafe { (libc::getauxval(libc::AT_PHDR), libc::getauxval(libc::AT_PHNUM)) };
    if table == 0 {
        return;
    }
    // SAFETY: the kernel gives the program headers of the program, which are mapped for ever.
    let headers = unsafe { core::slice::from_raw_parts(table as *const libc::Elf64_Phdr, count as usize) };
    let own = headers.iter().find(|header| header.p_type == libc::PT_PHDR);
    let base = own.map_or(0, |header| table.wrapping_sub(header.p_vaddr));
    let around = |flag: u32| {
        let wanted = headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & flag != 0);
        wanted.fold((u64::MAX, 0), |(start, end), header| {
            let low = base.wrapping_add(header.p_vaddr);
            (start.min(low), end.max(low + header.p_memsz))
        })
    };
    IMAGE.code.set(around(libc::PF_X));
    IMAGE.data.set(around(libc::PF_W));
}

/// Whether the address is one of the program's code.
pub fn is_code(address: u64) -> bool {
    range(IMAGE.code.get()).contains(&address)
}

/// Whether the address is one of the program's static data.
#[inline(always)]
pub fn is_data(address: u64) -> bool {
    range(IMAGE.data.get()).contains(&address)
}

fn range((start, end): (u64, u64)) -> Range<u64> {
    start..end
}

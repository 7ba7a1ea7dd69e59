//! Mappings.
//!
//! What an execution maps is remembered and unmapped again. Inside of that it may do what it likes. Mappings that
//! existed at the snapshot are restored by contents only, so they must stay where they are and as they are.

use super::ranges::Ranges;
use super::{Call, aliases, descriptors, failure, kernel, report, time_stamps};
use crate::snapshot::{self, PAGE};
use crate::{access, arena, finish, sys};
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::Relaxed;

/// The mappings of the execution, outside the snapshot: the restore needs them.
struct Mappings(UnsafeCell<Ranges>);

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl Sync for Mappings {}

static NEW: Mappings = Mappings(UnsafeCell::new(Ranges::new()));

fn with<R>(act: impl FnOnce(&mut Ranges) -> R) -> R {
    // SAFETY: the closures of this module do not nest, and none of them faults.
    act(unsafe { &mut *NEW.0.get() })
}

fn is_new(start: u64, length: u64) -> bool {
    with(|ranges| ranges.contains(start, start.saturating_add(whole_pages(length))))
}

fn whole_pages(length: u64) -> u64 {
    length.saturating_add(PAGE - 1) & !(PAGE - 1)
}

fn failed(result: i64) -> bool {
    (-(PAGE as i64)..0).contains(&result)
}

/// Changes the set of new mappings.
fn update(call: &Call, change: impl FnOnce(&mut Ranges) -> bool) {
    if !with(change) {
        report::isolate(call, "makes more mappings than rscale can undo");
    }
}

/// Whether the execution has mapped nothing.
pub fn is_untouched() -> bool {
    with(|ranges| ranges.is_empty())
}

/// Unmaps what the execution mapped.
pub fn undo() {
    with(|ranges| {
        if !ranges.is_empty() {
            // SAFETY: mappings of the execution that has ended; nothing of the shim lies in them.
            ranges.iter().for_each(|(start, end)| unsafe { sys::unmap(start, end - start) });
            ranges.clear();
            aliases::forget();
        }
    });
}

/// `mmap`.
pub fn mmap(call: &Call) -> i64 {
    let [address, length, protection, flags, descriptor, _] = call.arguments;
    let flags = flags as i32;
    note_code(protection);
    let shared = matches!(flags & libc::MAP_TYPE, libc::MAP_SHARED | libc::MAP_SHARED_VALIDATE);
    if shared && flags & libc::MAP_ANONYMOUS == 0 && protection & libc::PROT_WRITE as u64 != 0 {
        check_shared(call, descriptor as i32);
    }
    let result = if flags & libc::MAP_FIXED == libc::MAP_FIXED && !is_new(address, length) {
        map_where_nothing_is(call)
    } else {
        call.pass()
    };
    if !failed(result) {
        update(call, |ranges| ranges.add(result as u64, result as u64 + whole_pages(length)));
        if shared && flags & libc::MAP_ANONYMOUS == 0 {
            aliases::mapped(descriptor as i32, protection & libc::PROT_WRITE as u64 != 0);
        }
    }
    result
}

/// Code that comes while the program runs (plug-ins, generated code) is not instrumented: the report has to say so.
fn note_code(protection: u64) {
    if protection & libc::PROT_EXEC as u64 == 0 {
        return;
    }
    time_stamps::trap();
    if access::region::is_installed() {
        arena::get().result.unseen_code.store(1, Relaxed);
    }
}

/// A file that is mapped for writing by all who map it must be one that vanishes.
fn check_shared(call: &Call, descriptor: i32) {
    let vanishes = |stat: libc::stat| stat.st_nlink == 0 && !descriptors::is_original_file(&stat);
    if kernel::stat(descriptor).is_ok_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFREG && !vanishes(stat)) {
        report::isolate(call, "maps a file for writing");
    }
}

/// A mapping at a fixed address, which must not replace one that existed at the snapshot.
fn map_where_nothing_is(call: &Call) -> i64 {
    let mut arguments = call.arguments;
    arguments[3] |= libc::MAP_FIXED_NOREPLACE as u64;
    let result = Call { arguments, ..*call }.pass();
    if result != failure(libc::EEXIST) {
        return result;
    }
    report::isolate(call, "maps over memory that existed before main");
    call.pass()
}

/// `munmap`.
pub fn munmap(call: &Call) -> i64 {
    let [start, length, ..] = call.arguments;
    if !is_new(start, length) {
        report::isolate(call, "unmaps memory that existed before main");
    }
    let result = call.pass();
    if result == 0 {
        update(call, |ranges| ranges.remove(start, start + whole_pages(length)));
    }
    result
}

/// `mprotect` and `pkey_mprotect`.
pub fn mprotect(call: &Call) -> i64 {
    let [start, length, protection, ..] = call.arguments;
    note_code(protection);
    if protection & libc::PROT_WRITE as u64 != 0 && access::region::is_instrumented(start, length) {
        finish::unsupported(
            b"changes its own code, which can not be followed where it is instrumented; use --scope sync",
        );
    }
    if !is_new(start, length) {
        if protection == (libc::PROT_READ | libc::PROT_WRITE) as u64 && is_writable_by_program(start, length) {
            return 0; // that is what the program takes it for
        }
        report::isolate(call, "changes the protection of memory that existed before main");
    }
    call.pass()
}

/// Whether the program could write all of this at the snapshot.
fn is_writable_by_program(start: u64, length: u64) -> bool {
    let end = start.saturating_add(whole_pages(length));
    let mut page = start;
    while page < end && snapshot::covers(page) {
        page += PAGE;
    }
    page >= end
}

/// `mremap`.
pub fn mremap(call: &Call) -> i64 {
    let [start, length, new_length, flags, target, _] = call.arguments;
    let moves_over = flags & libc::MREMAP_FIXED as u64 != 0 && !is_new(target, new_length);
    if moves_over || !is_new(start, length.max(1)) {
        report::isolate(call, "moves or resizes memory that existed before main");
    }
    let result = call.pass();
    if !failed(result) {
        if length == 0 {
            aliases::mapped_again();
        }
        let stays = flags & libc::MREMAP_DONTUNMAP as u64 != 0;
        update(call, |ranges| {
            (stays || ranges.remove(start, start + whole_pages(length)))
                && ranges.add(result as u64, result as u64 + whole_pages(new_length))
        });
    }
    result
}

/// `madvise`: most advice changes nothing that a program can see.
pub fn madvise(call: &Call) -> i64 {
    let [start, length, advice, ..] = call.arguments;
    if length == 0 || is_new(start, length) {
        return call.pass();
    }
    match advice as i32 {
        libc::MADV_DONTNEED | libc::MADV_FREE | libc::MADV_REMOVE | libc::MADV_DONTNEED_LOCKED => {
            report::isolate(call, "discards memory that existed before main");
            call.pass()
        }
        libc::MADV_HWPOISON | libc::MADV_SOFT_OFFLINE => failure(libc::EPERM),
        libc::MADV_DONTFORK | libc::MADV_WIPEONFORK | libc::MADV_DOFORK | libc::MADV_KEEPONFORK => {
            report::isolate(call, "changes what a fork does with memory");
            call.pass()
        }
        _ => 0,
    }
}

/// `brk`: the end of the data segment stays where it is; the heap of the program is elsewhere.
pub fn brk(call: &Call) -> i64 {
    Call { arguments: [0; 6], ..*call }.pass()
}

//! Format strings: which arguments of `printf` and `scanf` point to memory, and to how much.

use super::variadic::List;
use core::ffi::c_char;

/// An argument that points to memory.
#[derive(Clone, Copy)]
pub struct Pointed {
    pub address: u64,
    pub what: What,
    /// Whether it counts as an assignment of `scanf`.
    pub is_counted: bool,
}

/// What an argument points to.
#[derive(Clone, Copy)]
pub enum What {
    /// A string, of which at most so many characters matter.
    Text(usize),
    /// A string of wide characters.
    WideText(usize),
    /// So many characters.
    Characters(usize),
    /// A number of so many bytes that is written.
    Number(usize),
}

/// A cursor in a format string.
struct Format {
    next: *const u8,
}

/// What stands between the percent sign and the letter of a `scanf` conversion.
struct Specification {
    width: Option<usize>,
    /// Bytes of an integer, 16 for a `long double`; 0 if nothing is said.
    size: usize,
    /// `m`: the function allocates.
    allocates: bool,
    is_suppressed: bool,
}

impl Format {
    fn peek(&self) -> u8 {
        // SAFETY: the string is terminated, and nothing goes beyond its end.
        unsafe { *self.next }
    }

    fn take(&mut self) -> u8 {
        let byte = self.peek();
        if byte != 0 {
            self.next = self.next.wrapping_add(1);
        }
        byte
    }

    fn take_if(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == wanted;
        if is_there {
            self.take();
        }
        is_there
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            let digit = usize::from(self.take() - b'0');
            number = Some(number.unwrap_or(0usize).saturating_mul(10).saturating_add(digit));
        }
        number
    }

    /// Goes behind the next percent sign that begins a conversion; false at the end.
    fn find(&mut self) -> bool {
        loop {
            match self.take() {
                0 => return false,
                b'%' if !self.take_if(b'%') => return true,
                _ => {}
            }
        }
    }

    fn length(&mut self) -> usize {
        match self.peek() {
            b'h' => {
                self.take();
                if self.take_if(b'h') { 1 } else { 2 }
            }
            b'l' => {
                self.take();
                self.take_if(b'l');
                8
            }
            b'q' | b'j' | b'z' | b't' | b'Z' => {
                self.take();
                8
            }
            b'L' => {
                self.take();
                16
            }
            _ => 0,
        }
    }

    /// A set of characters in brackets, behind the opening one.
    fn skip_set(&mut self) {
        self.take_if(b'^');
        self.take();
        while !matches!(self.take(), 0 | b']') {}
    }
}

/// A width or precision of `printf`: a number, or an argument. A negative one counts as none.
fn number_or_argument(format: &mut Format, list: &mut List) -> Option<usize> {
    if format.take_if(b'*') { usize::try_from(list.word() as i32).ok() } else { format.number() }
}

/// Calls `visit` for each argument of `printf` that points to memory. Formats with numbered arguments are not understood.
pub fn printed(format: *const c_char, mut list: List, mut visit: impl FnMut(Pointed)) {
    let mut format = Format { next: format.cast() };
    while format.find() {
        while matches!(format.peek(), b'-' | b'+' | b' ' | b'#' | b'0' | b'\'' | b'I') {
            format.take();
        }
        number_or_argument(&mut format, &mut list);
        if format.peek() == b'$' {
            return;
        }
        let precision = match format.take_if(b'.') {
            true if matches!(format.peek(), b'*' | b'0'..=b'9') => number_or_argument(&mut format, &mut list),
            true => Some(0),
            false => None,
        };
        let size = format.length();
        let limit = precision.unwrap_or(usize::MAX);
        let mut point = |address, what| visit(Pointed { address, what, is_counted: false });
        match format.take() {
            b's' if size == 8 => point(list.word(), What::WideText(limit)),
            b'S' => point(list.word(), What::WideText(limit)),
            b's' => point(list.word(), What::Text(limit)),
            b'n' => point(list.word(), What::Number(if size == 0 { 4 } else { size })),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' if size == 16 => list.skip_long_double(),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => list.skip_double(),
            b'm' | b'%' => {}
            0 => return,
            _ => _ = list.word(),
        }
    }
}

fn scan_specification(format: &mut Format) -> Specification {
    let is_suppressed = format.take_if(b'*');
    let width = format.number();
    format.take_if(b'\'');
    let allocates = format.take_if(b'm');
    Specification { width, size: format.length(), allocates, is_suppressed }
}

/// Calls `visit` for each argument of `scanf`. Formats with numbered arguments are not understood.
pub fn scanned(format: *const c_char, mut list: List, mut visit: impl FnMut(Pointed)) {
    let mut format = Format { next: format.cast() };
    while format.find() {
        let specification = scan_specification(&mut format);
        let (letter, size) = (format.take(), specification.size);
        let width = specification.width;
        let is_wide = size == 8;
        let what = match letter {
            0 | b'$' => return,
            b'%' => continue,
            b'[' => {
                format.skip_set();
                text_of(is_wide, width)
            }
            b's' => text_of(is_wide, width),
            b'S' => text_of(true, width),
            b'c' => What::Characters(width.unwrap_or(1) * if is_wide { 4 } else { 1 }),
            b'C' => What::Characters(width.unwrap_or(1) * 4),
            b'p' => What::Number(8),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => What::Number(if size == 0 { 4 } else { size }),
            _ => What::Number(if size == 0 { 4 } else { size.min(8) }),
        };
        if !specification.is_suppressed {
            let what = if specification.allocates { What::Number(8) } else { what };
            visit(Pointed { address: list.word(), what, is_counted: letter != b'n' });
        }
    }
}

fn text_of(is_wide: bool, width: Option<usize>) -> What {
    let width = width.unwrap_or(usize::MAX);
    if is_wide { What::WideText(width) } else { What::Text(width) }
}

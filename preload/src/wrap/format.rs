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

/// Most arguments of a format that numbers them.
const MOST: usize = 64;

/// A format string.
#[derive(Clone, Copy)]
pub enum Text {
    Narrow(*const c_char),
    Wide(*const i32),
}

/// A cursor in a format string.
#[derive(Clone, Copy)]
struct Format {
    next: Text,
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Double,
    LongDouble,
}

/// A width or precision of `printf`.
#[derive(Clone, Copy)]
enum Amount {
    None,
    Number(usize),
    /// An argument: the next one, or that of a number.
    Argument(Option<usize>),
}

/// A conversion of `printf`.
#[derive(Clone, Copy)]
struct Conversion {
    /// Number of its argument, if the format has numbers.
    position: Option<usize>,
    width: Amount,
    precision: Amount,
    size: usize,
    letter: u8,
}

/// The arguments, one after the other or by number.
struct Arguments {
    list: List,
    numbered: Option<[u64; MOST]>,
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
    /// The next character; one that formats have no use for stands for those beyond a byte.
    fn peek(&self) -> u8 {
        // SAFETY: the string is terminated, and nothing goes beyond its end.
        let character = unsafe {
            match self.next {
                Text::Narrow(next) => return *next as u8,
                Text::Wide(next) => *next,
            }
        };
        u8::try_from(character).unwrap_or(b'?')
    }

    fn take(&mut self) -> u8 {
        let character = self.peek();
        if character != 0 {
            self.next = match self.next {
                Text::Narrow(next) => Text::Narrow(next.wrapping_add(1)),
                Text::Wide(next) => Text::Wide(next.wrapping_add(1)),
            };
        }
        character
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

    /// The number of an argument, with the dollar sign behind it.
    fn position(&mut self) -> Option<usize> {
        let mut behind = *self;
        let number = behind.number();
        let is_position = number.is_some() && behind.take_if(b'$');
        if is_position {
            *self = behind;
        }
        number.filter(|_| is_position)
    }

    fn amount(&mut self) -> Amount {
        if self.take_if(b'*') {
            return Amount::Argument(self.position());
        }
        self.number().map_or(Amount::None, Amount::Number)
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

impl Arguments {
    fn take(&mut self, position: Option<usize>, class: Class) -> u64 {
        match (&self.numbered, position) {
            (Some(values), Some(position)) => {
                position.checked_sub(1).and_then(|index| values.get(index)).map_or(0, |v| *v)
            }
            _ => next(&mut self.list, class),
        }
    }

    /// A width or precision. A negative one counts as none.
    fn amount(&mut self, amount: Amount) -> Option<usize> {
        match amount {
            Amount::None => None,
            Amount::Number(number) => Some(number),
            Amount::Argument(position) => usize::try_from(self.take(position, Class::Word) as i32).ok(),
        }
    }
}

/// The next argument, if it is a word.
fn next(list: &mut List, class: Class) -> u64 {
    match class {
        Class::Word => return list.word(),
        Class::Double => list.skip_double(),
        Class::LongDouble => list.skip_long_double(),
    }
    0
}

impl Conversion {
    /// The next conversion of a format of `printf`.
    fn find(format: &mut Format) -> Option<Conversion> {
        if !format.find() {
            return None;
        }
        let position = format.position();
        while matches!(format.peek(), b'-' | b'+' | b' ' | b'#' | b'0' | b'\'' | b'I') {
            format.take();
        }
        let width = format.amount();
        let precision = match format.take_if(b'.') {
            true if matches!(format.peek(), b'*' | b'0'..=b'9') => format.amount(),
            true => Amount::Number(0),
            false => Amount::None,
        };
        let (size, letter) = (format.length(), format.take());
        (letter != 0).then_some(Conversion { position, width, precision, size, letter })
    }

    /// How its argument is passed, if it has one.
    fn class(&self) -> Option<Class> {
        match self.letter {
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' if self.size == 16 => Some(Class::LongDouble),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Some(Class::Double),
            b'm' | b'%' => None,
            _ => Some(Class::Word),
        }
    }

    /// What its argument points to.
    fn what(&self, limit: usize) -> Option<What> {
        match self.letter {
            b's' if self.size == 8 => Some(What::WideText(limit)),
            b'S' => Some(What::WideText(limit)),
            b's' => Some(What::Text(limit)),
            b'n' => Some(What::Number(if self.size == 0 { 4 } else { self.size })),
            _ => None,
        }
    }
}

/// The arguments of a format that numbers them, which is what its first conversion shows.
fn numbered(mut format: Format, mut list: List) -> Option<[u64; MOST]> {
    let (mut classes, mut count) = ([Class::Word; MOST], 0);
    while let Some(conversion) = Conversion::find(&mut format) {
        let mut note = |position: Option<usize>, class: Class| {
            let Some(index) = position.and_then(|position| position.checked_sub(1)).filter(|index| *index < MOST)
            else {
                return;
            };
            classes[index] = class;
            count = count.max(index + 1);
        };
        for amount in [conversion.width, conversion.precision] {
            if let Amount::Argument(position) = amount {
                note(position, Class::Word);
            }
        }
        if let Some(class) = conversion.class() {
            note(conversion.position, class);
        }
    }
    let mut values = [0; MOST];
    for (value, class) in values.iter_mut().zip(classes).take(count) {
        *value = next(&mut list, class);
    }
    (count > 0).then_some(values)
}

/// Calls `visit` for each argument of `printf` that points to memory.
pub fn printed(format: Text, list: List, mut visit: impl FnMut(Pointed)) {
    let mut format = Format { next: format };
    let mut arguments = Arguments { list, numbered: numbered(format, list) };
    while let Some(conversion) = Conversion::find(&mut format) {
        arguments.amount(conversion.width);
        let limit = arguments.amount(conversion.precision).unwrap_or(usize::MAX);
        let Some(class) = conversion.class() else { continue };
        let address = arguments.take(conversion.position, class);
        if let Some(what) = conversion.what(limit) {
            visit(Pointed { address, what, is_counted: false });
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

/// Calls `visit` for each argument of `scanf`. All of them are pointers.
pub fn scanned(format: *const c_char, list: List, mut visit: impl FnMut(Pointed)) {
    let mut format = Format { next: Text::Narrow(format) };
    let mut rest = list;
    while format.find() {
        let position = format.position();
        let specification = scan_specification(&mut format);
        let (letter, size) = (format.take(), specification.size);
        let width = specification.width;
        let is_wide = size == 8;
        let what = match letter {
            0 => return,
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
            let address = match position {
                Some(position) => numbered_word(list, position),
                None => rest.word(),
            };
            visit(Pointed { address, what, is_counted: letter != b'n' });
        }
    }
}

/// The word of a number, where all arguments are words.
fn numbered_word(mut list: List, position: usize) -> u64 {
    for _ in 1..position.min(MOST) {
        list.word();
    }
    list.word()
}

fn text_of(is_wide: bool, width: Option<usize>) -> What {
    let width = width.unwrap_or(usize::MAX);
    if is_wide { What::WideText(width) } else { What::Text(width) }
}

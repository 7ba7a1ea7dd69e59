//! Error numbers of Linux on x86-64, as the thread library returns them.

macro_rules! error_numbers {
    ($($name:ident = $value:literal $text:literal;)*) => { $(#[doc = $text] pub const $name: i32 = $value;)* };
}

error_numbers! {
    EPERM = 1 "Operation not permitted.";
    ESRCH = 3 "No such thread.";
    EINTR = 4 "Interrupted.";
    EAGAIN = 11 "Try again.";
    EBUSY = 16 "In use.";
    EINVAL = 22 "Invalid argument.";
    EDEADLK = 35 "Would deadlock.";
    EOVERFLOW = 75 "Value too large.";
    ETIMEDOUT = 110 "Timed out.";
    EOWNERDEAD = 130 "The owner died.";
    ENOTRECOVERABLE = 131 "State not recoverable.";
}

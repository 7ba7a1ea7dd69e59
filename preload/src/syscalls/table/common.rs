//! The system calls that have the same number on every architecture: from 424 on, the kernel numbers all of them alike.
//!
//! These are the ones that still come: a call that a new kernel has gets its row here, at the end.

use super::super::{files, poll, process};
use super::Handling::{Child, Isolate, OnFiber, Pass, Track, Unsupported};
use super::Row;

/// The first of them.
pub(super) const FIRST: i64 = ROWS[0].0;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    (424, "pidfd_send_signal", Unsupported("works on another process")),
    (425, "io_uring_setup", Unsupported("uses asynchronous input and output")),
    (426, "io_uring_enter", Unsupported("uses asynchronous input and output")),
    (427, "io_uring_register", Unsupported("uses asynchronous input and output")),
    (428, "open_tree", Unsupported("administers the machine")),
    (429, "move_mount", Unsupported("administers the machine")),
    (430, "fsopen", Unsupported("administers the machine")),
    (431, "fsconfig", Unsupported("administers the machine")),
    (432, "fsmount", Unsupported("administers the machine")),
    (433, "fspick", Unsupported("administers the machine")),
    (434, "pidfd_open", Child),
    (435, "clone3", Child),
    (436, "close_range", OnFiber(files::close_range)),
    (437, "openat2", OnFiber(files::openat2)),
    (438, "pidfd_getfd", Unsupported("works on another process")),
    (439, "faccessat2", Pass),
    (440, "process_madvise", Unsupported("works on another process")),
    (441, "epoll_pwait2", OnFiber(poll::epoll_pwait2)),
    (442, "mount_setattr", Unsupported("administers the machine")),
    (443, "quotactl_fd", Unsupported("administers the machine")),
    (444, "landlock_create_ruleset", Unsupported("changes the rules that it runs under")),
    (445, "landlock_add_rule", Unsupported("changes the rules that it runs under")),
    (446, "landlock_restrict_self", Unsupported("changes the rules that it runs under")),
    (447, "memfd_secret", Unsupported("manages memory in a way that can not be undone")),
    (448, "process_mrelease", Unsupported("works on another process")),
    (449, "futex_waitv", Unsupported("uses the new kind of futexes")),
    (450, "set_mempolicy_home_node", Track(process::ignore)),
    (451, "cachestat", Pass),
    (452, "fchmodat2", Isolate("changes the attributes of a file")),
    (453, "map_shadow_stack", Track(process::not_there)),
    (454, "futex_wake", Unsupported("uses the new kind of futexes")),
    (455, "futex_wait", Unsupported("uses the new kind of futexes")),
    (456, "futex_requeue", Unsupported("uses the new kind of futexes")),
    (457, "statmount", Pass),
    (458, "listmount", Pass),
    (459, "lsm_get_self_attr", Pass),
    (460, "lsm_set_self_attr", Unsupported("changes the rules that it runs under")),
    (461, "lsm_list_modules", Pass),
    (462, "mseal", Unsupported("manages memory in a way that can not be undone")),
    (463, "setxattrat", Isolate("changes the attributes of a file")),
    (464, "getxattrat", Pass),
    (465, "listxattrat", Pass),
    (466, "removexattrat", Isolate("changes the attributes of a file")),
    (467, "open_tree_attr", Unsupported("administers the machine")),
    (468, "file_getattr", Pass),
    (469, "file_setattr", Isolate("changes the attributes of a file")),
];

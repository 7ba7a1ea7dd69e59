"""gdb on a replay of rscale: rscale-step, rscale-back, rscale-break, threads by name, stacks without the shim.

The program follows its schedule by itself. It stops where rscale tells it to, in the function rscale_stopped of the
shim, on which there is a breakpoint here. So "continue" goes to the end, and everything else of gdb works as ever.
"""

import json
import os
import socket

import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.unwinder import Unwinder, register_unwinder

DIRECTORY = "@DIRECTORY@"
SHIM = os.path.join(DIRECTORY, "librscale_preload.so")
# What the shim and instrumented code use themselves; rscale reports what of it is the program's own.
SIGNALS = "SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGSYS"
REGISTERS = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()


class Session:
    """What is known of the program: where it stands, and where copies of its code are."""

    regions = []
    remote = None
    breakpoint = None
    is_expected = False
    is_trap = False
    is_stepping = False


def talk(request, between=None):
    """Asks rscale, and does something in between if rscale waits for it."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(os.path.join(DIRECTORY, "socket"))
            stream = connection.makefile("rw")
            print(request, file=stream, flush=True)
            line = stream.readline()
            if between and line == "ready\n":
                between()
                print("done", file=stream, flush=True)
                line = stream.readline()
            answer = json.loads(line or '{"error": "it gives no answer"}')
    except (OSError, ValueError) as error:
        raise gdb.GdbError("rscale: %s" % error)
    if "error" in answer:
        raise gdb.GdbError("rscale: %s" % answer["error"])
    return answer


def is_copy(pc):
    """Whether this is instrumented code, which gdb knows nothing about."""
    return any(start <= pc < end for start, end in Session.regions)


def is_hidden(frame):
    """Whether a frame is not the program's."""
    library = gdb.solib_name(frame.pc()) or ""
    return is_copy(frame.pc()) or library.endswith(SHIM)  # behind "target:" where gdbserver reads it


class Original(Unwinder):
    """Leads from a copy to the original code: the stack and the registers are the same.

    gdb takes the address for one to return to, and looks at the byte before it: so it is one more.
    """

    def __init__(self):
        super().__init__("rscale")

    def __call__(self, pending):
        pc = int(pending.read_register("rip"))
        if not is_copy(pc):
            return None
        self.sp, self.pc = pending.read_register("rsp"), pending.read_register("rip")
        unwound = pending.create_unwind_info(self)
        for register in REGISTERS:
            unwound.add_saved_register(register, pending.read_register(register))
        original = talk("original %d" % pc)["original"]
        unwound.add_saved_register("rip", gdb.Value(original + 1).cast(self.pc.type))
        return unwound


class ProgramFrames:
    """Leaves out of "backtrace" what is not the program's."""

    name, priority, enabled = "rscale", 100, True

    def filter(self, frames):
        return (frame for frame in frames if not is_hidden(FrameDecorator.inferior_frame(frame)))


def is_program(frame):
    """Whether a frame is the program's own code, by its source: not the C library's, whose source may be known, too."""
    library = os.path.basename(gdb.solib_name(frame.pc()) or "")
    return not is_hidden(frame) and not library.startswith(("libc.", "ld-linux")) and bool(frame.find_sal().symtab)


def select_program_frame():
    """Selects the innermost frame of the program and shows it; a thread that begins or has ended has none."""
    frame = gdb.newest_frame()
    while frame and not is_program(frame):
        frame = frame.older()
    if frame:
        frame.select()
        gdb.execute("frame")


def show():
    """Names the threads by what they do, selects the one that took the last step, and says where everything stands."""
    position = talk("where")
    Session.regions = position["regions"]
    gdb.invalidate_cached_frames()
    names = {thread["id"]: thread["name"] for thread in position["threads"]}
    for thread in gdb.selected_inferior().threads():
        thread.name = names.get(thread.ptid[1], "rscale")
        if thread.ptid[1] == position["thread"]:
            thread.switch()
    print("\n".join(position["text"]))
    select_program_frame()


def on_stop(event):
    """The program has stopped: if that is where rscale wanted it, shows it."""
    Session.is_trap = isinstance(event, gdb.SignalEvent) and event.stop_signal == "SIGTRAP"
    Session.is_expected = isinstance(event, gdb.BreakpointEvent) and Session.breakpoint in event.breakpoints
    if Session.is_expected and not Session.is_stepping:
        show()
    elif is_copy(gdb.newest_frame().pc()):
        select_program_frame()


def begin():
    """A debugger has come to hold the program."""
    for command in ["handle %s nostop noprint pass" % SIGNALS, "set print thread-events off"]:
        gdb.execute(command, to_string=True)
    if Session.breakpoint is None:
        Session.breakpoint = gdb.Breakpoint("rscale_stopped", internal=True)
        Session.breakpoint.silent = True
    show()


class Quietly:
    """What is none of the user's business in here is neither asked nor said."""

    settings = {"confirm": "off", "pagination": "off", "suppress-cli-notifications": "on"}

    def __enter__(self):
        self.before = []
        for name, value in self.settings.items():
            try:
                self.before.append((name, "on" if gdb.parameter(name) else "off"))
                gdb.execute("set %s %s" % (name, value))
            except RuntimeError:
                pass  # gdb 12 and older have no such notifications to suppress

    def __exit__(self, *_):
        for name, value in self.before:
            gdb.execute("set %s %s" % (name, value))


def attach(pid):
    """Attaches to the process, in the way this gdb got hold of the one before."""
    with Quietly():
        if Session.remote:
            gdb.execute("target remote " + Session.remote, to_string=True)
        else:
            gdb.execute("attach %d" % pid, to_string=True)
    begin()


def leave():
    """Ends the process: it is never to run on without its debugger."""
    connection = gdb.selected_inferior().connection
    is_remote = connection is not None and connection.type in ("remote", "extended-remote")
    Session.remote = connection.details if is_remote else None
    with Quietly():
        gdb.execute("kill", to_string=True)


def on_exit(_):
    if gdb.selected_inferior().pid:
        leave()


def count_in(argument):
    """The number that a command was given, or 1."""
    try:
        count = int(argument or "1", 0)
    except ValueError:
        count = 0
    if count < 1:
        raise gdb.GdbError("rscale: how many steps? %r is no such number" % argument)
    return count


class Step(gdb.Command):
    """Takes the next step of the schedule, or so many: rscale-step [COUNT]"""

    def __init__(self):
        super().__init__("rscale-step", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        talk("step %d" % count_in(argument))
        Session.is_stepping, Session.is_expected, Session.is_trap = True, False, False
        try:
            said = gdb.execute("continue", to_string=True)
            while Session.is_trap:  # meant for the shim, as far as it is none of gdb's own
                said = gdb.execute("signal SIGTRAP", to_string=True)
        finally:
            Session.is_stepping = False
        if Session.is_expected:
            show()
        else:
            print(said, end="")  # a breakpoint of the user's was first


class Break(gdb.Command):
    """Sets a breakpoint where code runs, which may be an instrumented copy: rscale-break LOCATION"""

    def __init__(self):
        super().__init__("rscale-break", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_LOCATION)

    def invoke(self, argument, from_tty):
        try:
            places = gdb.decode_line(argument)[1] or []
        except gdb.error as error:
            raise gdb.GdbError("rscale: %s" % error)
        for place in places:
            copy = talk("copy %d" % behind_prologue(place))["copy"]
            gdb.Breakpoint("*%d" % copy)


def behind_prologue(place):
    """The second line of a function, where its parameters can be read; gdb does not find it in code that was cloned."""
    block = gdb.block_for_pc(place.pc)
    while block and not block.function:
        block = block.superblock
    if not block or not place.symtab or place.pc != block.start:
        return place.pc
    return min((line.pc for line in place.symtab.linetable() if block.start < line.pc < block.end), default=place.pc)


class Back(gdb.Command):
    """Goes back to the state before the last step, or so many, by running the program again: rscale-back [COUNT]"""

    def __init__(self):
        super().__init__("rscale-back", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        attach(talk("back %d" % count_in(argument), leave)["pid"])


def start():
    """Defines everything, and takes hold of the program unless this gdb already has."""
    Step()
    Back()
    Break()
    register_unwinder(None, Original(), replace=True)
    gdb.frame_filters[ProgramFrames.name] = ProgramFrames()
    gdb.events.stop.connect(on_stop)
    pid = os.environ.get("RSCALE_DEBUGGEE")
    if pid is None:
        if gdb.selected_inferior().pid:
            begin()
        return
    gdb.events.gdb_exiting.connect(on_exit)
    try:
        attach(int(pid))
    except gdb.error as error:
        print("%s" % error)
        gdb.execute("quit 2")


start()

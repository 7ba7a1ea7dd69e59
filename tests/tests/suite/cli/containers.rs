//! Containers forbid some system calls: rscale does without, or says what it needs.

use crate::cli::subjects::{Place, expect_status, one_line};

/// `deny NUMBER COMMAND...`: runs a command that gets EPERM for a system call.
const DENY: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **words)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(words[1]), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
    if (count < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 99;
    execvp(words[2], words + 2);
    return 98;
}
"#;
const PERSONALITY: u32 = 135;
const PTRACE: u32 = 101;

/// Updates get lost of a global variable, of one on the heap, of one on a stack.
const LOST_UPDATES: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int everyones, *somewhere;
static void *add(void *mine)
{
    everyones++;
    ++*somewhere;
    ++*(int *)mine;
    return NULL;
}
int main(void)
{
    pthread_t one, two;
    int here = 0;
    somewhere = calloc(1, sizeof *somewhere);
    pthread_create(&one, NULL, add, &here);
    pthread_create(&two, NULL, add, &here);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(everyones == 2);
    assert(*somewhere == 2);
    assert(here == 2);
    return 0;
}
"#;

#[test]
fn what_is_known_of_a_program_holds_in_every_process() {
    let place = Place::with("deny", DENY);
    for (name, options) in [("independent", &["-fPIE", "-pie"][..]), ("fixed", &["-fno-pie", "-no-pie"])] {
        place.compile(name, LOST_UPDATES, options);
        let run = |deny: &str, more: &str| {
            let line = format!("{deny} $RSCALE run ./{name} --keep-going {more} --max-executions 500");
            let finished = place.shell(&line);
            expect_status(&finished, 1);
            let found =
                ["everyones", "*somewhere", "here"].map(|name| finished.out().contains(&format!("{name} == 2")));
            assert_eq!(found, [true; 3], "{more}: {}", finished.describe());
        };
        let denied = format!("./deny {PERSONALITY}");
        // A process per execution; processes side by side.
        run(&denied, "--isolation exec --trace each.txt");
        run(&denied, "--filters random --jobs 2 --alone 0 --trace random.txt");
        // Traces go from a container to a machine and back.
        run("", "--trace outside.txt");
        for (trace, engine) in
            [("each.txt", ""), ("random.txt", ""), ("outside.txt", ""), ("outside.txt", "--engine threads")]
        {
            let [inside, outside] =
                [&denied[..], ""].map(|deny| place.shell(&format!("{deny} $RSCALE replay {trace} {engine}")));
            expect_status(&inside, 1);
            assert!(inside.out().contains("assertion"), "{trace}: {}", inside.describe());
            assert_eq!(inside.out(), outside.out(), "{trace} {engine}");
        }
    }
    let doctor = place.shell(&format!("./deny {PERSONALITY} $RSCALE doctor"));
    assert!(one_line(&doctor.out()).contains("rearranged"), "{}", doctor.describe());
}

#[test]
fn without_ptrace_the_user_learns_what_to_do() {
    let place = Place::with("deny", DENY);
    place.compile("program", LOST_UPDATES, &[]);
    let finished = place.shell(&format!("./deny {PTRACE} $RSCALE run ./program"));
    expect_status(&finished, 2);
    assert!(one_line(&finished.err()).contains("--cap-add=SYS_PTRACE"), "{}", finished.describe());
}

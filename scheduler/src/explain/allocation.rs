//! What a heap object is, from the statement that allocated it.
//!
//! DWARF knows types, but not which of them a call of `malloc` is for; the source says it: `malloc(sizeof *node)`,
//! `struct node *node = calloc(n, sizeof(struct node))`, `new Node`. The words are only hints. Whoever uses them looks
//! the type up, and checks that all hints lead to the same one and that the size fits: no name is better than a wrong
//! one.

/// Lines that a statement may extend before and behind the line of the call.
const LINES_BEFORE: usize = 3;
const LINES_BEHIND: usize = 5;

const ALLOCATORS: [&str; 8] =
    ["malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "valloc", "pvalloc"];
const TAGS: [&str; 4] = ["struct", "union", "class", "enum"];
const QUALIFIERS: [&str; 7] = ["const", "volatile", "static", "extern", "register", "typename", "_Atomic"];

/// A word about the type of what is allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A type of this name; of `struct node`, the tag.
    Type {
        /// Its name, without namespaces.
        name: String,
        /// Whether it is the name of a structure or the like.
        is_tagged: bool,
    },
    /// What a variable points to, or a member of it: `list->head` as a list of names.
    Pointee(Vec<String>),
}

/// The hints of the statement that allocates on a line, counted from 1. None if there is no such statement, or if it
/// does more than can be judged by its words.
pub fn hints(source: &str, line: usize) -> Option<Vec<Hint>> {
    let lines: Vec<&str> = source.lines().collect();
    let text = statement(&lines, line.checked_sub(1)?)?;
    let tokens = tokens(&text)?;
    let mut hints = Vec::new();
    for statement in tokens.split(|token| matches!(token.as_str(), ";" | "{" | "}")) {
        add_hints(statement, &mut hints)?;
    }
    (!hints.is_empty()).then_some(hints)
}

/// The lines of the statement around a line, counted from 0.
pub fn statement(lines: &[&str], index: usize) -> Option<String> {
    let line = lines.get(index)?;
    let ends = |line: &str| line.is_empty() || line.ends_with([';', '{', '}', ':', '/', '\\']) || line.starts_with('#');
    let before = lines[..index].iter().rev().take(LINES_BEFORE).take_while(|line| !ends(line.trim()));
    let mut text: Vec<&str> = before.copied().collect();
    text.reverse();
    text.push(line);
    if !line.contains(';') {
        let behind = lines.get(index + 1..)?.iter().take(LINES_BEHIND);
        for line in behind {
            text.push(line);
            if line.contains(';') {
                break;
            }
        }
    }
    Some(text.join(" "))
}

/// The words and signs of a text without comments; none for text with strings or characters, which hide signs.
fn tokens(text: &str) -> Option<Vec<String>> {
    let text = text.split("//").next()?;
    if text.contains(['"', '\'']) || text.contains("/*") {
        return None;
    }
    let mut tokens: Vec<String> = Vec::new();
    let mut was_word = false;
    for character in text.chars() {
        let is_word = character.is_alphanumeric() || character == '_';
        match tokens.last_mut() {
            Some(last) if is_word && was_word => last.push(character),
            Some(last) if (last == "-" && character == '>') || (last == ":" && character == ':') => {
                last.push(character)
            }
            _ if character.is_whitespace() => {}
            _ => tokens.push(character.to_string()),
        }
        was_word = is_word;
    }
    Some(tokens)
}

/// Adds what one statement says. None if it allocates in a way that can not be judged.
fn add_hints(statement: &[String], hints: &mut Vec<Hint>) -> Option<()> {
    if let Some(at) = statement.iter().position(|token| token == "new") {
        hints.push(type_at(&statement[at + 1..])?.0);
        return Some(());
    }
    let Some(call) = statement.iter().position(|token| ALLOCATORS.contains(&token.as_str())) else { return Some(()) };
    let arguments = &statement[call + 1..];
    // Two things in one block: nobody knows which of them is where.
    if arguments.iter().any(|token| token == "+" || token == "-") {
        return None;
    }
    for (at, _) in arguments.iter().enumerate().filter(|(_, token)| *token == "sizeof") {
        hints.push(sized(&arguments[at + 1..])?);
    }
    let before = &statement[..call];
    let (target, cast) = match before.iter().position(|token| token == "=") {
        Some(at) => (&before[..at], &before[at + 1..]),
        None => (&[][..], before),
    };
    if let [open, inner @ .., close] = cast
        && open == "("
        && close == ")"
    {
        hints.extend(pointed_to(inner)?);
    }
    hints.extend(assigned(target).flatten());
    Some(())
}

/// What `sizeof` measures: `(struct node)`, `*node`, `(*node)`.
fn sized(tokens: &[String]) -> Option<Hint> {
    let tokens = match tokens {
        [open, rest @ ..] if open == "(" => &rest[..rest.iter().position(|token| token == ")")?],
        other => other,
    };
    match tokens {
        [star, rest @ ..] if star == "*" => chain(rest).map(|(names, _)| Hint::Pointee(names)),
        _ => {
            let (hint, rest) = type_at(tokens)?;
            // The size of a pointer says nothing about what it points to.
            let is_all = rest.first().is_none_or(|next| matches!(next.as_str(), ")" | "," | "*"));
            let is_pointer = tokens.iter().any(|token| token == "*");
            (is_all && !is_pointer).then_some(hint)
        }
    }
}

/// The type of a cast or declaration, `struct node *`; nothing for `void *`, none for anything else.
fn pointed_to(tokens: &[String]) -> Option<Option<Hint>> {
    let (hint, rest) = type_at(tokens)?;
    let is_pointer = rest.iter().filter(|token| *token == "*").count() == 1;
    let is_void = hint == Hint::Type { name: "void".into(), is_tagged: false };
    is_pointer.then_some((!is_void).then_some(hint))
}

/// What is assigned to: a declaration of a pointer, or an expression that is one.
fn assigned(tokens: &[String]) -> Option<Option<Hint>> {
    if let Some((names, [])) = chain(tokens) {
        return Some(Some(Hint::Pointee(names)));
    }
    let [declared @ .., _name] = tokens else { return None };
    pointed_to(declared)
}

/// A type name at the beginning, and what follows.
fn type_at(tokens: &[String]) -> Option<(Hint, &[String])> {
    let mut rest = tokens;
    let mut is_tagged = false;
    while let [first, behind @ ..] = rest
        && (QUALIFIERS.contains(&first.as_str()) || TAGS.contains(&first.as_str()))
    {
        is_tagged |= TAGS.contains(&first.as_str());
        rest = behind;
    }
    let [name, behind @ ..] = rest else { return None };
    let mut name = name;
    rest = behind;
    while let [colons, next, behind @ ..] = rest
        && colons == "::"
    {
        name = next;
        rest = behind;
    }
    let is_template = rest.first().is_some_and(|next| next == "<");
    (is_name(name) && !is_template).then(|| (Hint::Type { name: name.clone(), is_tagged }, rest))
}

/// A variable or a member of one: `list`, `list->head`, `pool.free`, and what follows.
fn chain(tokens: &[String]) -> Option<(Vec<String>, &[String])> {
    let [first, rest @ ..] = tokens else { return None };
    let mut names = vec![first.clone()];
    let mut rest = rest;
    while let [dot, member, behind @ ..] = rest
        && (dot == "->" || dot == ".")
    {
        names.push(member.clone());
        rest = behind;
    }
    // An element of an array has another type than the array, and a call is no variable.
    let goes_on = rest.first().is_some_and(|next| matches!(next.as_str(), "[" | "("));
    (names.iter().all(|name| is_name(name)) && !goes_on).then_some((names, rest))
}

fn is_name(token: &str) -> bool {
    token.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, is_tagged: bool) -> Hint {
        Hint::Type { name: name.into(), is_tagged }
    }

    fn pointee(names: &[&str]) -> Hint {
        Hint::Pointee(names.iter().map(|&name| name.into()).collect())
    }

    #[test]
    fn statements_that_say_what_they_allocate() {
        let of = |line: &str| hints(line, 1).expect(line);
        assert_eq!(of("struct node *n = malloc(sizeof *n);"), [pointee(&["n"]), named("node", true)]);
        assert_eq!(of("    n = malloc(sizeof(struct node));"), [named("node", true), pointee(&["n"])]);
        assert_eq!(of("node_t *n = (node_t *)calloc(4, sizeof (node_t));"), vec![named("node_t", false); 3]);
        assert_eq!(of("list->head = malloc(8 * sizeof *list->head);"), vec![pointee(&["list", "head"]); 2]);
        assert_eq!(of("auto *n = new ns::Node{1, 2};"), [named("Node", false)]);
        assert_eq!(of("void *p = malloc(sizeof(int));"), [named("int", false)]);
        assert_eq!(of("for (; i < 3; i++) items[i] = malloc(sizeof(struct node));"), [named("node", true)]);
        assert_eq!(of("return malloc(sizeof(struct node));"), [named("node", true)]);
    }

    #[test]
    fn statements_over_several_lines() {
        let source = "int x;\nstruct node *n =\n    malloc(\n        sizeof *n);\nint y;\n";
        assert_eq!(hints(source, 3), Some(vec![pointee(&["n"]), named("node", true)]));
        assert_eq!(hints(source, 1), None);
        assert_eq!(hints(source, 9), None);
    }

    #[test]
    fn what_is_not_certain_is_left_out() {
        for line in [
            "p = malloc(sizeof(struct head) + n * sizeof(struct item));",
            "struct node **table = malloc(n * sizeof(struct node *));",
            "puts(\"sizeof\"), n = malloc(sizeof *n);",
            "auto list = new std::vector<int>(4);",
            "items[3] = malloc(count);",
            "int x = 5;",
            "",
        ] {
            assert_eq!(hints(line, 1), None, "{line}");
        }
    }
}

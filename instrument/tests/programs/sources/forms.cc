// Exceptions through several frames, rethrown, with destructors on the way; virtual calls, lambdas, static objects.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

static int destroyed;
struct Guard {
    const char *name;
    explicit Guard(const char *name) : name(name) {}
    ~Guard() { destroyed++; }
};
struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { if (side > 6) throw std::length_error("large"); return side * side; }
};
struct Unit : Shape { int area() const override { return 1; } };
struct Static { Static() { std::printf("constructed\n"); } ~Static() { std::printf("destroyed %d\n", destroyed); } } object;

NOINLINE static int thrower(int n) {
    Guard guard("thrower");
    if (n % 3 == 0) throw n;
    if (n % 3 == 1) throw std::runtime_error("odd " + std::to_string(n));
    return n;
}
NOINLINE static int middle(int n) {
    Guard guard("middle");
    std::vector<int> values(n + 1, 2);
    return thrower(n) + values[n];
}
NOINLINE static int rethrower(int n) {
    Guard guard("rethrower");
    try {
        return middle(n);
    } catch (const std::exception &) {
        Guard inner("catch");
        throw;
    } catch (...) {
        std::throw_with_nested(std::logic_error("nested"));
    }
}
NOINLINE static int recursive(int depth) {
    Guard guard("recursive");
    if (depth == 0) throw std::out_of_range("deep");
    return recursive(depth - 1) + 1;
}
NOINLINE static int quiet(int n) noexcept {
    try { return recursive(n); } catch (const std::out_of_range &error) { return error.what()[0] + n; }
}
int main(int argc, char **) {
    for (int n = 0; n < 7; n++) {
        try {
            std::printf("%d\n", rethrower(n));
        } catch (const std::runtime_error &error) {
            std::printf("%s\n", error.what());
        } catch (const std::logic_error &error) {
            try { std::rethrow_if_nested(error); } catch (int inner) { std::printf("nested %d\n", inner); }
        }
    }
    std::map<std::string, std::function<int(int)>> functions;
    functions["double"] = [](int n) { return 2 * n; };
    functions["offset"] = [argc](int n) { return n + argc; };
    functions["quiet"] = quiet;
    for (auto &[name, function] : functions) std::printf("%s %d\n", name.c_str(), function(5));
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 5; i < 9; i++) shapes.push_back(std::make_unique<Square>(i)), shapes.push_back(std::make_unique<Unit>());
    int total = 0;
    for (auto &shape : shapes) try { total += shape->area(); } catch (std::length_error &) { total += 1000; }
    std::printf("%d %d\n", total, destroyed);
    std::exit(total % 200);
}

#include <vector>
#include "shape.hpp"

namespace geometry {

constexpr int kLimit = 10;

/// A shape.
class Shape : public Base {
public:
    Shape() = default;
    explicit Shape(int size);
    virtual ~Shape();

    virtual double area() const = 0;
    int size() const { return size_; }
    Shape &operator=(const Shape &other);
    static Shape *create(const std::string &name);

    template <typename T>
    void visit(T &&visitor);

    struct Options {
        bool filled = false;
        std::vector<int> sides;
    };
    enum class Color { Red, Green };

private:
    int size_;
    static Shape *instance_;
};

template <typename T>
struct Box {
    T value;
    T &get() { return value; }
};

// Adds.
template <typename T>
T add(T left, T right) {
    return left + right;
}

using Names = std::vector<std::string>;
typedef unsigned int Count;

template <typename T>
concept Sized = requires(T t) { t.size(); };

namespace detail {
int helper();
}

}  // namespace geometry

namespace a::b {
void nested() {}
}

geometry::Shape::Shape(int size) : size_(size) {}

geometry::Shape::~Shape() {}

double geometry::Shape::area() const {
    int local = 1;
    return helper<int>(local) * std::max(1, size());
}

std::vector<int> *Parser::parse(const char *text) { return nullptr; }

bool operator==(const Count &left, const Count &right) { return true; }

template <typename T>
void Box<T>::set(T value) {
    this->value = value;
}

enum { kAnonymous = 1 };

extern "C" {
int c_function(void);
}

#define DECLARE(name) int name

int main(int argc, char **argv) {
    auto lambda = [&](int x) { return x; };
    geometry::Shape *shape = new geometry::Shape(1);
    return lambda(argc);
}

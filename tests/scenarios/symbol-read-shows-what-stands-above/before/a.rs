/// A point.
#[derive(Debug)]
struct Point {
    x: u8,
}

impl Point {
    fn new() -> Self {
        Point { x: 0 }
    }
}

struct Line;

impl Line {
    fn new() -> Self {
        Line
    }
}

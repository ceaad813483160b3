//! A sample of Rust, for the test of its queries. Not compiled.

use std::collections::HashMap;
use std::fmt::{self, Display};

/// The most that fits.
pub const LIMIT: usize = 10;
static COUNTER: AtomicUsize = AtomicUsize::new(0);

/// A point.
#[derive(Clone, Debug)]
#[serde(
    rename_all = "snake_case",
)]
pub struct Point<T> {
    /// Across.
    pub x: T,
    pub y: T,
}

struct Unit;
struct Pair(u32, u32);

pub union Bits {
    int: u32,
    float: f32,
}

pub enum Shape {
    // No size.
    Dot,
    Circle { radius: f64 },
    Line(Point<f64>, Point<f64>),
}

pub trait Area {
    type Unit: Display;
    const SIDES: u32;
    fn area(&self) -> f64;
    /// With a default.
    fn double(&self) -> f64 {
        self.area() * 2.0
    }
}

impl<T: Copy> Point<T> {
    pub const ORIGIN: Point<u8> = Point { x: 0, y: 0 };

    /// A new one.
    ///
    /// Over several lines.
    #[must_use]
    pub fn new(
        x: T,
        y: T,
    ) -> Self {
        const LOCAL: u8 = 1;
        fn helper() {}
        helper();
        Point { x, y }
    }

    pub async fn fetch<'a>(&'a self) -> Result<HashMap<String, T>, fmt::Error> {
        let closure = |it: T| it;
        Ok(load::<T>(closure).await?)
    }
}

impl<T> Display for Point<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "point")
    }
}

impl<'a> From<&'a Shape> for other::Bits {
    fn from(shape: &'a Shape) -> Self {
        Bits::of(shape)
    }
}

type Alias = Point<f64>;

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

unsafe extern "C" {
    fn strlen(text: *const u8) -> usize;
}

mod inner {
    //! Inner documentation.

    pub(crate) fn r#match() {}

    pub mod deeper {
        pub struct Deep;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_made() {
        assert_eq!(Point::new(1, 2).x, square!(1));
    }
}

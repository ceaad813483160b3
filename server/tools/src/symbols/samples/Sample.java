package com.example.geometry;

import java.util.List;
import static java.lang.Math.max;

/**
 * A shape.
 */
@Deprecated
public abstract class Shape<T extends Number> extends Base implements Comparable<Shape<T>> {
    private static final int LIMIT = 10;
    protected T size, other;

    public Shape(T size) {
        this.size = size;
    }

    /** Its area. */
    @Override
    public abstract double area();

    public static <U> List<U> of(U... items) throws IOException {
        int local = max(1, 2);
        Runnable run = () -> System.out.println(local);
        items.forEach(Shape::show);
        return new ArrayList<U>();
    }

    // An inner class.
    static class Builder {
        Builder with(String name) { return this; }
    }

    interface Listener {
        int PRIORITY = 1;
        void changed(Shape<?> shape);
    }

    enum Color {
        RED("r"),
        GREEN("g") {
            @Override
            String code() { return "x"; }
        };

        Color(String code) {}

        String code() { return "y"; }
    }
}

record Point(int x, int y) {
    Point {
        if (x < 0) throw new IllegalArgumentException();
    }
}

@interface Marked {
    String value() default "";
}

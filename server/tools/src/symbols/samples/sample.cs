using System.Collections.Generic;
using Text = System.Text;

namespace Example.Geometry
{
    /// <summary>A shape.</summary>
    [Serializable]
    public abstract class Shape<T> : Base, IComparable<T> where T : struct
    {
        private const int Limit = 10;
        protected readonly List<int> sides = new(), others;

        public event EventHandler? Changed;
        public string Name { get; set; } = "";
        public int this[int index] => sides[index];

        public Shape(string name) : base(name) { }
        ~Shape() { }

        // Its area.
        [Pure]
        public abstract double Area();

        public static async Task<Shape<T>> CreateAsync(string name)
        {
            var local = await Load<int>(name);
            int Inner(int x) => x;
            Console.WriteLine(Inner(1));
            return new Circle(name);
        }

        public static Shape<T> operator +(Shape<T> left, Shape<T> right) => left;

        private struct Options
        {
            public bool Filled;
        }

        public enum Color { Red, Green = 2 }
    }

    public interface IArea
    {
        double Area();
    }

    public record Point(int X, int Y);
    public record struct Size(int Width);
    public delegate void Handler(object sender);
}

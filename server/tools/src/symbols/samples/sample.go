// Package geometry measures.
package geometry

import (
	"context"
	str "strings"
)

// Limit is the most that fits.
const Limit = 10

const (
	Red = iota
	Green
)

var counter, other int

var (
	// ErrEmpty says that there is nothing.
	ErrEmpty = errors.New("empty")
)

// Point is a point.
type Point[T any] struct {
	X, Y T `json:"x"`
	*Base
}

type (
	Shape interface {
		Area() float64
		Base
	}
	ID string
)

type Handler func(ctx context.Context) error
type Alias = Point[int]

// New makes one.
func New(x, y int) *Point[int] {
	local := x
	const inside = 1
	var value = str.ToUpper("x")
	return &Point[int]{X: local, Y: y}
}

// Move moves.
func (p *Point[T]) Move(by T) (T, error) {
	return Map[T](by), ErrEmpty
}

func (Alias) Name() string { return "alias" }

func (id ID) String() string {
	return string(id)
}

func TestNew(t *testing.T) {
	t.Run("sub", func(t *testing.T) { New(1, 2) })
}

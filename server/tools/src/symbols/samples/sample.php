<?php

declare(strict_types=1);

namespace App\Geometry;

use App\Base\{Model, Thing};
use Psr\Log\LoggerInterface as Logger;

define('VERSION', '1.0');
const LIMIT = 10;
$counter = 0;

/**
 * A shape.
 */
#[Entity(name: 'shapes')]
abstract class Shape extends Model implements HasArea
{
    use Loggable;

    public const SIDES = 4;
    private static ?int $count = null;
    protected array $items = [], $others;

    public function __construct(
        private readonly Logger $logger,
        string $plain,
    ) {
    }

    // Its area.
    #[Pure]
    abstract public function area(): float;

    public static function of(string ...$names): static
    {
        $local = array_map(fn ($name) => strtoupper($name), $names);
        Log::info('made', $local);
        return (new static())->with($local);
    }
}

interface HasArea
{
    public function area(): float;
}

trait Loggable
{
    private function log(string $text): void {}
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';

    public function color(): string
    {
        return 'red';
    }
}

function helper(int $x): int
{
    return $x * LIMIT;
}
?>
<p><?= helper(2) ?></p>

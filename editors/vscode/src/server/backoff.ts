// How long to wait before the server is started again after it ended by itself, and when to give up. Pure.

/** Before the first start anew, the second, …; the last also before all later ones. */
const DELAYS_MILLISECONDS = [0, 1000, 4000, 15_000];
/** So many ends within the time are too many. */
const MOST = 5;
const WITHIN_MILLISECONDS = 3 * 60_000;

/** The recent ends of the server. */
export class Backoff {
  #ends: number[] = [];
  readonly #delays: readonly number[];

  constructor(delaysMilliseconds: readonly number[] = DELAYS_MILLISECONDS) {
    this.#delays = delaysMilliseconds;
  }

  /** Takes an end at this time. Returns how long to wait, or undefined to give up. */
  next(now: number): number | undefined {
    this.#ends = this.#ends.filter((end) => now - end < WITHIN_MILLISECONDS);
    this.#ends.push(now);
    if (this.#ends.length >= MOST) {
      return undefined;
    }
    return this.#delays[Math.min(this.#ends.length, this.#delays.length) - 1];
  }

  /** Forgets all, when the user starts the server. */
  clear(): void {
    this.#ends = [];
  }
}

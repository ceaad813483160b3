import fs, { readFile as read } from "node:fs";
import * as path from "node:path";

/** The most that fits. */
export const LIMIT = 10;
let counter = 0;
var { a, b } = options;

/**
 * Adds.
 */
export function add(left, right) {
  const local = left;
  function inner() {}
  return local + right;
}

export default async function* walk(folder) {
  yield* walk(path.join(folder, "x"));
}

const double = (value) => value * 2;
export const fetchAll = async (urls) => {
  const onDone = () => counter++;
  return Promise.all(urls.map((url) => fetch(url)));
};

const api = {
  limit: LIMIT,
  get: function (name) {},
  post: async (name) => {},
  remove(name) {},
  "quoted-name": () => {},
};

class Point extends Base {
  static #count = 0;
  x = 0;
  handle = () => this.x;

  constructor(x) {
    super();
    this.x = x;
  }

  // Read only.
  get length() {
    return Math.sqrt(this.x);
  }

  static async from(text) {}
  #hidden() {}
  *[Symbol.iterator]() {}
}

const Mixin = class extends Point {};

Point.prototype.move = function (by) {};
exports.run = () => {};
module.exports.stop = function () {};

function App() {
  return (
    <Layout title="x">
      <Item onClick={() => run()} />
    </Layout>
  );
}

describe("points", () => {
  beforeEach(() => {});
  it("are made", async () => {
    expect(new Point(1).x).toBe(1);
  });
  test.each([1])("not named", () => {});
});

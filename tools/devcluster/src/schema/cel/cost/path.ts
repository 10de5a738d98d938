/**
 * The way from a variable to a part of its value: names of fields, `@items`, `@keys`, `@values`.
 *
 * When a path whose storage has room is extended twice, both results end with the second step: cel-go extends Go
 * slices, whose storage doubles. Verdicts of the API server depend on this: with three steps to the item of a list
 * (`self.a` and `@items`), `x.b` becomes `x.c` as soon as `x.c` was estimated.
 */
export class FieldPath {
  constructor(
    readonly storage: string[],
    readonly length: number,
    readonly capacity: number,
  ) {}

  static of(name: string): FieldPath {
    return new FieldPath([name], 1, 1);
  }

  /** Returns the path with one more step; without a path, the step is its beginning. */
  static extend(path: FieldPath | undefined, step: string): FieldPath {
    if (path === undefined) return FieldPath.of(step);
    const hasRoom = path.length < path.capacity;
    const storage = hasRoom ? path.storage : path.storage.slice(0, path.length);
    storage[path.length] = step;
    return new FieldPath(storage, path.length + 1, hasRoom ? path.capacity : path.capacity * 2);
  }

  get steps(): readonly string[] {
    return this.storage.slice(0, this.length);
  }
}

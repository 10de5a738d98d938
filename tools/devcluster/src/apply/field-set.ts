import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { compareElements, parseElement, type Path, type PathElement } from './path-element.js';

/**
 * A set of field paths: the `fieldsV1` of a managedFields entry. A node may be a member, have members below it,
 * or both. Operations return new sets; only `insert` changes one, and only its builder calls it.
 */
export class FieldSet {
  readonly #members: Set<PathElement>;
  readonly #children: Map<PathElement, FieldSet>;

  constructor(members: Iterable<PathElement> = [], children: Iterable<[PathElement, FieldSet]> = []) {
    this.#members = new Set(members);
    this.#children = new Map([...children].filter(([, child]) => !child.isEmpty()));
  }

  /** Returns the set of the given paths. */
  static of(...paths: Path[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** Reads FieldsV1 JSON. Throws an Error when a key is not a path element, or a value is not an object. */
  static fromFieldsV1(json: Json | undefined): FieldSet {
    const members: PathElement[] = [];
    const children: [PathElement, FieldSet][] = [];
    if (!isObject(json)) throw new Error('fieldsV1 must be an object');
    for (const [key, value] of Object.entries(json)) {
      if (key === '.') continue;
      const element = parseElement(key);
      const child = FieldSet.fromFieldsV1(value);
      if (child.isEmpty() || (isObject(value) && '.' in value)) members.push(element);
      children.push([element, child]);
    }
    return new FieldSet(members, children);
  }

  /** Returns FieldsV1 JSON, with `.` for a member that also has members below it. */
  toFieldsV1(): JsonObject {
    const out: JsonObject = {};
    for (const element of [...new Set([...this.#members, ...this.#children.keys()])].sort(compareElements)) {
      const child = this.#children.get(element)?.toFieldsV1();
      out[element] = child === undefined ? {} : this.#members.has(element) ? { '.': {}, ...child } : child;
    }
    return out;
  }

  /** Adds a path without its parents. The empty path is ignored. */
  insert(path: Path, from = 0): void {
    const element = path[from];
    if (element === undefined) return;
    if (from === path.length - 1) {
      this.#members.add(element);
      return;
    }
    const child = this.#children.get(element) ?? new FieldSet();
    this.#children.set(element, child);
    child.insert(path, from + 1);
  }

  has(path: Path): boolean {
    const [element, ...rest] = path;
    if (element === undefined) return false;
    return rest.length === 0 ? this.#members.has(element) : this.below(element).has(rest);
  }

  /** Returns the members below an element, relative to it. */
  below(element: PathElement): FieldSet {
    return this.#children.get(element) ?? empty;
  }

  isEmpty(): boolean {
    return this.#members.size === 0 && [...this.#children.values()].every((child) => child.isEmpty());
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty() && other.difference(this).isEmpty();
  }

  union(other: FieldSet): FieldSet {
    const keys = new Set([...this.#children.keys(), ...other.#children.keys()]);
    return new FieldSet(
      [...this.#members, ...other.#members],
      [...keys].map((key) => [key, this.below(key).union(other.below(key))]),
    );
  }

  intersection(other: FieldSet): FieldSet {
    return new FieldSet(
      [...this.#members].filter((element) => other.#members.has(element)),
      [...this.#children].map(([key, child]) => [key, child.intersection(other.below(key))]),
    );
  }

  /** Returns the members that are not members of `other`. Descendants of members of `other` remain. */
  difference(other: FieldSet): FieldSet {
    return new FieldSet(
      [...this.#members].filter((element) => !other.#members.has(element)),
      [...this.#children].map(([key, child]) => [key, child.difference(other.below(key))]),
    );
  }

  /** Returns the `difference` without the descendants of members of `other`. */
  recursiveDifference(other: FieldSet): FieldSet {
    return new FieldSet(
      [...this.#members].filter((element) => !other.#members.has(element)),
      [...this.#children]
        .filter(([key]) => !other.#members.has(key))
        .map(([key, child]) => [key, child.recursiveDifference(other.below(key))]),
    );
  }

  /** Returns the set with those inner nodes as members for which `extra(element, parent path)` returns true. */
  withInnerMembers(extra: (parent: Path, element: PathElement) => boolean, at: Path = []): FieldSet {
    return new FieldSet(
      [...this.#members, ...[...this.#children.keys()].filter((key) => extra(at, key))],
      [...this.#children].map(([key, child]) => [key, child.withInnerMembers(extra, [...at, key])]),
    );
  }

  /** Returns the members that have no member below them. */
  leaves(): FieldSet {
    return new FieldSet(
      [...this.#members].filter((element) => this.below(element).isEmpty()),
      [...this.#children].map(([key, child]) => [key, child.leaves()]),
    );
  }

  /** Returns the paths of all members in a stable order: each member before the members below it. */
  members(prefix: Path = []): Path[] {
    const own = [...this.#members].sort(compareElements).map((element) => [...prefix, element]);
    const children = [...this.#children].sort(([a], [b]) => compareElements(a, b));
    return [...own, ...children.flatMap(([key, child]) => child.members([...prefix, key]))];
  }
}

const empty = new FieldSet();

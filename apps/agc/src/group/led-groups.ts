import type { OtherGroups } from './delivery-names.js';
import type { GroupWork } from './group-work.js';

/** The RunnerGroups that this replica leads, by name. */
export class LedGroups implements OtherGroups {
  readonly #works = new Map<string, GroupWork>();
  /** Work that has lost its lease, and renews its locks until another leader is observed. */
  readonly #bereft = new Map<string, GroupWork>();
  #handler: (name: string) => void = () => undefined;

  /** Returns the work of a group; undefined when another replica leads it, or no replica leads it yet. */
  get(name: string): GroupWork | undefined {
    return this.#works.get(name);
  }

  list(): GroupWork[] {
    return [...this.#works.values()];
  }

  isHeldElsewhere(job: string, group: string): boolean {
    const works = [...this.list(), ...this.#bereft.values()];
    return works.some((work) => work.name !== group && work.holds(job));
  }

  /** Keeps the work of a group that has lost its lease, until {@link takeBereft}. */
  addBereft(name: string, work: GroupWork): void {
    this.#bereft.set(name, work);
  }

  /** Removes and returns the work of a group that has lost its lease, because the group has a leader again. */
  takeBereft(name: string): GroupWork | undefined {
    const work = this.#bereft.get(name);
    this.#bereft.delete(name);
    return work;
  }

  /** Registers a function that is called with the name of a group that this replica starts or stops leading, or whose work has changed. */
  onChange(handler: (name: string) => void): void {
    this.#handler = handler;
  }

  changed(name: string): void {
    this.#handler(name);
  }

  add(name: string, work: GroupWork): void {
    this.#works.set(name, work);
    this.changed(name);
  }

  remove(name: string): void {
    this.#works.delete(name);
    this.changed(name);
  }
}

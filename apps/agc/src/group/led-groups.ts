import type { OtherGroups } from './delivery-names.js';
import type { GroupWork } from './group-work.js';

/** The RunnerGroups that this replica leads, by name. */
export class LedGroups implements OtherGroups {
  readonly #works = new Map<string, GroupWork>();
  #handler: (name: string) => void = () => undefined;

  /** Returns the work of a group; undefined when another replica leads it, or no replica leads it yet. */
  get(name: string): GroupWork | undefined {
    return this.#works.get(name);
  }

  list(): GroupWork[] {
    return [...this.#works.values()];
  }

  isHeldElsewhere(job: string, group: string): boolean {
    return this.list().some((work) => work.name !== group && work.holds(job));
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

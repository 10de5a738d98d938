import type { OtherGroups } from './delivery-names.js';
import type { GroupWork } from './group-work.js';

interface LedGroup {
  work: GroupWork;
  leads: () => boolean;
}

/** The RunnerGroups that this replica leads, by name. */
export class LedGroups implements OtherGroups {
  readonly #works = new Map<string, LedGroup>();
  /** Work that has lost its lease, and renews its locks until another leader is observed. */
  readonly #predecessors = new Map<string, GroupWork>();
  #handler: (name: string) => void = () => undefined;
  #onSettled: () => void = () => undefined;

  /** Returns the work of a group; undefined when another replica leads it or may lead it, or no replica leads it yet. */
  get(name: string): GroupWork | undefined {
    const led = this.#works.get(name);
    return led?.leads() === true ? led.work : undefined;
  }

  list(): GroupWork[] {
    return [...this.#works.values()].map(({ work }) => work);
  }

  isHeldElsewhere(job: string, group: string): boolean {
    const works = [...this.list(), ...this.#predecessors.values()];
    return works.some((work) => work.name !== group && work.holds(job));
  }

  /** Keeps the work of a group that has lost its lease, until {@link takePredecessor}. */
  addPredecessor(name: string, work: GroupWork): void {
    this.#predecessors.set(name, work);
  }

  /** Removes and returns the work of a group that has lost its lease, because the group has a leader again. */
  takePredecessor(name: string): GroupWork | undefined {
    const work = this.#predecessors.get(name);
    this.#predecessors.delete(name);
    return work;
  }

  /** Registers a function that is called with the name of a group that this replica starts or stops leading, or whose work has changed. */
  onChange(handler: (name: string) => void): void {
    this.#handler = handler;
  }

  changed(name: string): void {
    this.#handler(name);
  }

  /** Registers a function that is called when a claim has ended, so that its job no longer needs room, or is recorded. */
  onSettled(handler: () => void): void {
    this.#onSettled = handler;
  }

  settled(): void {
    this.#onSettled();
  }

  /**
   * Adds the work of a group.
   *
   * @param leads returns whether the lease of the group is held now, by the clock: a process that was stopped learns of its loss
   *   from a timer, and handles the answers that have arrived before that
   */
  add(name: string, work: GroupWork, leads: () => boolean): void {
    this.#works.set(name, { work, leads });
    this.changed(name);
  }

  remove(name: string): void {
    this.#works.delete(name);
    this.changed(name);
  }
}

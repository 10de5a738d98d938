/** An element of at most one {@link LinkedList}. */
export abstract class ListElement<T> {
  /** Used by the list only. */
  previous: T | undefined;
  /** Used by the list only. */
  next: T | undefined;
}

/**
 * Elements in the order in which they were added, for what begins and ends thousands of times per second. A Map or Set would cost
 * memory: it replaces its table after some removals, and an outdated table that has reached the old generation keeps alive all young
 * objects that it refers to: 8 MiB of garbage between two collections of the old generation for the tunnels of a busy proxy.
 */
export class LinkedList<T extends ListElement<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The oldest element. */
  get first(): T | undefined {
    return this.#first;
  }

  /** Adds an element that is not in a list. */
  add(element: T): void {
    element.previous = this.#last;
    if (this.#last === undefined) this.#first = element;
    else this.#last.next = element;
    this.#last = element;
    this.#size += 1;
  }

  /** Removes an element, which keeps no reference to its neighbors. Returns whether it was in the list. */
  remove(element: T): boolean {
    const { previous, next } = element;
    if (previous === undefined && this.#first !== element) return false;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    element.previous = undefined;
    element.next = undefined;
    this.#size -= 1;
    return true;
  }

  /** Returns a copy of the elements, oldest first. */
  all(): T[] {
    const elements: T[] = [];
    for (let element = this.#first; element !== undefined; element = element.next) elements.push(element);
    return elements;
  }
}

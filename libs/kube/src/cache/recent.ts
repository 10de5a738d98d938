/** A bounded set of strings that drops its oldest members. */
export class RecentSet {
  readonly #limit: number;
  readonly #members = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(member: string): void {
    this.#members.delete(member);
    this.#members.add(member);
    if (this.#members.size <= this.#limit) return;
    const [oldest] = this.#members;
    if (oldest !== undefined) this.#members.delete(oldest);
  }

  delete(member: string): void {
    this.#members.delete(member);
  }

  has(member: string): boolean {
    return this.#members.has(member);
  }
}

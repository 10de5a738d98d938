const maxTotal = 4 * 1024;
const maxOfMany = 256;

/**
 * The distinct warnings of a response. If they exceed 4096 characters together, each is truncated to 256, and warnings
 * beyond the limit are omitted. Source: apiserver endpoints/filters/warning.go.
 */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text !== '') this.#texts.add(text);
  }

  /** Returns the texts to send, in the order in which they were added. */
  texts(): string[] {
    const texts = [...this.#texts].map((text) => [...text]);
    const total = texts.reduce((sum, { length }) => sum + length, 0);
    if (total <= maxTotal) return [...this.#texts];
    const kept: string[] = [];
    let written = 0;
    for (const text of texts) {
      if (written >= maxTotal) break;
      const cut = text.slice(0, maxOfMany);
      kept.push(cut.join(''));
      written += cut.length;
    }
    return kept;
  }
}

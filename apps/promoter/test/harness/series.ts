type Labels = Record<string, string>;

/** The samples of a scrape in Prometheus' text format. */
export class Scrape {
  readonly #samples: readonly { name: string; labels: Labels; value: number }[];

  constructor(text: string) {
    this.#samples = [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, name = '', labels = '', value]) => ({
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="(.*?)"/g)].map(([, key = '', text = '']) => [key, text]),
        ),
        value: Number(value),
      }),
    );
  }

  /**
   * Returns the value of the only sample that has at least these labels. @throws Error if there is no such sample, or
   * more than one.
   */
  value(name: string, labels: Labels): number {
    const found = this.all(name, labels).filter((sample) => sample.name === name);
    const [only] = found;
    if (only === undefined || found.length > 1)
      throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`);
    return only.value;
  }

  /** Returns the samples whose names have this prefix, with at least these labels. */
  all(prefix: string, labels: Labels): { name: string; labels: Labels; value: number }[] {
    return this.#samples.filter(
      (sample) =>
        sample.name.startsWith(prefix) &&
        Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
    );
  }
}

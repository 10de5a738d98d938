const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

/**
 * Works on keys one after the other, each at most once at a time; a key that fails comes again later, and later still
 * the next time.
 */
export class Worker {
  private readonly pending = new Set<string>();
  private readonly failures = new Map<string, number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private running = false;
  private stopped = false;

  constructor(private readonly work: (key: string) => Promise<void>) {}

  /** Has the key worked on, after the present turn of the event loop. */
  add(key: string): void {
    if (this.stopped) return;
    this.pending.add(key);
    if (this.running) return;
    this.running = true;
    setImmediate(() => void this.run());
  }

  /** Has the key worked on after some milliseconds. */
  addAfter(key: string, ms: number): void {
    if (this.stopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.add(key);
    }, ms).unref();
    this.timers.add(timer);
  }

  /** Forgets all keys; work under way ends by itself. */
  stop(): void {
    this.stopped = true;
    this.pending.clear();
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async run(): Promise<void> {
    for (const key of this.pending) {
      this.pending.delete(key);
      try {
        await this.work(key);
        this.failures.delete(key);
      } catch {
        this.retry(key);
      }
    }
    this.running = false;
  }

  private retry(key: string): void {
    const failures = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, failures);
    this.addAfter(key, Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures));
  }
}

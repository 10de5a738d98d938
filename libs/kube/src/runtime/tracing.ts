import { SpanStatusCode, trace, type Link, type Span, type Tracer } from '@opentelemetry/api';
import { messageOf } from '@interlock/api';
import { redactText, truncate } from '@interlock/base';

/** Maximum number of causes that are linked to one reconcile; a key may combine any number of events. */
const maxLinks = 8;

const maxMessage = 1024;

/** Remembers the spans that enqueued a key, so that the span of its reconcile can be linked to them. */
export class Causes {
  readonly #links = new Map<string, Link[]>();

  /** Records the active span, if there is one. */
  note(key: string): void {
    const context = trace.getActiveSpan()?.spanContext();
    if (context === undefined) return;
    const links = this.#links.get(key) ?? [];
    if (links.length < maxLinks) links.push({ context });
    this.#links.set(key, links);
  }

  /** Returns the causes recorded since the last call, and clears them. */
  take(key: string): Link[] {
    const links = this.#links.get(key) ?? [];
    this.#links.delete(key);
    return links;
  }
}

interface SpanOptions {
  name: string;
  links: Link[];
  attributes: Record<string, string>;
}

/** Runs `work` in a new span that records its error; without a tracer, runs it directly. */
export function inSpan<R>(
  tracer: Tracer | undefined,
  { name, links, attributes }: SpanOptions,
  work: () => Promise<R>,
): Promise<R> {
  if (tracer === undefined) return work();
  return tracer.startActiveSpan(name, { root: true, links, attributes }, async (span: Span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: truncate(redactText(messageOf(error)), maxMessage),
      });
      throw error;
    } finally {
      span.end();
    }
  });
}

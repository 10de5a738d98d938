import { SpanStatusCode, trace, type Link, type Span, type Tracer } from '@opentelemetry/api';
import { messageOf } from '@interlock/api';

/** The most causes that one reconcile is linked to; one key may stand for any number of events. */
const maxLinks = 8;

/** Remembers which spans asked for a key, so that the span of its reconcile can be linked to them. */
export class Causes {
  readonly #links = new Map<string, Link[]>();

  /** Notes the span that is active now, if any. */
  note(key: string): void {
    const context = trace.getActiveSpan()?.spanContext();
    if (context === undefined) return;
    const links = this.#links.get(key) ?? [];
    if (links.length < maxLinks) links.push({ context });
    this.#links.set(key, links);
  }

  /** Returns the causes noted since the last call, and forgets them. */
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

/** Runs `work` in a span of its own, marked with the error that it throws; without a tracer it just runs. */
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
      span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

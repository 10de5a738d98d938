import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { messageOf } from '@interlock/api';
import { redactText, truncate } from '@interlock/base';

const maxMessage = 1024;

/** W3C Trace Context, "traceparent": version, trace id, parent id, flags; versions after 00 may append to it. */
const traceparent =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Returns the context of the span that a traceparent names, or a context without a span if it does not name one. */
export function contextOf(header: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparent.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Returns the traceparent that names a span; undefined for a span that is not recorded. */
export function traceparentOf(span: Span): string | undefined {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return undefined;
  const flags = (context.traceFlags & 0xff).toString(16).padStart(2, '0');
  return `00-${context.traceId}-${context.spanId}-${flags}`;
}

/** Returns the ID of the trace that a traceparent continues; undefined if it does not name one. */
export function traceIdOf(header: string | undefined): string | undefined {
  return traceparent.exec(header ?? '')?.[1];
}

/**
 * Runs `work` in a span that continues a trace, or begins one if the header does not name one. If a span of another
 * trace is active, it is linked to the new span. The error that `work` throws is recorded in the span without its
 * secrets.
 */
export function continueTrace<R>(
  tracer: Tracer,
  header: string | undefined,
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<R>,
): Promise<R> {
  const active = trace.getActiveSpan()?.spanContext();
  const isOther = active !== undefined && active.traceId !== traceIdOf(header);
  const links = isOther ? [{ context: active }] : [];
  return tracer.startActiveSpan(name, { attributes, links }, contextOf(header), async (span) => {
    try {
      return await work(span);
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

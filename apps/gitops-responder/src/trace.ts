import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { toldOf } from './text.js';

const maxMessage = 1024;

/** W3C Trace Context, "traceparent": version, trace id, parent id, flags; versions after 00 may append to it. */
const traceparent =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** @returns the context of the span that a traceparent names; that of no span when it names none. */
export function contextOf(header: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparent.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Runs `work` in a span that continues a trace and is linked to the span that is active now. */
export function continueTrace<R>(
  tracer: Tracer,
  header: string | undefined,
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<R>,
): Promise<R> {
  const active = trace.getActiveSpan()?.spanContext();
  const links = active === undefined ? [] : [{ context: active }];
  return tracer.startActiveSpan(name, { attributes, links }, contextOf(header), async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: toldOf(error, maxMessage) });
      throw error;
    } finally {
      span.end();
    }
  });
}

import { redactText } from '@interlock/base';
import { trace } from '@opentelemetry/api';
import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type LogLevel = (typeof logLevels)[number];

interface LoggerOptions {
  /** Written as `component`; child loggers may have their own. */
  component: string;
  level?: LogLevel;
  /** Defaults to the standard output. Each line is written before the call returns, so that a crash loses none. */
  destination?: DestinationStream;
  now?: () => Date;
}

/**
 * Returns a logger that writes one JSON object per line: `level` (a word), `ts` (RFC 3339, UTC), `component`, the
 * fields of the call, `msg`, and `trace_id` and `span_id` while a span is active. Errors are written under `error`
 * (or `err`) with the type, the message and the stack. Secrets are masked by key and by form.
 */
export function createLogger({
  component,
  level = 'info',
  destination,
  now = () => new Date(),
}: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    messageKey: 'msg',
    errorKey: 'error',
    timestamp: () => `,"ts":"${now().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: stdSerializers.err, err: stdSerializers.err },
    mixin: activeSpan,
    hooks: { streamWrite: redactText },
  };
  const root = destination
    ? pino(options, destination)
    : pino(options, pino.destination({ dest: 1, sync: true }));
  return root.child({ component });
}

function activeSpan(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

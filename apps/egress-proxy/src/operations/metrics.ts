import { histogramLines, type Buckets } from './exposition.js';

const prefix = 'actions_gateway_proxy_';

/** Bounds in seconds; the last one is the default lifetime of a tunnel. */
const durationBounds = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600];

/** Values at the time of a scrape. */
interface Gauges {
  activeTunnels: number;
  openConnections: number;
  bufferedBytes: number;
  /** Bytes of open tunnels. Closed tunnels were counted when they ended. */
  bytesUp: number;
  bytesDown: number;
  droppedLines: number;
}

/** Counts in plain fields, and renders them in the text format of Prometheus. */
export class ProxyMetrics {
  tunnels = 0;
  dialErrors = 0;
  denied = 0;
  /** Tunnels that were reset because of the memory that they held. */
  cutForMemory = 0;
  bytesUp = 0;
  bytesDown = 0;
  readonly #refusals = new Map<string, number>();
  readonly #durations: Buckets = {
    bounds: durationBounds,
    counts: durationBounds.map(() => 0),
    sum: 0,
    count: 0,
  };
  readonly #info: string;

  /** @param info labels of the metric `build_info`, whose values need no escape */
  constructor(info: { version: string; relay: string }) {
    this.#info = `version="${info.version}",relay="${info.relay}",node="${process.versions.node}"`;
  }

  /** Counts a refusal. @param reason a fixed reason of the proxy, never a text of a client */
  countRefusal(reason: string): void {
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
  }

  /** Counts a tunnel that has ended. */
  countEnd(seconds: number, bytesUp: number, bytesDown: number): void {
    this.bytesUp += bytesUp;
    this.bytesDown += bytesDown;
    const { bounds, counts } = this.#durations;
    let at = 0;
    while (seconds > (bounds[at] ?? Infinity)) at += 1;
    if (at < bounds.length) counts[at] = (counts[at] ?? 0) + 1;
    this.#durations.sum += seconds;
    this.#durations.count += 1;
  }

  /** Returns all metrics in the text format of Prometheus. */
  render(gauges: Gauges): string {
    const { user, system } = process.cpuUsage();
    const lines = [
      ...one('connections_active', 'gauge', 'Tunnels that are open.', gauges.activeTunnels),
      ...one('connections_total', 'counter', 'Tunnels that were opened.', this.tunnels),
      ...one(
        'client_connections',
        'gauge',
        'Connections from clients, with or without a tunnel.',
        gauges.openConnections,
      ),
      ...one('dial_errors_total', 'counter', 'Targets that could not be reached.', this.dialErrors),
      ...one('connect_denied_total', 'counter', 'Requests that the policy refused.', this.denied),
      ...one(
        'buffered_bytes',
        'gauge',
        'Bytes that were read and not yet sent to the other side.',
        gauges.bufferedBytes,
      ),
      ...one(
        'memory_cuts_total',
        'counter',
        'Tunnels that were reset because too many bytes waited for slow readers.',
        this.cutForMemory,
      ),
      ...one(
        'audit_lines_dropped_total',
        'counter',
        'Log lines that were dropped because the log was not read in time.',
        gauges.droppedLines,
      ),
      ...family('bytes_total', 'counter', 'Bytes that were relayed, up to targets and down to clients.', [
        ['direction="up"', this.bytesUp + gauges.bytesUp],
        ['direction="down"', this.bytesDown + gauges.bytesDown],
      ]),
      ...family(
        'refused_total',
        'counter',
        'Refused requests, by reason.',
        [...this.#refusals].map(([reason, count]) => [`reason="${reason}"`, count]),
      ),
      ...histogramLines(
        `${prefix}tunnel_duration_seconds`,
        'Time from the request to the end of a tunnel.',
        this.#durations,
      ),
      ...family('build_info', 'gauge', 'Version of the proxy; always 1.', [[this.#info, 1]]),
      '# TYPE process_cpu_seconds_total counter',
      `process_cpu_seconds_total ${(user + system) / 1e6}`,
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    ];
    return `${lines.join('\n')}\n`;
  }
}

function family(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): string[] {
  const full = prefix + name;
  const head = [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`];
  return [...head, ...samples.map(([labels, value]) => `${full}${labels && `{${labels}}`} ${value}`)];
}

function one(name: string, type: 'counter' | 'gauge', help: string, value: number): string[] {
  return family(name, type, help, [['', value]]);
}

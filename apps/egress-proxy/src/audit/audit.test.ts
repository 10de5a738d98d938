import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { auditTo, type AuditRecord } from './audit.js';
import { LineWriter } from './line-writer.js';
import { jsonLogger } from './logger.js';

const completed: AuditRecord = {
  ...{ client: '10.1.2.3', host: 'github.com', port: 443, address: '2606:50c0::1' },
  ...{ bytesUp: 5, bytesDown: 7_000_000_000, durationMs: 12.7, outcome: 'completed' },
};
const malformed: AuditRecord = {
  ...{ client: 'fe80::1%eth"0\u2028', outcome: 'malformed', reason: 'MalformedRequest' },
  ...{ bytesUp: 0, bytesDown: 0, durationMs: 0.2 },
};

describe('the audit', () => {
  it('writes the same lines as a logger, at any time', async () => {
    const clock = new FakeClock(Date.parse('2026-02-03T04:05:59.990Z'));
    const batches: string[] = [];
    const sink = { writableLength: 0, write: (text: string) => batches.push(text) };
    const writer = new LineWriter(sink, clock);
    const fields = { component: 'egress-proxy', tenant: 'te"am' };
    const audit = auditTo({ writer, clock, fields });
    const log = jsonLogger({ writer, clock, level: 'info', fields });
    for (const record of [completed, malformed, completed]) {
      audit(record);
      const { outcome, reason, bytesUp, bytesDown, durationMs, ...request } = record;
      const values = { outcome, reason, bytesUp, bytesDown, durationMs: Math.round(durationMs) };
      log.info({ audit: true, ...request, ...values }, 'tunnel');
      await clock.advance(7);
    }
    writer.flush();
    const lines = batches.join('').trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    for (let at = 0; at < lines.length; at += 2) expect(lines[at]).toBe(lines[at + 1]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { Refusal } from '../../wire/refusal.js';
import type { SourceHealth } from '../job-source.js';
import { HealthTracker } from './health.js';

function track() {
  const clock = new FakeClock(0);
  const reports: SourceHealth[] = [];
  return { clock, reports, health: new HealthTracker(clock, (report) => void reports.push(report)) };
}
const missing = (message: string) =>
  new TypedError('Permanent', message, { reason: 'CredentialUnavailable' });

describe('the health of a source', () => {
  it('states what the credential lacks now, and since when it is unusable', async () => {
    const { clock, reports, health } = track();
    health.broken(missing('key appId is missing'));
    health.broken(missing('key appId is missing'));
    await clock.advance(5);
    health.broken(missing('key privateKey is missing'));
    health.repaired();
    health.succeeded();
    expect(reports).toEqual([
      { state: 'credentialMissing', since: 0, message: 'key appId is missing' },
      { state: 'credentialMissing', since: 0, message: 'key privateKey is missing' },
      { state: 'polling', since: 5 },
    ]);
  });

  it('is that of the runner that cannot be registered, although other runners poll', async () => {
    const { clock, reports, health } = track();
    const usedUp = (message: string) =>
      new TypedError('RateLimited', message, { reason: 'LimitUsedUp', retryAfterMs: 60_000 });
    health.broken(usedUp('calls continue at 12:00'));
    await clock.advance(60_000);
    health.succeeded();
    health.broken(new TypedError('Permanent', 'HTTP 500'));
    health.succeeded();
    health.broken(usedUp('calls continue at 13:00'));
    health.succeeded();
    await clock.advance(60_000);
    health.repaired();
    health.succeeded();
    const [state, reason] = ['rateLimited', 'LimitUsedUp'];
    expect(reports).toEqual([
      { state, reason, since: 0, message: 'calls continue at 12:00' },
      { state: 'failing', since: 60_000, message: 'HTTP 500' },
      { state, reason, since: 60_000, message: 'calls continue at 13:00' },
      { state: 'polling', since: 120_000 },
    ]);
  });

  it('is rate limited while calls pause, although polls that were held before are answered', async () => {
    const { clock, reports, health } = track();
    const retryAfterMs = 300_000;
    health.succeeded();
    health.failed(new TypedError('RateLimited', 'HTTP 429', { reason: 'RateLimited', retryAfterMs }));
    await clock.advance(retryAfterMs - 1);
    health.succeeded();
    expect(reports.map(({ state }) => state)).toEqual(['polling', 'rateLimited']);
    await clock.advance(1);
    health.succeeded();
    expect(reports.map(({ state }) => state)).toEqual(['polling', 'rateLimited', 'polling']);
  });

  it('states a failure of polls once, although each message names another runner', () => {
    const { reports, health } = track();
    health.broken(new TypedError('Permanent', 'poll for runner a: HTTP 500'));
    health.broken(new TypedError('Permanent', 'poll for runner b: HTTP 500'));
    expect(reports).toEqual([{ state: 'failing', since: 0, message: 'poll for runner a: HTTP 500' }]);
  });

  it('states another cause of a failure that continues, at most once a minute', async () => {
    const { clock, reports, health } = track();
    const refused = (status: number, message: string) =>
      new Refusal('Permanent', message, { reason: 'Refused', status, kind: '', serverTime: undefined });
    health.broken(new TypedError('Transient', 'no connection', { reason: 'ConnectFailed' }));
    await clock.advance(59_999);
    health.broken(refused(404, 'register runner a: HTTP 404'));
    await clock.advance(1);
    health.broken(refused(404, 'register runner b: HTTP 404'));
    await clock.advance(60_000);
    health.broken(refused(404, 'register runner c: HTTP 404'));
    health.broken(refused(422, 'register runner d: HTTP 422'));
    const state = 'failing';
    expect(reports).toEqual([
      { state, since: 0, message: 'no connection' },
      { state, since: 0, message: 'register runner b: HTTP 404' },
      { state, since: 0, message: 'register runner d: HTTP 422' },
    ]);
  });
});

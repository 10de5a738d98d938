import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Gate, GateKeeper, GateOverride } from '@interlock/api';
import { ConfigMap, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace, type Cluster } from '@interlock/stack';
import { startGateBundle, type GateBundle } from './support/gate-process.js';
import { openTestCluster, tenantName } from './support/test-cluster.js';

const hostile = tenantName('calendars');
const other = tenantName('neighbour');
const timeoutMs = 120_000;
const options = { fieldManager: 'e2e' };

let cluster: Cluster;
let client: Client;
let folder: string;
let bundle: GateBundle;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gate-calendars-'));
  cluster = await openTestCluster();
  client = cluster.connect('e2e');
  bundle = await startGateBundle(cluster, folder);
  for (const name of [hostile, other]) await ensureNamespace(client, name);
}, timeoutMs);
afterAll(async () => {
  await bundle.process.stop();
  await client.close();
  await cluster.close();
  await rm(folder, { recursive: true });
});

const event = (...lines: string[]) =>
  ['BEGIN:VEVENT', 'UID:1', 'DTSTART:20200101T000000Z', 'DURATION:PT1H', ...lines, 'END:VEVENT'].join('\r\n');
const calendar = (...parts: string[]) => ['BEGIN:VCALENDAR', ...parts, 'END:VCALENDAR', ''].join('\r\n');
const zone = [
  'BEGIN:VTIMEZONE',
  'TZID:Custom',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'END:VTIMEZONE',
].join('\r\n');

/** The library never finishes expanding these calendars. */
const calendars: Record<string, string> = {
  february: calendar(event('RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')),
  june: calendar(event('RRULE:FREQ=HOURLY;BYMONTH=6;BYMONTHDAY=31')),
  zone: calendar(zone, event().replace('DTSTART:20200101T000000Z', 'DTSTART;TZID=Custom:20260101T000000')),
};

async function closeBy(name: string, text: string): Promise<void> {
  const metadata = { name, namespace: hostile };
  const calendarSpec = { configMapRef: { name }, timeZone: 'UTC', effect: 'Closed' };
  await client.apply(ConfigMap, { metadata, data: { 'calendar.ics': text } }, options);
  await client.apply(Gate, { metadata, spec: { closed: false, failurePolicy: 'Open' } }, options);
  const spec = { gate: name, type: 'calendar', calendar: calendarSpec };
  await client.apply(GateKeeper, { metadata, spec }, options);
}

async function isAlive(): Promise<void> {
  const port = await bundle.portOf('probes');
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(5_000) });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
}

test(
  'endless calendars close only their own gates, while probes and other gates respond',
  async () => {
    await client.apply(
      Gate,
      { metadata: { name: 'door', namespace: other }, spec: { closed: true } },
      options,
    );
    for (const [name, text] of Object.entries(calendars)) await closeBy(name, text);
    const metadata = { name: 'urgent', namespace: other };
    const spec = { gateRef: { name: 'door' }, effect: 'Open', reason: 'CVE', duration: '5m' };
    await client.create(GateOverride, { metadata, spec });
    await eventually(async () => {
      const { status } = await client.get(Gate, { namespace: other, name: 'door' });
      expect(status?.state).toBe('Open');
    }, timeoutMs);
    await isAlive();
    for (const name of Object.keys(calendars)) {
      await eventually(async () => {
        const { status } = await client.get(Gate, { namespace: hostile, name });
        expect(status).toMatchObject({ state: 'Closed', cause: 'Invalid' });
        expect(status?.message).toContain('it takes longer than 1 s to expand its recurrences');
      }, timeoutMs);
      await isAlive();
    }
    await closeBy('february', calendar(event()));
    await eventually(async () => {
      const { status } = await client.get(Gate, { namespace: hostile, name: 'february' });
      expect(status).toMatchObject({ state: 'Open' });
    }, timeoutMs);
    expect(await bundle.process.stop()).toBe(0);
  },
  timeoutMs,
);

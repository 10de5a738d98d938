import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gate } from '@interlock/api';
import { appendAudit, auditSigner } from '@interlock/gating';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fixture } from './harness/fixture.js';

const now = '2026-11-21T12:00:00Z';
const objects = ['change-freeze', 'old']
  .map(
    (name) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: ${name} }
spec: { closed: true }
`,
  )
  .join('---');

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.apply(objects);
});
afterAll(() => fixture.close());

const tabs = (text: string) => text.replaceAll('\t', ' | ');
const at = '2026-11-20T00:00:00Z';
const entry = { at, since: at, to: 'Closed', cause: 'Default' } as const;

test('lists the records, and proves that they are intact', async () => {
  const history = appendAudit(appendAudit(undefined, entry), {
    ...entry,
    at: '2026-11-21T00:00:00Z',
    from: 'Closed',
    to: 'Open',
    cause: 'GateOverride/x',
    actor: 'alice',
    reason: 'CVE',
  });
  const key = { namespace: 'flux-system', name: 'old' };
  await fixture.client.patch(
    Gate,
    key,
    { type: 'merge', patch: { status: { history } } },
    { subresource: 'status' },
  );
  const { stdout } = await fixture.gate(['audit', 'old', '--timeout', '1m'], { now });
  expect(tabs(stdout)).toBe(
    [
      'GATE | RECORD | AT                   | SINCE                | FROM   | TO     | CAUSE          | ACTOR | TICKET | TARGETS | REASON',
      'old  | 1      | 2026-11-20T00:00:00Z | 2026-11-20T00:00:00Z |        | Closed | Default',
      'old  | 2      | 2026-11-21T00:00:00Z | 2026-11-20T00:00:00Z | Closed | Open   | GateOverride/x | alice |        |         | CVE',
      '',
    ].join('\n'),
  );
  const whole = await fixture.gate(['audit', '--verify'], { now });
  expect(whole.code).toBe(0);
  expect(whole.stderr).toBe(
    '✔ Gate change-freeze: 0 records, the chain is intact\n✔ Gate old: 2 records, the chain is intact\n',
  );

  const keys = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const keyFile = join(fixture.folder, 'audit.pem');
  await writeFile(keyFile, keys.publicKey);
  const unsigned = await fixture.gate(['audit', 'old', '--verify', '--key', keyFile], { now });
  expect(unsigned).toMatchObject({ code: 1 });
  expect(unsigned.stderr).toContain('record 1: the record of 2026-11-20T00:00:00Z is not signed');
  const signed = appendAudit(
    undefined,
    entry,
    auditSigner(keys.privateKey)(await fixture.client.get(Gate, key)),
  );
  const patch = { status: { history: signed } };
  await fixture.client.patch(Gate, key, { type: 'merge', patch }, { subresource: 'status' });
  expect(await fixture.gate(['audit', 'old', '--verify', '--key', keyFile], { now })).toMatchObject({
    code: 0,
    stderr: '✔ Gate old: 1 records, the chain is intact and signed\n',
  });

  const changed = history.map((record, index) => (index === 1 ? { ...record, actor: 'bob' } : record));
  await fixture.client.patch(
    Gate,
    key,
    { type: 'merge', patch: { status: { history: changed } } },
    { subresource: 'status' },
  );
  const broken = await fixture.gate(['audit', 'old', '--verify'], { now });
  expect(broken.code).toBe(1);
  expect(broken.stderr).toBe(
    '✗ Gate old: record 2: the record of 2026-11-21T00:00:00Z was changed: its digest does not match\n',
  );
});

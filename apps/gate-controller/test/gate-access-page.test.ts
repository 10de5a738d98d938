import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Gate } from '@interlock/api';
import { Role, RoleBinding, ServiceAccount, type ApplyConfiguration } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace } from '@interlock/stack';
import { parse, parseAllDocuments } from 'yaml';
import { gate, manifests, scheduleKeeper } from './harness/manifests.js';
import { ask, type Answer } from './harness/requests.js';
import { Fixture } from './harness/fixture.js';

const page = readFileSync(new URL('../../../docs/gate-access.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');
const [, , roles = '', flagger = ''] = blocks('yaml');
const [example = ''] = blocks('json');
const namespace = 'shop';

let fixture: Fixture;
let token: string;
beforeAll(async () => {
  fixture = await Fixture.start({ servesAdmission: true });
  await ensureNamespace(fixture.client, namespace);
  for (const document of parseAllDocuments(roles)) {
    const object = document.toJS() as ApplyConfiguration & { kind: string };
    const kind = [ServiceAccount, Role, RoleBinding].find((one) => one.kind === object.kind);
    if (kind === undefined) throw new Error(`what is ${object.kind}?`);
    await fixture.client.apply(kind, object, { fieldManager: 'team' });
  }
  token = await fixture.tokenOf(namespace, 'ci');
  const month = (days: number) => fixture.at(days * 86_400_000).replace(/\.\d+Z$/, 'Z');
  const schedule = { closed: [{ from: month(-10), to: month(10) }] };
  await fixture.apply(
    namespace,
    manifests(gate('change-freeze'), scheduleKeeper('change-freeze', schedule, 'xmas')),
  );
});
afterAll(() => fixture.close());

function get(path: string, authorization: string): Promise<Answer> {
  return ask(`http://127.0.0.1:${fixture.process.ports.gates}${path}`, { headers: { authorization } });
}

it('documents roles that suffice only for its gate', async () => {
  await fixture.client.create(Gate, { metadata: { name: 'other', namespace }, spec: {} });
  const answer = await eventually(async () => {
    const got = await get(`/v1/gates/${namespace}/change-freeze`, `Bearer ${token}`);
    expect(got.body).toMatchObject({ state: 'Closed', cause: 'GateKeeper/xmas' });
    return got;
  });
  expect(answer.code).toBe(403);
  expect(Object.keys(answer.body).sort()).toEqual(Object.keys(JSON.parse(example) as object).sort());
  const other = await get(`/v1/gates/${namespace}/other`, `Bearer ${token}`);
  expect(Object.keys(other.body)).toEqual(['error']);
});

it('documents a webhook URL of Flagger that carries the token', async () => {
  const { analysis } = parse(flagger) as { analysis: { webhooks: [{ url: string }] } };
  const url = new URL(analysis.webhooks[0].url.replace('<token>', token));
  const credentials = Buffer.from(`${url.username}:${url.password}`).toString('base64');
  expect((await get(url.pathname, `Basic ${credentials}`)).body).toMatchObject({ state: 'Closed' });
});

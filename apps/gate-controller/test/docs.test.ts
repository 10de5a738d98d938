import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, GateBinding, GateKeeper, GateOverride, PromotionStrategy } from '@interlock/api';
import { ConfigMap, type ApplyConfiguration } from '@interlock/kube';
import { ensureNamespace } from '@interlock/stack';
import { parse, parseAllDocuments } from 'yaml';
import { gateFlags } from '../src/flags.js';
import { Environment, expectPhases } from './harness/promotions.js';
import { Fixture } from './harness/fixture.js';

const page = readFileSync(new URL('../../../docs/gate-controller.md', import.meta.url), 'utf8');
const chapter = (title: string): string => {
  const start = page.indexOf(`\n## ${title}\n`);
  if (start < 0) throw new Error(`the page has no chapter ${title}`);
  const end = page.indexOf('\n## ', start + 1);
  return page.slice(start, end < 0 ? undefined : end);
};
const examples = (title: string): string[] =>
  [...chapter(title).matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);

const namespace = 'demo';
const fieldManager = 'team';
let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.start({ at: '2030-12-11T09:00:00Z' });
  await ensureNamespace(fixture.client, namespace);
});
afterAll(() => fixture.close());

const stateIs = (state: string, more: object = {}) =>
  fixture.gateIs(namespace, 'change-freeze', ({ status }) =>
    expect(status).toMatchObject({ state, ...more }),
  );

describe('docs/gate-controller.md', () => {
  it('contains a change freeze, an override and a strategy that have the documented effect', async () => {
    const [freeze = ''] = examples('Example');
    const [either = '', migrated = ''] = examples('GateKeepers');
    await fixture.apply(namespace, freeze);
    await fixture.apply(namespace, either);
    await stateIs('Open', { next: { at: '2030-12-13T17:00:00Z', state: 'Closed' } });

    const [strategy = ''] = examples('Holding promotions');
    const object = parse(strategy) as ApplyConfiguration;
    await fixture.client.apply(PromotionStrategy, object, { fieldManager });
    await new Environment(fixture, namespace, 'environments/prod').propose('one');
    await expectPhases(fixture, namespace, { one: 'success' });

    await fixture.apply(namespace, migrated);
    await stateIs('Closed', { cause: 'FailurePolicy' });
    const data = (value: string) => ({
      metadata: { name: 'database', namespace },
      data: { migrated: value },
    });
    await fixture.client.apply(ConfigMap, data('no'), { fieldManager });
    await stateIs('Closed', { cause: 'GateKeeper/migrated' });
    await fixture.client.apply(ConfigMap, data('yes'), { fieldManager });
    await stateIs('Open');

    await fixture.process.rest();
    fixture.travel('2030-12-15T12:00:00Z');
    await stateIs('Closed', { since: '2030-12-13T17:00:00Z', next: { at: '2031-01-02T05:00:00Z' } });
    await expectPhases(fixture, namespace, { one: 'in_progress' });

    const [override = ''] = examples('Overrides');
    await fixture.apply(namespace, override);
    await stateIs('Open', { cause: 'GateOverride/inc-42' });
    await expectPhases(fixture, namespace, { one: 'success' });
  });

  it('shows a manifest of every kind, and of no other kind', () => {
    const kinds = ['Example', 'Overrides', 'Holding promotions']
      .flatMap(examples)
      .flatMap((text) =>
        parseAllDocuments(text).map((document) => (document.toJS() as { kind?: string }).kind),
      )
      .filter((kind) => kind !== undefined);
    expect([...new Set(kinds)].sort()).toEqual(
      [Gate, GateBinding, GateKeeper, GateOverride, PromotionStrategy].map(({ kind }) => kind).sort(),
    );
  });

  it('shows the actual log line', async () => {
    const [, text = ''] = /^```json\n(.*?)^```$/ms.exec(chapter('Audit')) ?? [];
    const shown = JSON.parse(text) as Record<string, unknown>;
    const line = fixture.process.log.find(
      ({ message }) => message.startsWith('opening gate') && message.includes('CVE'),
    );
    const { level: _level, ts: _ts, component: _component, msg, ...fields } = shown;
    expect(msg).toMatch(/^opening gate: '.*'$/);
    for (const [name, value] of Object.entries(fields)) {
      expect([name, typeof line?.[name]]).toEqual([name, typeof value]);
    }
  });

  it('names only existing metrics', async () => {
    const names = [...chapter('Operations').matchAll(/`(gate_[a-z_]+)`/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) await expect(fixture.process.metric(name)).resolves.toEqual(expect.any(Number));
    expect(await fixture.process.metric('gate_state', { gate: 'change-freeze', namespace })).toBe(1);
    expect(await fixture.process.metric('gate_transition_total')).toBeGreaterThan(3);
  });

  it('names only existing flags', () => {
    const flags = Object.keys(gateFlags).map(
      (key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
    for (const [, flag] of page.matchAll(/`(--[a-z-]+)`/g)) expect(flags).toContain(flag);
  });
});

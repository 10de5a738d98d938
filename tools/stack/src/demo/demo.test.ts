import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findEnvironments } from '../repository/environments.js';
import { drySHAOf } from '../repository/hydrated.js';
import { planReplay } from '../repository/replay.js';
import { render } from './hydrator.js';
import { commitChange, createDemoRepository, dryBranch } from './repository.js';
import { demoChanges, drySources } from './sources.js';

const time = Date.parse('2026-01-01T00:00:00Z');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-demo-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the demo repository', () => {
  it('renders the overlay of an environment', () => {
    const manifest = render(drySources('1.1.0'), 'prod');
    expect(manifest).toContain('namespace: shop-prod');
    expect(manifest).toContain('replicas: 3');
    expect(manifest).toContain('image: registry.example/shop:1.1.0');
  });

  it('proposes a change to every environment', async () => {
    const repository = await createDemoRepository(join(folder, 'repo.git'), time);
    const drySHA = await commitChange(repository, { message: 'Sell tea', version: '1.1.0' }, time + 1000);
    for (const environment of ['dev', 'test', 'prod']) {
      expect(await drySHAOf(repository, `environments/${environment}-next`)).toBe(drySHA);
      expect(await drySHAOf(repository, `environments/${environment}`)).not.toBe(drySHA);
    }
  });

  it('can be replayed', async () => {
    const repository = await createDemoRepository(join(folder, 'repo.git'), time);
    for (const change of demoChanges.slice(1)) {
      await commitChange(repository, change, time + 1000);
      for (const environment of ['dev', 'test', 'prod']) {
        const branch = `environments/${environment}`;
        await repository.git(['update-ref', `refs/heads/${branch}`, `${branch}-next`]);
      }
    }
    const { live } = await findEnvironments(repository, dryBranch);
    const plan = await planReplay(repository, dryBranch, live, 1);
    expect(live.map(({ branch }) => branch).sort()).toEqual([
      'environments/dev',
      'environments/prod',
      'environments/test',
    ]);
    expect(plan.steps).toHaveLength(1);
    expect(plan.steps[0]?.drySHA).toBe(await repository.resolve(dryBranch));
    expect([...(plan.steps[0]?.proposed.keys() ?? [])].sort()).toEqual([
      'environments/dev-next',
      'environments/prod-next',
      'environments/test-next',
    ]);
    expect(plan.environments.every(({ active, proposed }) => active === proposed)).toBe(true);
  });
});

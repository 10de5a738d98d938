import { describe, expect, it } from '@jest/globals';
import { chooseConfig } from './choose.js';
import { badRoutes, configOf, goodRoutes } from './testing/config.js';

describe('chooseConfig', () => {
  const good = configOf(goodRoutes);
  const bad = configOf(badRoutes, { generation: 2 });
  const before = chooseConfig([good], undefined).inUse;

  it('chooses no configuration if none exists', () => {
    expect(chooseConfig([], before)).toEqual({ problems: [] });
  });

  it('uses a valid configuration', () => {
    expect(chooseConfig([good], undefined)).toMatchObject({
      chosen: 'default',
      problems: [],
      inUse: { name: 'default', generation: 1, spec: good.spec },
    });
  });

  it('prefers the configuration default, or else the first configuration by name', () => {
    const others = ['b', 'a'].map((name) => configOf(goodRoutes, { name }));
    expect(chooseConfig([...others, good], undefined).chosen).toBe('default');
    expect(chooseConfig(others, undefined).chosen).toBe('a');
  });

  it('keeps the last valid spec in use while the configuration is invalid', () => {
    const choice = chooseConfig([bad], before);
    expect(choice).toMatchObject({ chosen: 'default', inUse: { generation: 1, spec: good.spec } });
    expect(choice.problems).toHaveLength(1);
  });

  it('restores the last valid spec from the status', () => {
    const inUse = { generation: 1, since: '2026-01-01T00:00:00Z', routes: 1, spec: { ...good.spec } };
    const kept = chooseConfig([{ ...bad, status: { inUse } }], undefined);
    expect(kept.inUse).toMatchObject({ generation: 1, spec: good.spec });
    const worthless = { ...inUse, spec: { ...bad.spec } };
    expect(chooseConfig([{ ...bad, status: { inUse: worthless } }], undefined).inUse).toBeUndefined();
  });

  it('does not keep the spec of a deleted object with the same name', () => {
    const replaced = configOf(badRoutes, { uid: 'u-2' });
    expect(chooseConfig([replaced], before).inUse).toBeUndefined();
  });
});

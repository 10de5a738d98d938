import { describe, expect, it } from '@jest/globals';
import { Later } from '@interlock/kube';
import { HelmRelease, Kustomization, FluxGitRepository } from '../flux/objects.js';
import { KindReadiness, type OptionalKind } from './kind-readiness.js';
import { now } from './testing/builders.js';

type State = OptionalKind['availability'];

function kinds(first: State, second: State, other: State) {
  const workloads = [
    { kind: Kustomization, availability: first },
    { kind: HelmRelease, availability: second },
  ];
  return { workloads, others: [{ kind: FluxGitRepository, availability: other }] };
}

describe('KindReadiness', () => {
  it.each<[State, State, State, unknown]>([
    ['ready', 'ready', 'ready', 'known'],
    ['ready', 'absent', 'absent', 'known'],
    ['absent', 'absent', 'ready', { reason: 'NotServed', transient: true }],
    ['unknown', 'absent', 'ready', new Later(60_000)],
    ['ready', 'reading', 'ready', new Later(60_000)],
    ['ready', 'ready', 'reading', new Later(60_000)],
  ])(
    'reports what is known of workloads that are %s and %s, and others that are %s',
    (first, second, other, expected) => {
      const { workloads, others } = kinds(first, second, other);
      const knowledge = new KindReadiness(workloads, others).check(now);
      expect({ knowledge }).toMatchObject({ knowledge: expected });
    },
  );

  it('stops waiting after a while, and waits again when everything was known', () => {
    const kustomizations = { kind: Kustomization, availability: 'reading' as State };
    const readiness = new KindReadiness([kustomizations]);
    readiness.check(now);
    expect(readiness.check(now + 59_000)).toEqual(new Later(1000));
    expect(readiness.check(now + 60_000)).toMatchObject({
      reason: 'NotReadable',
      message: expect.stringContaining('kustomizations'),
    });
    kustomizations.availability = 'ready';
    expect(readiness.check(now + 61_000)).toBe('known');
    kustomizations.availability = 'reading';
    expect(readiness.check(now + 62_000)).toEqual(new Later(60_000));
  });
});

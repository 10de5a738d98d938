import { describe, expect, it } from '@jest/globals';
import {
  ActionsGateway,
  finalizers,
  fluxResources,
  Gate,
  GateBinding,
  GitRepository,
  PullRequest,
  runnerFinalizers,
  RunnerGroup,
  SecurityEvent,
  typeMeta,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { ownAnnotations, type HoldMarks } from '@interlock/gating';
import { ClusterRole, CustomResourceDefinition, ValidatingWebhookConfiguration } from '@interlock/kube';
import { decideUninstall, type Step, type UninstallOptions } from './decide.js';
import type { Found, FoundHold, FoundObject, Observed } from './observed.js';

const now = Date.parse('2026-11-22T12:00:00Z');
const since = '2026-11-20T08:00:00Z';

function found(kind: Kind, key: string, more: { metadata?: object } & Record<string, unknown> = {}): Found {
  const [name = '', namespace] = key.split('/').reverse();
  const { metadata, ...rest } = more;
  const object: KubeObject = {
    ...typeMeta(kind),
    metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata },
    ...rest,
  };
  return { kind, object };
}

function ours(kind: Kind, key: string, more?: Parameters<typeof found>[2]): FoundObject {
  return { ...found(kind, key, more), isOurs: true };
}

function binding(key: string): FoundObject {
  return ours(GateBinding, key, { metadata: { finalizers: [finalizers.gateBinding] } });
}

function pull(key: string, status?: object): FoundObject {
  return ours(PullRequest, key, {
    metadata: { finalizers: [finalizers.pullRequest] },
    spec: { title: 't', sourceBranch: 'dev-next', targetBranch: 'dev', state: 'open' },
    ...(status && { status }),
  });
}

function held(key: string, by: readonly string[], more: Partial<HoldMarks> = {}): FoundHold {
  return {
    ...found(fluxResources.GitRepository, key),
    marks: { by, since, isSuspended: true, isPinned: false, ...more },
  };
}

const nothing: Observed = {
  leases: [],
  deployments: [],
  objects: [],
  held: [],
  webhooks: [],
  roles: [],
  definitions: [],
  unread: [],
};

function plan(observed: Partial<Observed>, options: UninstallOptions = {}) {
  return decideUninstall({ ...nothing, ...observed }, options, now);
}

function short({ action, kind, object: { metadata } }: Step): string {
  return `${action} ${kind.kind} ${metadata.name}`;
}

describe('decideUninstall', () => {
  it('plans nothing if nothing is left', () => {
    expect(plan({})).toEqual({ running: [], steps: [], kept: [] });
  });

  it('removes webhooks first, then holds, finalizers, objects, roles and definitions', () => {
    const { steps } = plan(
      {
        objects: [ours(GitRepository, 'apps/repo'), binding('apps/release'), ours(Gate, 'apps/freeze')],
        held: [held('apps/shop', ['release'])],
        webhooks: [found(ValidatingWebhookConfiguration, 'hooks')],
        roles: [found(ClusterRole, 'role')],
        definitions: [found(CustomResourceDefinition, 'gates.gating.toolkit.fluxcd.io')],
      },
      { crds: true },
    );
    expect(steps.map(short)).toEqual([
      'delete ValidatingWebhookConfiguration hooks',
      'release GitRepository shop',
      'removeFinalizers GateBinding release',
      'delete GateBinding release',
      'delete Gate freeze',
      'delete GitRepository repo',
      'delete ClusterRole role',
      'delete CustomResourceDefinition gates.gating.toolkit.fluxcd.io',
    ]);
    expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
  });

  it('removes the finalizers of tenants, and notes what their controllers would have done', () => {
    const { gatewayCleanup, agentPoolCleanup } = runnerFinalizers;
    const { steps } = plan({
      objects: [
        ours(ActionsGateway, 'apps/gateway', { metadata: { finalizers: [gatewayCleanup] } }),
        ours(RunnerGroup, 'apps/gateway-linux', { metadata: { finalizers: [agentPoolCleanup] } }),
      ],
    });
    expect(steps.map((step) => [short(step), step.finalizers, step.note])).toEqual([
      [
        'removeFinalizers ActionsGateway gateway',
        [gatewayCleanup],
        'the objects of its tenant are deleted with it, except its NetworkPolicies',
      ],
      [
        'removeFinalizers RunnerGroup gateway-linux',
        [agentPoolCleanup],
        'its runners stay at GitHub until GitHub removes them as offline runners',
      ],
      ['delete ActionsGateway gateway', undefined, ''],
      ['delete RunnerGroup gateway-linux', undefined, ''],
    ]);
  });

  it('makes a finalizer wait for the release, and a deletion for the finalizer', () => {
    const { steps } = plan({
      objects: [binding('apps/release')],
      held: [held('apps/shop', ['release']), held('apps/blog', ['other'])],
    });
    const [shop, , finalizer, deletion] = steps;
    expect(finalizer?.after).toEqual([shop?.id]);
    expect(deletion?.after).toEqual([finalizer?.id]);
  });

  it('removes no definition unless requested', () => {
    const definitions = [found(CustomResourceDefinition, 'gates.gating.toolkit.fluxcd.io')];
    expect(plan({ definitions }).steps).toEqual([]);
  });

  it('makes a definition wait for the objects of its kind', () => {
    const { steps } = plan(
      {
        objects: [binding('apps/release'), ours(Gate, 'apps/freeze')],
        definitions: [found(CustomResourceDefinition, 'gatebindings.gating.toolkit.fluxcd.io')],
      },
      { crds: true },
    );
    expect(steps.at(-1)?.after).toEqual(
      steps.filter(({ kind }) => kind.kind === GateBinding.kind).map(({ id }) => id),
    );
  });

  it('only removes the finalizer of an object that is being deleted', () => {
    const object = pull('apps/dev');
    object.object.metadata.deletionTimestamp = since;
    expect(plan({ objects: [object] }).steps.map(short)).toEqual(['removeFinalizers PullRequest dev']);
  });

  it('keeps the finalizers that Interlock does not set, and names them', () => {
    const theirs = { metadata: { finalizers: ['example.com/theirs'] } };
    const leaving = { metadata: { ...theirs.metadata, deletionTimestamp: since } };
    const { steps, kept } = plan({
      objects: [ours(Gate, 'apps/freeze', theirs), ours(Gate, 'apps/leaving', leaving)],
    });
    expect(steps.map(({ note, action }) => [action, note])).toEqual([
      ['delete', 'then waits for example.com/theirs, which Interlock does not set'],
    ]);
    expect(kept).toEqual([
      'Gate apps/leaving is being deleted and waits for example.com/theirs, which Interlock does not set',
    ]);
  });

  it('keeps the objects of a kind that another project defines', () => {
    const { steps, kept } = plan({
      objects: [
        { ...found(SecurityEvent, 'se-1'), isOurs: false },
        { ...found(SecurityEvent, 'se-2'), isOurs: false },
      ],
    });
    expect(steps).toEqual([]);
    expect(kept).toEqual([
      'securityevents.security.ugallu.io (2): another project defines the kind, so its objects and its definition stay',
    ]);
  });
});

describe('the step that removes a finalizer', () => {
  const url = 'https://forge/7';
  it.each<[string, object | undefined, string]>([
    [
      'an open pull request',
      { state: 'open', url },
      `the open pull request ${url} stays open; close it at the SCM`,
    ],
    ['a merged pull request', { state: 'merged', url }, `nothing is left to do: ${url} is merged`],
    ['a closed pull request', { state: 'closed', url }, `nothing is left to do: ${url} is closed`],
    [
      'a pull request of unknown state',
      undefined,
      'a pull request from dev-next into dev may be open; search for it at the SCM',
    ],
  ])('describes the effect on a PullRequest: %s', (_case, status, expected) => {
    expect(plan({ objects: [pull('apps/dev', status)] }).steps[0]?.note).toBe(expected);
  });

  it('describes the effect on the objects that a GateBinding holds', () => {
    const note = (objects: FoundHold[], options?: UninstallOptions) =>
      plan({ objects: [binding('apps/release')], held: objects }, options).steps.find(
        ({ action }) => action === 'removeFinalizers',
      )?.note;
    expect(note([])).toBe('it holds nothing');
    expect(note([held('apps/shop', ['release'])])).toBe('first releases GitRepository apps/shop');
    expect(note([held('apps/shop', ['release'])], { keepHolds: true })).toBe(
      'leaves GitRepository apps/shop held',
    );
    expect(note(['a', 'b', 'c', 'd', 'e'].map((name) => held(`apps/${name}`, ['release'])))).toBe(
      'first releases GitRepository apps/a, GitRepository apps/b, GitRepository apps/c and 2 more',
    );
  });
});

describe('the plan for held objects', () => {
  it.each<[string, FoundHold, string]>([
    [
      'is resumed',
      held('apps/shop', ['release'], { revision: 'main@sha1:a' }),
      `resumes it, and Flux applies the waiting revision; held by release since ${since} at main@sha1:a`,
    ],
    [
      'loses its pin',
      held('apps/shop', ['release', ownAnnotations], { isPinned: true, isSuspended: false }),
      `removes the pin of spec.ref, and Flux applies the waiting revision; held by release, its own annotations since ${since}`,
    ],
    [
      'no known binding holds',
      held('apps/shop', [], { since: '' }),
      'resumes it, and Flux applies the waiting revision; held',
    ],
  ])('releases a held object, which %s', (_case, object, note) => {
    expect(plan({ held: [object] }).steps).toMatchObject([{ action: 'release', note }]);
  });

  it('does not release a held object with --keep-holds', () => {
    expect(plan({ held: [held('apps/shop', ['release'])] }, { keepHolds: true })).toMatchObject({
      steps: [],
      kept: ['GitRepository apps/shop stays suspended (--keep-holds), until a user resumes it'],
    });
  });

  it.each<[string, FoundHold, string[], number]>([
    [
      'releases an object of the namespace',
      held('apps/shop', ['release']),
      ['release GitRepository shop'],
      0,
    ],
    [
      'releases an object of the namespace that its own annotations hold',
      held('apps/shop', [ownAnnotations]),
      ['release GitRepository shop'],
      0,
    ],
    [
      'releases an object of another namespace that only a binding of the namespace holds',
      held('web/shop', ['apps/release']),
      ['release GitRepository shop'],
      0,
    ],
    [
      'keeps an object of another namespace that bindings of both namespaces hold',
      held('web/shop', ['apps/release', 'release']),
      [],
      1,
    ],
    [
      'keeps an object of another namespace that its own annotations also hold',
      held('web/shop', ['apps/release', ownAnnotations]),
      [],
      1,
    ],
    [
      'keeps an object of the namespace that a binding of another namespace also holds',
      held('apps/shop', ['release', 'web/all']),
      [],
      1,
    ],
    [
      'omits an object of another namespace that only a binding of that namespace holds',
      held('web/shop', ['release']),
      [],
      0,
    ],
  ])('for one namespace, %s', (_case, object, steps, kept) => {
    const decided = plan({ namespace: 'apps', held: [object] });
    expect(decided.steps.map(short)).toEqual(steps);
    expect(decided.kept).toHaveLength(kept);
  });
});

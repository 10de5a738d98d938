import { describe, expect, it } from '@jest/globals';
import { annotations, GateBinding } from '@interlock/api';
import { Problem } from '@interlock/base';
import type { FluxObject } from '@interlock/gating';
import type { BindingVerdict } from '../actuator.js';
import { kindsOf } from './kinds.js';
import { reportOf } from './report.js';
import {
  binding,
  fluxObject,
  held,
  indexOfBindings,
  managed,
  objectsOf,
  ours,
  relatedIn,
  since,
  verdict,
} from './testing/builders.js';

const now = Date.UTC(2026, 10, 21);
const revision = `main@sha1:${'a'.repeat(40)}`;
const suspended = { 'f:suspend': {} };
const holding = fluxObject({
  revision,
  spec: { suspend: true },
  notes: held(revision),
  managedFields: [ours(suspended)],
});

interface Parts {
  of?: GateBinding;
  said?: BindingVerdict;
  failures?: Record<string, Problem>;
  absent?: string[];
  unread?: string[];
}

function report(targets: readonly FluxObject[], parts: Parts = {}) {
  const { of = binding(), said = verdict('Closed'), failures = {}, absent = [], unread = [] } = parts;
  const gated = { objects: objectsOf(...targets), bindings: indexOfBindings(of) };
  return reportOf(
    {
      binding: of,
      verdict: said,
      targets,
      gated,
      related: relatedIn(...targets),
      deciders: [of],
      failureOf: ({ metadata }) => failures[metadata.name],
      absent,
      unread,
    },
    now,
  );
}

describe('the report of a binding', () => {
  it('lists the held objects with the time and the revision of each hold', () => {
    expect(report([holding, fluxObject({ name: 'free' })])).toEqual({
      holds: [{ kind: 'GitRepository', name: 'shop', since, revision, confirmed: true }],
      targetCount: 2,
      heldCount: 1,
      conditions: [],
    });
  });

  it.each([
    ['time', { [annotations.heldSince]: 'yesterday' }],
    ['day', { [annotations.heldSince]: '2026-02-30T00:00:00Z' }],
    ['revision', { [annotations.heldRevision]: `${'b/'.repeat(600)}x@sha1:${'a'.repeat(40)}` }],
  ])('is valid for the API server after a user has written an unusual %s into the object', (_case, notes) => {
    const spec = { suspend: true, ref: { branch: 'c'.repeat(1_000) } };
    const object = fluxObject({ revision, spec, notes: { ...held(revision), ...notes } });
    const status = { holds: report([object]).holds };
    expect(GateBinding.status.safeParse(status).error).toBeUndefined();
  });

  it.each([
    ['the spec has not been observed', { ...holding, status: { observedGeneration: 1, revision } }],
    [
      'a pinned source has yet to fetch',
      fluxObject({
        revision,
        spec: { ref: { branch: 'main', commit: 'b'.repeat(40) } },
        notes: held(revision),
        managedFields: [ours({ 'f:ref': { 'f:commit': {} } })],
      }),
    ],
  ])('is not confirmed while %s', (_case, object) => {
    expect(report([object]).holds).toMatchObject([{ confirmed: false }]);
  });

  it('counts all held objects and lists 256 of them', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      fluxObject({ name: `shop-${index}`, spec: { suspend: true }, notes: held(revision) }),
    );
    expect(report(many)).toMatchObject({ targetCount: 300, heldCount: 300 });
    expect(report(many).holds).toHaveLength(256);
  });

  it('lists objects that cannot be held first, and names the permission', () => {
    const message =
      'cannot hold the object: User "x" cannot patch resource "gitrepositories" in API group "source.toolkit.fluxcd.io"';
    const failures = { stuck: new Problem('Forbidden', message) };
    const { holds, problem } = report([holding, fluxObject({ name: 'stuck', revision })], { failures });
    expect(holds).toMatchObject([{ name: 'stuck', confirmed: false, message }, { name: 'shop' }]);
    expect(problem).toMatchObject({ reason: 'Forbidden', message: `GitRepository/apps/stuck: ${message}` });
  });

  it('shows an object only in the binding that holds it', () => {
    const notes = held(revision, 'other');
    expect(report([fluxObject({ spec: { suspend: true }, notes })])).toMatchObject({
      heldCount: 0,
      holds: [],
    });
  });

  it('describes a conflict with a manifest and the correction', () => {
    const notes = { ...held(revision), [annotations.heldAgainst]: `kustomize-controller ${since}` };
    const object = fluxObject({ spec: { suspend: true }, notes, managedFields: [ours(suspended)] });
    const { conditions, holds } = report([object]);
    expect(conditions).toMatchObject([
      {
        type: 'Conflict',
        status: 'True',
        message: expect.stringContaining('remove the field from the manifest'),
      },
    ]);
    expect(holds).toMatchObject([{ message: expect.stringContaining(`last at ${since}`) }]);
  });

  it('names the other managers that suspended an object', () => {
    const object = fluxObject({
      spec: { suspend: true },
      notes: held(revision),
      managedFields: [ours(suspended), managed('flux', 'Update', suspended)],
    });
    expect(report([object]).holds).toMatchObject([{ message: expect.stringContaining('by flux') }]);
  });

  it.each([
    ['Suspend', 'c'.repeat(40), 'mode Suspend cannot do'],
    ['Pin', 'cccc', 'does not contain a full commit SHA or digest'],
  ] as const)('reports an approval that mode %s cannot apply', (mode, approved, message) => {
    const said = verdict('Closed', [approved]);
    const { holds } = report([holding], { of: binding({ mode }), said });
    expect(holds).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  it('lists the objects that mode Observe would hold, with the time of their first observation', () => {
    const of = binding({ mode: 'Observe' });
    const free = fluxObject({ revision });
    expect(report([free], { of })).toMatchObject({
      heldCount: 1,
      holds: [{ name: 'shop', revision, confirmed: false, since: '2026-11-21T00:00:00Z' }],
    });
    const hold = { kind: 'GitRepository' as const, name: 'shop', since, confirmed: false };
    const known = { ...of, status: { holds: [hold] } };
    expect(report([free], { of: known }).holds).toMatchObject([{ since }]);
    expect(report([free], { of, said: verdict('Open') })).toMatchObject({ heldCount: 0, holds: [] });
  });

  it('names kinds that are not served, and kinds that cannot be read', () => {
    expect(report([], { absent: ['buckets.x'] }).notice).toContain('does not serve buckets.x');
    expect(report([], { unread: ['buckets.x'] }).problem?.message).toContain('get, list and watch');
  });
});

describe('kindsOf', () => {
  it('includes the kinds that the scope adds', () => {
    const targets = [{ kind: 'HelmRepository' as const }, { kind: 'GitRepository' as const }];
    expect(kindsOf(binding({ targets }))).toEqual(['HelmRepository', 'GitRepository', 'HelmChart']);
    expect(kindsOf(binding({ scope: 'All' }))).toEqual(['GitRepository', 'Kustomization', 'HelmRelease']);
  });
});

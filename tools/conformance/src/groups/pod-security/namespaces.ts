import { expect } from 'expect';
import { eventually } from '../../suite/callers.js';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import { securedNamespace, securityLabels } from '../../suite/pod-security.js';
import { podOfAccount } from '../../suite/account-pods.js';
import type { Scope } from '../../suite/scope.js';
import { create } from '../../suite/write.js';

function label(scope: Scope, path: string, labels: Record<string, string>) {
  return scope.api.patch(path, 'merge', { metadata: { labels: securityLabels(labels) } });
}

/** Declares the rules about the labels of namespaces that state the level of their pods. */
export function namespaceRules(rule: Rule): void {
  rule('refuses labels that name no level or version', async (scope) => {
    const { path } = await securedNamespace(scope, {});
    const refused = await label(scope, path, { enforce: 'strict', 'warn-version': '1.30' });
    expectInvalid(refused, {
      'metadata.labels[pod-security.kubernetes.io/enforce]': 'FieldValueInvalid',
      'metadata.labels[pod-security.kubernetes.io/warn-version]': 'FieldValueInvalid',
    });
    expect(refused.body.message).toContain('must be one of privileged, baseline, restricted');
    expect(refused.body.message).toContain('must be "latest" or "v1.x"');
    const name = scope.name('bad');
    const metadata = { name, labels: securityLabels({ audit: 'none' }) };
    scope.deleteAfterwards(`/api/v1/namespaces/${name}`);
    const created = await scope.api.post('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata,
    });
    expectInvalid(created, { 'metadata.labels[pod-security.kubernetes.io/audit]': 'FieldValueInvalid' });
  });

  rule('warns about the pods of a namespace that a stricter level forbids', async (scope) => {
    const { name, path } = await securedNamespace(scope, {});
    /* The pods do not start, because their node does not exist. */
    const spec = { nodeSelector: { 'conformance.interlock.dev/node': 'none' } };
    await create(scope, `${path}/pods`, podOfAccount('one', { ...spec, hostNetwork: true }));
    await create(scope, `${path}/pods`, podOfAccount('two', { ...spec, hostNetwork: true }));
    await create(scope, `${path}/pods`, podOfAccount('three', spec));
    const expected = [
      `existing pods in namespace "${name}" violate the new PodSecurity enforce level "baseline:latest"`,
      'one (and 1 other pod): host namespaces',
    ];
    const query = { dryRun: 'All' };
    const labels = securityLabels({ enforce: 'baseline' });
    const warned = await eventually(
      () => scope.api.patch(path, 'merge', { metadata: { labels } }, { query }),
      ({ warnings }) => warnings.some((text) => text.startsWith('one (and 1')),
    );
    expect({ status: warned.status, warnings: warned.warnings }).toEqual({ status: 200, warnings: expected });
  });

  rule('does not check the pods of a namespace again when they change otherwise', async (scope) => {
    const { path } = await securedNamespace(scope, {});
    const spec = { nodeSelector: { 'conformance.interlock.dev/node': 'none' }, hostNetwork: true };
    await create(scope, `${path}/pods`, podOfAccount('one', spec));
    expect((await label(scope, path, { enforce: 'restricted' })).status).toBe(200);
    const query = { dryRun: 'All' };
    await eventually(
      () => scope.api.post(`${path}/pods`, podOfAccount('late', spec), { query }),
      ({ status }) => status === 403,
    );
    const labelled = await scope.api.patch(`${path}/pods/one`, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(labelled.status).toBe(200);
    const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'example.com/pause:2.0' }];
    expect((await scope.api.patch(`${path}/pods/one`, 'json', image)).status).toBe(403);
  });
}

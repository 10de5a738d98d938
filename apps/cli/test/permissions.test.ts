import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GateOverride } from '@interlock/api';
import { Fixture } from './harness/fixture.js';

const namespace = 'flux-system';
let fixture: Fixture;

/* The permissions that docs/gate-access.md grants for one gate. */
const objects = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: change-freeze }
spec: { closed: true }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: opener }
rules:
  - apiGroups: [gating.toolkit.fluxcd.io]
    resources: [gates]
    resourceNames: [change-freeze]
    verbs: [get, open, close, approve]
  - apiGroups: [gating.toolkit.fluxcd.io]
    resources: [gateoverrides]
    verbs: [get, list, create, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: opener }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: opener }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: eve }]
`;

beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.apply(objects);
});
afterAll(() => fixture.close());

test('opens a gate for a user who may not read what it holds, and warns about that', async () => {
  const opened = await fixture.gate(['open', 'change-freeze', 'CVE', '--for', '5m', '--as', 'eve']);
  expect(opened.stderr).toContain('⚠️ what Gate change-freeze holds was not checked: ');
  expect(opened.stderr).toContain('cannot list resource "gatebindings"');
  expect(opened.stderr).toContain('✔ Gate change-freeze opened for 5m: CVE\n');
  expect(opened.code).toBe(0);
  const { items } = await fixture.client.list(GateOverride, { namespace });
  expect(items.map(({ spec }) => spec.effect)).toEqual(['Open']);
});

test('refuses a group without a user to impersonate, instead of acting with the own permissions', async () => {
  const { code, stdout, stderr } = await fixture.gate(['get', 'gates', '--as-group', 'auditors']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^✗ groups, a UID or extra fields are impersonated without a user; set --as, or /);
});

import { describe, expect, it } from '@jest/globals';
import { builtinKinds } from '../../builtin/index.js';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { checkedStatus } from './decide.js';

function policy(spec: JsonObject, status: JsonObject = {}): KubeObject {
  const rules = [
    { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments', 'deployments/scale'] },
  ];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p', generation: 2 },
    spec: { matchConstraints: { resourceRules: rules }, ...spec },
    status,
  };
}

function warningsFor(spec: JsonObject): unknown {
  const status = checkedStatus(policy(spec), builtinKinds);
  expect(status).toMatchObject({ observedGeneration: 2 });
  return (status?.['typeChecking'] as JsonObject)['expressionWarnings'];
}

describe('checkedStatus', () => {
  it('does not check a generation again', () => {
    expect(checkedStatus(policy({}, { observedGeneration: 2 }), builtinKinds)).toBeUndefined();
  });

  it.each([
    "object.spec.replicas > 1 && object.metadata.labels['a'] == 'b'",
    "object.spec.template.spec.containers.all(c, c.image != '')",
    "variables.replicas == 1 && authorizer.path('/').check('get').allowed()",
  ])('finds no problem with %s', (expression) => {
    const variables = [{ name: 'replicas', expression: 'object.spec.replicas' }];
    expect(warningsFor({ variables, validations: [{ expression }] })).toBeUndefined();
  });

  it('reports fields that the objects or the parameters do not have, and types that do not match', () => {
    const validations = [
      { expression: 'object.replicas > 1', messageExpression: 'object.metadata.nam' },
      { expression: "object.spec.replicas > '1'" },
      { expression: 'params.dat.a == 1' },
    ];
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(warningsFor({ paramKind, validations })).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning: `apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n`,
      },
      {
        fieldRef: 'spec.validations[0].messageExpression',
        warning: expect.stringContaining("undefined field 'nam'"),
      },
      {
        fieldRef: 'spec.validations[1].expression',
        warning: expect.stringContaining("found no matching overload for '_>_' applied to '(int, string)'"),
      },
      {
        fieldRef: 'spec.validations[2].expression',
        warning: expect.stringContaining("undefined field 'dat'"),
      },
    ]);
  });

  it('does not check resources that are selected by wildcards', () => {
    const resourceRules = [{ apiGroups: ['*'], apiVersions: ['v1'], resources: ['deployments'] }];
    const validations = [{ expression: 'object.nothing' }];
    expect(warningsFor({ matchConstraints: { resourceRules }, validations })).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { limitRange } from './limit-range/kind.js';
import { priorityClass } from './priority-class.js';
import { resourceQuota } from './resource-quota/kind.js';

const object = (fields: JsonObject, name = 'x'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'K',
  metadata: { name },
  ...fields,
});

function problems({ strategy }: typeof resourceQuota, one: KubeObject, old?: KubeObject): string[] {
  const causes = [
    ...(strategy.validate?.(one, old) ?? []),
    ...(old === undefined ? [] : (strategy.validateUpdate?.(one, old) ?? [])),
  ];
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('ResourceQuota', () => {
  const selector = (scopeName: string, operator: string, ...values: string[]): JsonObject => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator, values }] },
  });

  it.each<[JsonObject, string[]]>([
    [
      {
        hard: {
          'requests.cpu': '1',
          'count/jobs.batch': '1',
          'requests.example.com/gpu': '1',
          'hugepages-2Mi': '1Gi',
        },
      },
      [],
    ],
    [
      { hard: { bogus: '1' } },
      [
        'spec.hard[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified',
        'spec.hard[bogus]: Invalid value: "bogus": must be a standard resource for quota',
      ],
    ],
    [
      { hard: { storage: '1' } },
      ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'],
    ],
    [{ hard: { cpu: '-1' } }, ['spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0']],
    [{ hard: { pods: '500m' } }, ['spec.hard[pods]: Invalid value: "500m": must be an integer']],
    [{ hard: { pods: '1', cpu: '1' }, scopes: ['Terminating'] }, []],
    [{ scopes: ['Often'] }, ['spec.scopes: Invalid value: ["Often"]: unsupported scope']],
    [
      { hard: { secrets: '1' }, scopes: ['NotTerminating'] },
      ['spec.scopes: Invalid value: ["NotTerminating"]: unsupported scope applied to resource'],
    ],
    [
      { hard: { cpu: '1' }, scopes: ['BestEffort'] },
      ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
    ],
    [
      { scopes: ['BestEffort', 'NotBestEffort'] },
      ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
    ],
    [selector('PriorityClass', 'In', 'high'), []],
    [
      selector('PriorityClass', 'In'),
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
    [
      selector('PriorityClass', 'Exists', 'high'),
      [
        "spec.scopeSelector.matchExpressions.values: Invalid value: [\"high\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      ],
    ],
    [
      selector('PriorityClass', 'Equals'),
      [
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Equals": not a valid selector operator',
      ],
    ],
    [
      selector('Terminating', 'DoesNotExist'),
      [
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "DoesNotExist": must be \'Exist\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
      ],
    ],
  ])('is validated with the spec %j', (spec, expected) => {
    expect(problems(resourceQuota, object({ spec }))).toEqual(expected);
  });

  it('does not allow a change of its scopes', () => {
    const old = object({ spec: { scopes: ['Terminating', 'BestEffort'] } });
    expect(problems(resourceQuota, object({ spec: { scopes: ['BestEffort', 'Terminating'] } }), old)).toEqual(
      [],
    );
    expect(problems(resourceQuota, object({ spec: {} }), old)).toEqual([
      'spec.scopes: Invalid value: []: field is immutable',
    ]);
  });
});

describe('LimitRange', () => {
  const type = 'Container';

  it.each<[JsonObject[], string[]]>([
    [
      [
        { type, max: { cpu: '1' } },
        { type: 'Pod', min: { cpu: '1' } },
      ],
      [],
    ],
    [
      [{ type: 'Node' }],
      ['[0].type: Invalid value: "Node": must be a standard limit type or fully qualified'],
    ],
    [[{ type }, { type }], ['[1].type: Duplicate value: "Container"']],
    [
      [{ type, max: { storage: '1' } }],
      ['[0].max[storage]: Invalid value: "storage": must be a standard resource for containers'],
    ],
    [
      [{ type: 'Pod', default: { cpu: '1' } }],
      ["[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
    ],
    [
      [{ type: 'PersistentVolumeClaim' }],
      [
        '[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    ],
    [
      [{ type, min: { cpu: '2' }, max: { cpu: '1' } }],
      ['[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
    ],
    [
      [{ type, default: { cpu: '1' }, defaultRequest: { cpu: '2' } }],
      [
        '[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
      ],
    ],
    [
      [{ type, min: { cpu: '2' }, default: { cpu: '1' } }],
      ['[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1'],
    ],
    [
      [{ type, maxLimitRequestRatio: { cpu: '500m' } }],
      ['[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
    ],
    [
      [{ type, min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }],
      ['[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
    ],
    [
      [{ type, default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } }],
      [
        '[0].defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
      ],
    ],
  ])('is validated with the limits %j', (limits, expected) => {
    expect(problems(limitRange, object({ spec: { limits } }))).toEqual(
      expected.map((problem) => `spec.limits${problem}`),
    );
  });

  it.each<[JsonObject, JsonObject]>([
    [{ max: { cpu: '2' } }, { default: { cpu: '2' }, defaultRequest: { cpu: '2' } }],
    [{ min: { cpu: '1' }, default: { cpu: '2' } }, { defaultRequest: { cpu: '2' } }],
    [{ min: { cpu: '1' } }, { defaultRequest: { cpu: '1' } }],
  ])('completes the defaults of containers that %j omits', (stated, added) => {
    const one = object({
      spec: {
        limits: [
          { type, ...stated },
          { type: 'Pod', ...stated },
        ],
      },
    });
    limitRange.strategy.defaults?.(one);
    expect(one['spec']).toEqual({
      limits: [
        { type, ...stated, ...added },
        { type: 'Pod', ...stated },
      ],
    });
  });
});

describe('PriorityClass', () => {
  const preemptionPolicy = 'PreemptLowerPriority';
  const reserved =
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ";

  it.each<[string, JsonObject, string[]]>([
    ['high', { value: 1_000_000_000 }, []],
    ['low', { value: -5 }, []],
    [
      'high',
      { value: 1_000_000_001 },
      ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ],
    ['system-mine', { value: 1 }, [`${reserved}system-mine is not a known system priority class`]],
    ['system-node-critical', { value: 2_000_001_000 }, []],
    [
      'system-node-critical',
      { value: 1 },
      [`${reserved}value of system-node-critical PriorityClass must be 2000001000`],
    ],
    [
      'system-node-critical',
      { value: 2_000_001_000, globalDefault: true },
      [`${reserved}globalDefault of system-node-critical PriorityClass must be false`],
    ],
    [
      'high',
      { value: 1, preemptionPolicy: 'Sometimes' },
      ['preemptionPolicy: Unsupported value: "Sometimes": supported values: "PreemptLowerPriority", "Never"'],
    ],
  ])('is validated with the name %s and the fields %j', (name, fields, expected) => {
    expect(problems(priorityClass, object({ preemptionPolicy, ...fields }, name))).toEqual(expected);
  });

  it('does not allow a change of its value or its policy', () => {
    const old = object({ value: 1, preemptionPolicy });
    expect(problems(priorityClass, object({ value: 2, preemptionPolicy: 'Never' }), old)).toEqual([
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]);
  });
});

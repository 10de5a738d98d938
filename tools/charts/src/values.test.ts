import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { runnerCharts } from './render.js';
import {
  allCharts,
  apps,
  describeWithHelm,
  root,
  useWorkshop,
  type Chart,
  type Values,
} from './testing/workshop.js';

interface Schema {
  type?: string;
  additionalProperties?: unknown;
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  [keyword: string]: unknown;
}

const read = (chart: Chart, file: string): string => readFileSync(join(root, 'charts', chart, file), 'utf8');
const schemaOf = (chart: Chart): Schema => JSON.parse(read(chart, 'values.schema.json')) as Schema;

/* Values that Helm adds to a chart with dependencies. */
const ofHelm = ['global', 'interlock-lib'];

/** Returns the paths of all properties in a schema. */
function pathsOf(schema: Schema, whole: Schema, prefix = ''): string[] {
  const reference = typeof schema['$ref'] === 'string' ? /^#\/definitions\/(.+)$/.exec(schema['$ref']) : null;
  const target = reference ? (whole.definitions?.[reference[1] ?? ''] ?? {}) : schema;
  return Object.entries(target.properties ?? {}).flatMap(([name, property]) => [
    prefix + name,
    ...pathsOf(property, whole, `${prefix}${name}.`),
  ]);
}

const at = (values: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], values);

it('the tests of values cover each chart', () => {
  const present = readdirSync(join(root, 'charts')).filter((name) => !name.startsWith('.'));
  expect(present.sort()).toEqual([...allCharts, 'interlock-lib', 'rendered'].sort());
});

describe.each(allCharts)('the values of %s', (chart) => {
  const schema = schemaOf(chart);

  it('have a default for every property of the schema', () => {
    const values: unknown = parse(read(chart, 'values.yaml'));
    const missing = pathsOf(schema, schema).filter(
      (path) => !ofHelm.includes(path) && at(values, path) === undefined,
    );
    expect(missing).toEqual([]);
  });

  it('do not allow additional properties if the schema names properties', () => {
    const open: string[] = [];
    JSON.stringify(schema, (key, value: Schema) => {
      const conditional = key === 'if' || key === 'then';
      if (typeof value === 'object' && value.type === 'object' && value.properties && !conditional)
        if (value.additionalProperties !== false) open.push(key);
      return value;
    });
    expect(open).toEqual([]);
  });
});

/* Values that only one app has. */
const own = [
  'commitStatusTtl',
  'scmHosts',
  'allowHttp',
  'gitProcessMebibytes',
  'stateTtl',
  'auditTtl',
  'auditKeySecret',
  'calendarHosts',
  'readResources',
];

/* Peers of the apps in addition to the API server. */
function withoutPeers({ scm: _scm, calendars: _calendars, ...common }: Record<string, Schema>) {
  return common;
}

it('the shared values have the same schema in the chart of every app', () => {
  const [first, ...others] = apps.map(schemaOf);
  for (const { properties = {}, definitions } of others) {
    expect(definitions).toEqual(first?.definitions);
    for (const [name, property] of Object.entries(first?.properties ?? {})) {
      if (own.includes(name)) continue;
      if (name !== 'networkPolicy') expect([name, properties[name]]).toEqual([name, property]);
      else expect(properties[name]?.properties).toMatchObject(withoutPeers(property.properties ?? {}));
    }
  }
});

it.each([...apps, ...runnerCharts])('the chart %s accepts the log levels that its app accepts', (app) => {
  const program = join(root, 'apps', app, 'dist/main.mjs');
  const help = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8', timeout: 30_000 });
  const levels = /--log-level <([a-z|]+)>/.exec(help)?.[1]?.split('|') ?? [];
  const accepted = schemaOf(app).properties?.['logLevel']?.['enum'] as string[];
  expect([...accepted].sort()).toEqual(levels.sort());
  const text = `${accepted.slice(0, -1).join(', ')} or ${accepted.at(-1)}.`;
  expect(read(app, 'values.yaml')).toContain(`# Log level: ${text}`);
});

describeWithHelm('values that do not match the schema', () => {
  const workshop = useWorkshop();

  const webhooks = (more: object): Values => ({ webhooks: more });
  const readingSecrets = { locate: { subjects: [{ apiGroups: [''], resources: ['secrets'] }] } };
  const cases: [Chart, Values, string][] = [
    ['promoter', { replica: 3 }, 'Additional property replica is not allowed'],
    ['promoter', { replicas: -1 }, 'replicas: Must be greater than or equal to 0'],
    ['promoter', { replicas: 2, leaderElect: false }, 'replicas: Must be less than or equal to 1'],
    ['promoter', { image: { digest: 'sha256:12' } }, 'image.digest: Does not match pattern'],
    ['promoter', { image: { repository: '' } }, 'image.repository: String length'],
    ['promoter', { logLevel: 'loud' }, 'logLevel must be one of the following: "fatal", "error"'],
    ['promoter', { gracePeriodSeconds: '25s' }, 'gracePeriodSeconds: Invalid type. Expected: integer'],
    ['promoter', { pollInterval: '60' }, 'pollInterval: Does not match pattern'],
    ['promoter', { gitProcessMebibytes: 16 }, 'gitProcessMebibytes: Must be greater than or equal to 64'],
    ['promoter', { extraArgs: ['poll-interval=5s'] }, 'extraArgs.0: Does not match pattern'],
    ['promoter', { extraEnv: [{ value: 'x' }] }, 'extraEnv.0: name is required'],
    ['promoter', { resources: { limit: {} } }, 'resources: Additional property limit is not allowed'],
    ['promoter', { cache: { maxGibibytes: 0 } }, 'cache.maxGibibytes: Must be greater than or equal to 1'],
    ['promoter', webhooks({ ingress: { enabled: true } }), 'webhooks.ingress.host: String length'],
    [
      'promoter',
      webhooks({ httpRoute: { enabled: true } }),
      'webhooks.httpRoute.parentRefs: Array must have',
    ],
    ['promoter', { networkPolicy: { scm: { ports: [0] } } }, 'networkPolicy.scm.ports.0: Must be greater'],
    ['commit-status-sync', webhooks({}), 'Additional property webhooks is not allowed'],
    ['gate-controller', { stateTtl: 'soon' }, 'stateTtl: Does not match pattern'],
    ['gate-controller', { calendarHosts: ['https://x'] }, 'calendarHosts.0: Does not match pattern'],
    ['gate-controller', { readResources: [{ apiGroup: '' }] }, 'readResources.0: resources is required'],
    [
      'gate-controller',
      { readResources: [{ apiGroup: '', resources: ['secrets'] }] },
      'readResources.0.resources.0: Must not validate the schema (not)',
    ],
    [
      'gate-controller',
      { readResources: [{ apiGroup: '', resources: ['*'] }] },
      'resources.0: Does not match',
    ],
    [
      'gate-controller',
      { readResources: [{ apiGroup: '*', resources: ['pods'] }] },
      'apiGroup: Does not match',
    ],
    ['promoter', { scmHosts: ['https://git.example.com'] }, 'scmHosts.0: Does not match pattern'],
    ['gitops-responder', { responderName: 'A' }, 'responderName: Does not match pattern'],
    ['gitops-responder', webhooks({ ingress: { enabled: true } }), 'webhooks.ingress.host: String length'],
    ['gitops-responder', { maxAttempts: -1 }, 'maxAttempts: Must be greater'],
    ['gitops-responder', readingSecrets, 'locate.subjects.0.resources.0: Must not validate the schema (not)'],
    ['interlock', { promotor: {} }, 'Additional property promotor is not allowed'],
    ['interlock', { promoter: { replica: 3 } }, 'Additional property replica is not allowed'],
    ['interlock-crds', { keep: false }, 'Additional property keep is not allowed'],
  ];
  it.each(cases)('are refused by the chart %s: %j', async (chart, values, message) => {
    await expect(workshop.render(chart, values)).rejects.toThrow(message);
  });
});

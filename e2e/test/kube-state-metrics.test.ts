import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface Definition {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

type Labels = Record<string, string[]>;

interface Source {
  path?: string[];
  labelsFromPath?: Labels;
  valueFrom?: string[];
}

interface Config {
  kind: string;
  spec: {
    resources: {
      groupVersionKind: { group: string; version: string; kind: string };
      labelsFromPath: Labels;
      metrics: { name: string; each: { type: string; info?: Source; gauge?: Source } }[];
    }[];
  };
}

const crdFolder = new URL('../../charts/interlock-crds/crds/', import.meta.url);

async function schemas(): Promise<Map<string, Schema>> {
  const files = await readdir(crdFolder);
  const found = new Map<string, Schema>();
  for (const file of files) {
    const { spec } = parse(await readFile(new URL(file, crdFolder), 'utf8')) as Definition;
    for (const { name, schema } of spec.versions)
      found.set(`${spec.group}/${name} ${spec.names.kind}`, schema.openAPIV3Schema);
  }
  return found;
}

/**
 * Resolves a path of the configuration, in which `[type=Ready]` selects an item of a list. Returns undefined if it does
 * not exist.
 */
function follow(schema: Schema | undefined, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>((at, part) => {
    if (part.startsWith('[')) return at?.items;
    return at?.properties?.[part];
  }, schema);
}

it('docs/examples/kube-state-metrics.yaml reads only fields that the resources have', async () => {
  const text = await readFile(
    new URL('../../docs/examples/kube-state-metrics.yaml', import.meta.url),
    'utf8',
  );
  const config = parse(text) as Config;
  expect(config.kind).toBe('CustomResourceStateMetrics');
  const known = await schemas();
  const missing: string[] = [];
  for (const { groupVersionKind: kind, labelsFromPath, metrics } of config.spec.resources) {
    const name = `${kind.group}/${kind.version} ${kind.kind}`;
    const schema = known.get(name);
    const check = (from: Schema | undefined, path: readonly string[]): void => {
      if (follow(from, path) === undefined) missing.push(`${name}: ${path.join('.')}`);
    };
    if (schema === undefined) missing.push(name);
    for (const path of Object.values(labelsFromPath)) expect(path[0]).toBe('metadata');
    for (const { each } of metrics) {
      const { path = [], labelsFromPath: labels = {}, valueFrom } = each.info ?? each.gauge ?? {};
      if (path.length > 0) check(schema, path);
      const from = path.length > 0 ? follow(schema, path)?.items : schema;
      for (const label of Object.values(labels)) check(from, label);
      if (valueFrom !== undefined) check(from, valueFrom);
    }
  }
  expect(missing).toEqual([]);
  expect(config.spec.resources.length).toBeGreaterThan(0);
});

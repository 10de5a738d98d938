import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { apps } from '../../tools/bundle/run.mjs';

/** What esbuild reports about a bundle. */
interface Metafile {
  outputs: Record<
    string,
    {
      bytes: number;
      imports: { path: string; kind: string }[];
      inputs: Record<string, { bytesInOutput: number }>;
    }
  >;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
/* A process compiles this much source before it does anything, and keeps it in memory. */
const maxBytes = 3 * 1024 * 1024;
/* What esbuild would include if tools/bundle/slim.mjs named a module that a new version of a package does not have. */
const leftOut = ['@fastify/ajv-compiler', 'ajv', 'node-fetch', 'socks', 'tr46', 'ws', 'zod/v4/locales/de.js'];
/* What is loaded when it is needed. */
const loadedLater = ['@gitbeaker/core', '@opentelemetry/sdk-node', '@peculiar/x509', 'selfsigned'];

/** Returns the files of a bundle that are loaded at its start: its program, and what that imports statically. */
function loadedAtStart(app: string): Metafile['outputs'][string][] {
  const path = `${root}apps/${app}/dist/meta.json`;
  const { outputs } = JSON.parse(readFileSync(path, 'utf8')) as Metafile;
  /* The program of an image is in a file that `main.mjs` loads. */
  const programs = ['app', 'main'].map((name) => `apps/${app}/dist/${name}.mjs`);
  const reached = new Set(programs.filter((path) => path in outputs).slice(0, 1));
  for (const file of reached) {
    for (const { path: imported, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && imported in outputs) reached.add(imported);
    }
  }
  return [...reached].map((file) => outputs[file]).filter((output) => output !== undefined);
}

describe.each(apps)('what %s loads at its start', (app) => {
  const outputs = loadedAtStart(app);

  it.each([...leftOut, ...loadedLater])('does not include %s', (name) => {
    const inputs = outputs.flatMap(({ inputs }) => Object.entries(inputs));
    const found = inputs.filter(
      ([path, { bytesInOutput }]) => bytesInOutput > 0 && `${path}/`.includes(`node_modules/${name}/`),
    );
    expect(found).toEqual([]);
  });

  it('is small', () => {
    expect(outputs.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(maxBytes);
  });
});

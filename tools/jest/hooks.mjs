import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform, version } from 'esbuild';
import { workerModule, workerSource } from '../bundle/worker-source.mjs';

const globals = new URL('./globals.mjs', import.meta.url).href;
const typescript = /\.ts$/;
const relative = /^\.{1,2}\//;

const options = {
  loader: 'ts',
  format: 'esm',
  target: 'node20.19',
  sourcemap: 'inline',
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'es2022' } },
};
/* Each worker loads a thousand modules. A transformed one is kept for the next worker, under a digest of its source. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/interlock-jest/', import.meta.url));
mkdirSync(cache, { recursive: true });
const settings = JSON.stringify([version, options]);

/** Resolves `./x.js` to `./x.ts` where that is the source, and `@jest/globals` to the functions of the running test file. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: globals, shortCircuit: true };
  if (relative.test(specifier) && specifier.endsWith('.js') && typescript.test(context.parentURL ?? '')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
}

/** Transforms TypeScript to JavaScript file by file, and bundles each `*.worker.ts` as the bundler does. */
export async function load(url, context, next) {
  if (!typescript.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  if (path.endsWith('.worker.ts')) {
    return { format: 'module', shortCircuit: true, source: workerModule(workerSource(path).text) };
  }
  return { format: 'module', shortCircuit: true, source: await transformed(path) };
}

async function transformed(path) {
  const source = await readFile(path, 'utf8');
  const digest = createHash('sha256').update(`${settings}\0${path}\0${source}`).digest('hex');
  const file = `${cache}${digest}.js`;
  try {
    return await readFile(file, 'utf8');
  } catch {
    const { code } = await transform(source, { ...options, sourcefile: path });
    /* Other workers read the file only when it is complete. */
    const written = `${file}.${process.pid}`;
    await writeFile(written, code);
    await rename(written, file);
    return code;
  }
}

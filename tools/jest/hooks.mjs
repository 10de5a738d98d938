import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { workerModule, workerSource } from '../bundle/worker-source.mjs';

const globals = new URL('./globals.mjs', import.meta.url).href;
const typescript = /\.ts$/;
const relative = /^\.{1,2}\//;

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
  const { code } = await transform(await readFile(path, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20.19',
    sourcefile: path,
    sourcemap: 'inline',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'es2022' } },
  });
  return { format: 'module', shortCircuit: true, source: code };
}

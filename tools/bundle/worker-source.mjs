import { relative, resolve } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Bundles a module for a thread of its own, as a script that puts its exports in the variable `sandboxed`.
 * @param keepNames whether each function that is made gets its name by a call.
 * @returns the script, and the metadata of esbuild on what is in it.
 */
export function workerSource(path, keepNames = true) {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'sandboxed',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return { text: outputFiles[0].text, metafile };
}

/** The module that an import of `x.worker.js` gives: its script is the only export. */
export function workerModule(text) {
  return `export const source = ${JSON.stringify(text)};\n`;
}

/**
 * Resolves `import { source } from './x.worker.js'` to the script of that module.
 * @param scripts collects the metadata of esbuild on what is in the scripts.
 */
export function workerPlugin(scripts = { inputs: {}, outputs: {} }, keepNames = true) {
  return {
    name: 'worker-source',
    setup(build) {
      build.onResolve({ filter: /\.worker\.js$/ }, ({ path, resolveDir }) => ({
        path: relative('.', resolve(resolveDir, path.replace(/\.js$/, '.ts'))),
        namespace: 'worker-source',
      }));
      build.onLoad({ filter: /.*/, namespace: 'worker-source' }, ({ path }) => {
        const { text, metafile } = workerSource(path, keepNames);
        Object.assign(scripts.inputs, metafile.inputs);
        scripts.outputs[path] = Object.values(metafile.outputs)[0];
        return { contents: workerModule(text), loader: 'js' };
      });
    },
  };
}

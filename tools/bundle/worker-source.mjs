import { relative, resolve } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Bundles a module for a separate thread, as a script that stores its exports in the variable `sandboxed`.
 *
 * @returns the script, and the metadata of esbuild about its content
 */
export function workerSource(path) {
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
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return { text: outputFiles[0].text, metafile };
}

/** Returns the module for an import of `x.worker.js`, whose only export is its script. */
export function workerModule(text) {
  return `export const source = ${JSON.stringify(text)};\n`;
}

/**
 * Resolves `import { source } from './x.worker.js'` to the script of that module.
 *
 * @param scripts collects the metadata of esbuild about the content of the scripts
 */
export function workerPlugin(scripts = { inputs: {}, outputs: {} }) {
  return {
    name: 'worker-source',
    setup(build) {
      build.onResolve({ filter: /\.worker\.js$/ }, ({ path, resolveDir }) => ({
        path: relative('.', resolve(resolveDir, path.replace(/\.js$/, '.ts'))),
        namespace: 'worker-source',
      }));
      build.onLoad({ filter: /.*/, namespace: 'worker-source' }, ({ path }) => {
        const { text, metafile } = workerSource(path);
        Object.assign(scripts.inputs, metafile.inputs);
        scripts.outputs[path] = Object.values(metafile.outputs)[0];
        return { contents: workerModule(text), loader: 'js' };
      });
    },
  };
}

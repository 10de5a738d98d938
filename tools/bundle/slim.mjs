import { resolve } from 'node:path';

/** Replaces modules that no program reaches. */
const leftOut = resolve('tools/bundle/left-out.mjs');

/**
 * Packages whose index imports far more than programs use, and the module that is bundled instead of the index. An
 * import of anything else makes the bundler fail.
 */
const indexes = {
  '@kubernetes/client-node': resolve('node_modules/@kubernetes/client-node/dist/config.js'),
  undici: resolve('tools/bundle/undici.mjs'),
};

/**
 * Modules that packages import for features that no program uses, by the importing package:
 * - fastify compiles the JSON schemas of routes with Ajv, simulates requests, and checks for which versions of fastify
 *   a plugin was made; no route has a schema, and no plugin is registered.
 * - A KubeConfig makes API clients and agents for proxies; libs/kube takes only headers and TLS material from it.
 */
const unreached = {
  fastify: ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request', 'semver'],
  '@kubernetes/client-node': ['./gen/index.js', 'hpagent', 'node-fetch', 'socks-proxy-agent'],
};

/**
 * Keeps modules that the program never reaches out of a bundle. Otherwise every process would read and compile them,
 * and keep them in memory.
 */
export function slimPlugin() {
  return {
    name: 'slim',
    setup(build) {
      for (const [name, path] of Object.entries(indexes)) {
        build.onResolve({ filter: exactly([name]) }, () => ({ path, sideEffects: false }));
      }
      for (const [name, paths] of Object.entries(unreached)) {
        build.onResolve({ filter: exactly(paths) }, ({ importer }) =>
          isOf(name, importer) ? { path: leftOut, sideEffects: false } : undefined,
        );
      }
      /* Error messages are in English, which is one of 60 modules. */
      build.onResolve({ filter: exactly(['../locales/index.js']) }, ({ importer, resolveDir }) =>
        isOf('zod', importer)
          ? { path: resolve(resolveDir, '../locales/en.js'), sideEffects: false }
          : undefined,
      );
      /* Of the modules of undici, a bundle has those whose exports are used. */
      build.onResolve({ filter: /^undici\// }, ({ path }) => ({
        path: resolve('node_modules', path),
        sideEffects: false,
      }));
    },
  };
}

function isOf(name, path) {
  return path.includes(`/node_modules/${name}/`);
}

function exactly(paths) {
  return new RegExp(`^(${paths.map((path) => path.replaceAll('.', '\\.')).join('|')})$`);
}

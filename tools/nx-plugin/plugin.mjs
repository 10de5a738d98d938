import { basename, dirname } from 'node:path';

/**
 * Infers two targets: - `lint` for every project, with both linters;
 * - `bundle` for every project that has a process entry point, `src/main.ts`. The bundle is one ES module,
 *   `dist/main.mjs`.
 */
export const createNodesV2 = [
  '{{apps,libs,tools}/*/package.json,e2e/package.json,{apps,tools}/*/src/main.ts}',
  (files) => files.map((file) => [file, { projects: projectOf(file) }]),
];

function projectOf(file) {
  if (basename(file) === 'main.ts') {
    const root = dirname(dirname(file));
    return { [root]: { targets: { bundle: bundleOf(root) } } };
  }
  const root = dirname(file);
  return { [root]: { targets: { lint: { command: `oxlint ${root} && eslint ${root}`, cache: true } } } };
}

const bundleOf = (root) => ({
  command: `node tools/bundle/bundle.mjs ${root}`,
  cache: true,
  inputs: ['production', '^production', '{workspaceRoot}/tools/bundle/**/*'],
  outputs: ['{projectRoot}/dist'],
});

import { fileURLToPath } from 'node:url';
import { scmContract } from '../testing/contract.js';
import { giteaLikeHarness } from '../testing/gitea-contract.js';
import { loadScmPlugins } from './load.js';

const folder = fileURLToPath(new URL('../../../../docs/examples/scm-plugin', import.meta.url));
const name = 'my-forge';

scmContract(
  giteaLikeHarness(
    `the example ${name}`,
    (config) => ({ plugin: { name, config } }),
    async () => ({ plugins: [], external: await loadScmPlugins([`./${name}.mjs`], folder) }),
    ['contents', 'reviewers', 'comments', 'mergeQueue'],
  ),
);
